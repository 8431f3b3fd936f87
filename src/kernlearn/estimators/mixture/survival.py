"""The estimator to start with where the outcome is a time to an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from kernlearn.estimators.held_out.scoring import HeldOutNumbers
from kernlearn.estimators.held_out.survival_curves import SurvivalCurves, signed_times
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mixture.input_checks import checked_with_target
from kernlearn.estimators.mixture.members import columns_and_sets
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.quality.predictive import SquaredLoss
from kernlearn.runtime.stopping import Progress
from kernlearn.runtime.threads import threads_for
from kernlearn.survival.concordance import Concordance, concordance, jackknife_error_of
from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.survival.pseudo_observations import pseudo_survival
from kernlearn.typing import Array, FoldsLike, Indices, RandomState, Rows, Targets

# Parts of the events that have been seen at the times whose survival is learned.
_PARTS = (0.1, 0.25, 0.4, 0.55, 0.7, 0.85)


class KernelSurvival(SurvivalCurves, KernelMixture):
    r"""Survival analysis that learns its kernel by held-out loss.

    The estimator to start with where rows have a time to an event that may be right-censored. The
    probabilities to be free of the event after a few times become numbers for every row, censored
    or not, by jackknife pseudo-observations of Kaplan and Meier's curve
    (:func:`kernlearn.survival.pseudo_survival`). They are the targets of one mixture of kernel
    machines, which is learned as :class:`kernlearn.KernelRegressor` learns its own. The risk of a
    row is minus the mean of its predicted probabilities,

    .. math:: r(x) = -\frac1K \sum_k \hat S(t_k \mid x).

    Curves are those of Cox's model in this risk alone, calibrated on rows held out. Tables,
    categories, text, missing cells and several sources are taken as elsewhere.

    Parameters
    ----------
    candidates : "auto" or list of str and Kernel, default="auto"
        What is tried, as in :class:`kernlearn.KernelRegressor`.
    effort : "fast", "default", "best" or float, default="default"
        How much is tried: about how many times as long as by default a fit may take.
    standardize : bool, default=True
        Whether to bring the columns to mean zero and variance one.
    columns : mapping from str or int to str, optional
        What columns or sources are to be taken for, by name or position, as in
        :class:`kernlearn.KernelRegressor`.
    max_members : int, default=5
        How many candidates may have a weight.
    compress : bool, default=False
        Whether to distil the mixture into one kernel expansion on at most 512 rows.
    cv : int, splitter or iterable of pairs of rows, default=5
        The number of folds that hold rows out, or the folds themselves, each row in one. Drawn
        folds keep groups and copies of a row together, and have equal shares of the events.
    times : array-like of shape (k,), optional
        The times :math:`t_k` whose survival is learned. By default six, at quantiles of the
        events' times.
    device : str or None, default=None
        Where the work over the rows of a table of more than 6000 rows is done, as in
        :class:`kernlearn.KernelRegressor`.
    n_jobs : int or None, default=None
        Threads that search candidates side by side.
    random_state : int, RandomState or None, default=0
        For folds and samples of rows.
    verbose : int, default=0
        Print a line for every candidate.
    callback : callable, optional
        Called with a :class:`kernlearn.results.Progress` for every candidate; the fit ends when it
        returns True.
    time_limit : float, optional
        Seconds for the fit.

    Attributes
    ----------
    held_out_score_ : float
        Harrell's concordance on rows held out, in which every row counts once.
    held_out_error_ : float
        Its standard error, by the jackknife over rows or groups.
    event_times_ : ndarray of shape (m,)
        The distinct times of events.
    baseline_hazard_ : ndarray of shape (m,)
        The cumulative hazard of a row of risk zero at these times.
    risk_slope_ : float
        The slope β of the log hazard in the risk; zero where held-out risks say nothing.
    times_ : ndarray of shape (k,)
        The times whose survival was learned.
    candidates_ : dict of ndarray
        What was tried, the best first, as in :class:`kernlearn.KernelRegressor`.
    candidate_notes_ : list of str
        The candidates that were left out on these rows, each with the reason.
    relevance_ : dict of ndarray
        How much the concordance of held-out rows falls when a column or a source is shuffled, in
        the columns "column", "relevance" and "standard_error".
    preparation_ : Preparation
        How columns and sources become numbers.
    compression_ : dict or None
        After a compression: the number of its rows, and the growth of the held-out loss.
    n_duplicates_ : int
        Rows that repeat an earlier one in every column.
    n_events_ : int
        Rows with an event.
    device_ : str
        Where the rows were worked on.
    n_iter_ : int
        Candidates that were tried.
    status_ : Status
        How the search ended.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.
    source_names_ : list of str
        Names of the sources, if X had several.

    See Also
    --------
    kernlearn.MKLSurvival : Cox's partial likelihood with learned weights of kernels, and a
        duality gap.

    Notes
    -----
    Pseudo-observations are unbiased where censoring does not depend on the columns. Ties of events
    and of censoring are as in Kaplan and Meier's curve.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import KernelSurvival
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> time = np.exp(1.0 - 2.0 * X[:, 0])
    >>> model = KernelSurvival(["linear"]).fit(X, event=np.arange(60) % 3 > 0, time=time)
    >>> model.predict(X).shape, model.predict_survival_function(X, [2.0, 4.0]).shape
    ((60,), (60, 2))
    >>> bool(model.predict_median(X[:1]) > model.predict_median(X[-1:]))
    True
    """

    _signed: Array
    _centre: Array
    _spread: Array
    scoring = None

    def __init__(
        self,
        candidates: object = "auto",
        *,
        effort: object = "default",
        standardize: bool = True,
        columns: Mapping[str | int, str] | None = None,
        max_members: int = 5,
        compress: bool = False,
        cv: FoldsLike = 5,
        times: Rows = None,
        device: str | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.candidates = candidates
        self.effort = effort
        self.standardize = standardize
        self.columns = columns
        self.max_members = max_members
        self.compress = compress
        self.cv = cv
        self.times = times
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(
        self,
        X: Rows,
        y: Rows = None,
        *,
        event: Rows = None,
        time: Rows = None,
        sample_weight: Rows = None,
        groups: Rows = None,
    ) -> KernelSurvival:
        """Try the candidates, mix the best, train them on all rows, and calibrate curves.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, dict or Sources
            Training rows, as :class:`kernlearn.KernelRegressor` takes them.
        y : structured array, data frame or array of shape (n, 2), optional
            Event and time of every row, as :func:`kernlearn.survival.survival_outcome` reads them.
        event, time : array-like of shape (n,), optional
            The same in two arrays.
        sample_weight : array-like of shape (n,), optional
            How much each row counts.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together: rows of one group are held out together.

        Returns
        -------
        self : KernelSurvival
            Fitted.
        """
        with rollback_on_error(self):
            signed = signed_times(X, y, event, time)
            exact = self._options.exact_rows
            given = checked_with_target(self, X, signed, sample_weight, groups, True, exact)
            outcome = SurvivalOutcome.of_signed(given.target)
            outcome.check_events()
            self.n_events_ = int(outcome.event.sum())
            self.times_ = self._times(outcome)
            pseudo = pseudo_survival(outcome, self.times_)
            self._centre = np.average(pseudo, axis=0, weights=given.weight)
            self._spread = np.sqrt(
                np.average((pseudo - self._centre) ** 2, axis=0, weights=given.weight)
            )
            loss = SquaredLoss((pseudo - self._centre) / self._spread, given.weight)
            # Folds have equal shares of the events.
            self._learn(replace(given, target=outcome.event.astype(int)), loss, stratify=True)
            members, self._signed = self._members, outcome.signed
            judged = self._judged(np.arange(len(members.Y)))
            risk = self._risk(members.held_out)
            self._store_curves(judged, risk, members.weight, members.groups)
            return self

    def predict(self, X: Rows) -> Array:
        """Predict risks.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.

        Returns
        -------
        risk : ndarray of shape (n,)
            Minus the mean of the predicted probabilities to be free of the event after ``times_``:
            higher for rows that have the event earlier.
        """
        return self._risk(self._values(X))

    @property
    def relevance_(self) -> dict[str, Targets]:
        """By column, how much the held-out concordance falls when the column is shuffled."""
        members, preparation = self._members, self.preparation_
        with threads_for(len(members.Y)):
            names, columns = columns_and_sets(members, preparation)
            rows, before, after = members.shuffled(columns, preparation.origins_of)
        outcome, values, errors = self._judged(rows), [], []
        groups = None if members.groups is None else members.groups[rows]

        def found(predicted: Array) -> Concordance:
            return concordance(outcome, self._risk(predicted))

        whole = found(before)
        for shuffles in after:
            others = [found(each) for each in shuffles]
            falls = np.array([whole.index - each.index for each in others])
            change = whole.influence - np.mean([each.influence for each in others], axis=0)
            of_shuffles = falls.var(ddof=1) / len(falls) if len(falls) > 1 else 0.0
            values.append(float(falls.mean()))
            errors.append(float(np.sqrt(jackknife_error_of(change, groups) ** 2 + of_shuffles)))
        return {
            "column": np.array(names, dtype=object),
            "relevance": np.array(values),
            "standard_error": np.array(errors),
        }

    def _times(self, outcome: SurvivalOutcome) -> Array:
        """Those of the user, or times of events at which some rows have none."""
        seen = np.sort(outcome.time[outcome.event])
        last = float(outcome.time.max())
        if self.times is None:
            chosen = np.unique(np.quantile(seen, _PARTS, method="lower"))
            chosen = chosen[chosen < last]
            return chosen if len(chosen) else seen[:1]
        times = np.unique(np.asarray(self.times, dtype=float))
        if len(times) == 0 or not (seen[0] <= times[0] and times[-1] < last):
            raise ValueError(
                f"expected times from the first event at {seen[0]:g} to before the last time "
                f"{last:g}, got {self.times!r}; leave times out, or choose some in between"
            )
        return times

    def _judged(self, rows: Indices) -> SurvivalOutcome:
        """The outcomes of rows by which the mixture was judged."""
        places = self._members.places
        return SurvivalOutcome.of_signed(self._signed[rows if places is None else places[rows]])

    def _predictions(self, values: Array) -> HeldOutNumbers:
        """What values of the mixture predict."""
        return HeldOutNumbers(self._risk(values))

    def _risk(self, values: Array) -> Array:
        """From values of the mixture."""
        return np.asarray(-(values * self._spread + self._centre).mean(axis=1))
