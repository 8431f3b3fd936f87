"""The estimator to start with for times to an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from kernlearn.estimators.held_out.scoring import HeldOutNumbers
from kernlearn.estimators.held_out.survival_curves import SurvivalCurves, signed_times
from kernlearn.estimators.inputs.dask_rows import in_memory
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mixture.input_checks import (
    TrainingInput,
    check_known,
    checked_with_target,
    feature_names,
)
from kernlearn.estimators.mixture.linear_hazard import (
    LinearHazard,
    codes_of,
    linear_hazard,
    n_draws,
    risk_factors,
    working_responses,
)
from kernlearn.estimators.mixture.members import columns_and_sets
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.sources import prepare
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.numerics.rounding import ranks
from kernlearn.quality.predictive import PredictiveLoss, SquaredLoss
from kernlearn.runtime.stopping import Progress
from kernlearn.runtime.threads import threads_for
from kernlearn.survival.concordance import Concordance, concordance, jackknife_error_of
from kernlearn.survival.numbers import checked_times
from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.survival.pseudo_observations import pseudo_survival
from kernlearn.typing import Array, FoldsLike, Indices, RandomState, Rows, Targets

# Most rows for which held-out rows are predicted by candidates searched without them: the events
# of few rows leave room for luck.
_NESTED_ROWS = 100


class KernelSurvival(SurvivalCurves, KernelMixture):
    r"""Survival analysis that learns its kernel by held-out loss.

    The estimator to start with if rows have a time to an event that may be right-censored. The
    risk r(x) is a log hazard of Cox's model,

    .. math:: \lambda(t \mid x) = \lambda_0(t)\, e^{r(x)},

    and the sum of two. The first is linear, with a ridge. The second is a mixture of kernel
    machines, which learns the working responses of the partial likelihood near the linear model as
    :class:`kernlearn.KernelRegressor` learns its targets: with the cumulative hazard
    :math:`\Lambda_0` held fixed, an event is a Poisson count of the mean
    :math:`\Lambda_0(t_i) e^{r(x_i)}`. The partial likelihood of held-out rows weighs the two and
    calibrates the curves; rows are compared within their fold. Tables, categories, text, missing
    cells and several sources are taken as elsewhere.

    With ``times``, the probabilities to be free of the event after these times are learned in place
    of a log hazard, from jackknife pseudo-observations of Kaplan and Meier's curve
    (:func:`kernlearn.survival.pseudo_survival`), and

    .. math:: r(x) = -\frac1K \sum_k \hat S(t_k \mid x).

    Parameters
    ----------
    candidates : "auto" or list of str and Kernel, default="auto"
        The candidates to try, as in :class:`kernlearn.KernelRegressor`.
    max_members : int, default=5
        The largest number of candidates with weight.
    cv : int, splitter or iterable of pairs of rows, default=5
        The number of folds that hold rows out, or the folds themselves, each row in one. Drawn
        folds keep groups and copies of a row together, and have equal shares of the events.
    times : array-like of shape (k,), optional
        Times :math:`t_k` whose survival is learned in place of a log hazard. This serves hazards
        that cross.

    Attributes
    ----------
    held_out_score_ : float
        Harrell's concordance on rows held out, in which every row counts once.
    held_out_error_ : float
        Standard error of ``held_out_score_``, by the jackknife over rows or groups.
    event_times_ : ndarray of shape (m,)
        The distinct times of events.
    baseline_hazard_ : ndarray of shape (m,)
        The cumulative hazard of a row of risk zero at these times.
    risk_slope_ : float
        The slope of the log hazard in the risk, if it is the same at all times; zero if held-out
        risks do not predict the order of the events.
    risk_slopes_ : ndarray of shape (m,)
        The slope at each of ``event_times_``.
    linear_share_ : float
        The part of the linear model in the risk, between 0 and 1.
    times_ : ndarray of shape (k,)
        The times whose survival was learned, if ``times`` was given.
    candidates_ : dict of ndarray
        Candidates that were tried, best first, as in :class:`kernlearn.KernelRegressor`.
    relevance_ : dict of ndarray
        Fall of the held-out concordance when a column or a source is shuffled, in the columns
        "column", "relevance" and "standard_error".
    compression_ : dict or None
        After a compression: the number of its rows, and the growth of the held-out loss.
    n_events_ : int
        Rows with an event.

    See Also
    --------
    kernlearn.MKLSurvival : Cox's partial likelihood with learned weights of kernels, and a
        duality gap.

    Notes
    -----
    Ties of events are Efron's. Tables of more than 6000 rows and sparse tables have no linear
    part. Pseudo-observations are unbiased if censoring does not depend on the columns.

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
    _centre: Array | None
    _spread: Array
    scoring = None
    _options = MixtureOptions(nested_rows=_NESTED_ROWS)

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
            Event and time in two arrays.
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
            inputs = checked_with_target(self, X, signed, sample_weight, groups, True, exact)
            outcome = SurvivalOutcome.of_signed(inputs.target)
            outcome.check_events()
            self._check_parameters(is_of_labels=False)
            stopping = self._stopping_control()
            self.n_events_ = int(outcome.event.sum())
            self._signed = outcome.signed
            # Folds have equal shares of the events.
            inputs = replace(inputs, target=outcome.event.astype(int))
            draws = self._fold_draws(inputs)
            if self.times is None:
                linear = self._linear_hazard(inputs, draws)
                pilot = np.zeros(len(outcome)) if linear is None else linear.pilot
                loss: PredictiveLoss = working_responses(outcome, inputs.weight, pilot)
                self._centre = None
            else:
                linear, loss = None, self._of_pseudo_observations(outcome, inputs.weight)
            self._learn(inputs, loss, stratify=True, stopping=stopping)
            self._calibrate(codes_of(draws[0]), inputs.weight, linear)
            return self

    def _fold_draws(self, inputs: TrainingInput) -> list[list[Indices]]:
        """The folds of the search, and further draws of folds if events are few."""
        n = 1 if inputs.folds is not None else n_draws(self.n_events_)
        seeds = [(self._seed + draw) % 2**32 for draw in range(n)]
        return [self._folds(inputs, True, check_random_state(seed)) for seed in seeds]

    def _linear_hazard(
        self, inputs: TrainingInput, draws: Sequence[Sequence[Indices]]
    ) -> LinearHazard | None:
        """Cox's linear model on the prepared table; None if the table is sparse, empty or large."""
        if len(inputs.target) > self._options.exact_rows:
            return None
        some = in_memory(inputs.rows)
        check_known(self, some)
        prepared = prepare(some, feature_names(self), bool(self.standardize), self.columns)
        Z = prepared.apply(some, STANDARD)
        if issparse(Z) or Z.shape[1] == 0:
            return None
        return linear_hazard(Z, self._signed, inputs.weight, draws)

    def _of_pseudo_observations(self, outcome: SurvivalOutcome, weight: Array) -> SquaredLoss:
        """Squared error of pseudo-observations of survival after the times of the user."""
        self.times_ = self._times(outcome)
        pseudo = pseudo_survival(outcome, self.times_)
        self._centre = np.average(pseudo, axis=0, weights=weight)
        spread = np.sqrt(np.average((pseudo - self._centre) ** 2, axis=0, weights=weight))
        self._spread = spread
        return SquaredLoss((pseudo - self._centre) / spread, weight)

    def _calibrate(self, codes: Indices, weight: Array, linear: LinearHazard | None) -> None:
        """Weigh the learned and the linear log hazard by held-out rows, and store curves.

        The codes of folds and the weights are those of all rows.
        """
        members, values = self._members, self._members.held_out
        is_sample = len(values) < len(codes)
        rows = np.arange(len(values)) if members.places is None else members.places
        if not is_sample and len(codes) > self._options.nested_rows:
            values = members.held_out_by(codes[rows])
        risk = self._risk(values)
        self.linear_share_ = 0.0
        if linear is not None and not is_sample:
            both = np.column_stack([risk, linear.held_out])
            factors, shares = risk_factors(both, self._signed[rows], weight[rows], codes[rows])
            self._members = linear.beside(members, factors)
            risk, self.linear_share_ = both @ factors, float(shares[1])
        outcome = SurvivalOutcome.of_signed(self._signed)
        self._store_curves(outcome, weight, rows, risk, members.groups, codes[rows])

    def predict(self, X: Rows) -> Array:
        """Predict risks.

        Parameters
        ----------
        X : array-like, data frame, dict or Sources
            Rows, as in ``fit``.

        Returns
        -------
        risk : ndarray of shape (n,)
            The log hazard up to a constant, or with ``times`` minus the mean of the predicted
            probabilities to be free of the event: higher for rows that have the event earlier.
        """
        return self._risk(self._values(X))

    @property
    def relevance_(self) -> dict[str, Targets]:
        """Fall of the held-out concordance when a column is shuffled, by column."""
        members, preparation = self._members, self.preparation_
        with threads_for(len(members.Y)):
            names, columns = columns_and_sets(members, preparation)
            rows, before, after = members.shuffled(columns, preparation.origins_of)
        outcome, values, errors = self._judged(rows), [], []
        groups = None if members.groups is None else members.groups[rows]

        def found(predicted: Array) -> Concordance:
            return concordance(outcome, ranks(self._risk(predicted)))

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
        """The times of the user, checked."""
        seen = np.sort(outcome.time[outcome.event])
        last = float(outcome.time.max())
        times = np.unique(checked_times(self.times))
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
        """Predicted risks from values of the mixture."""
        return HeldOutNumbers(self._risk(values))

    def _risk(self, values: Array) -> Array:
        """Risks from values of the mixture."""
        if self._centre is None:
            return np.asarray(values[:, 0])
        return np.asarray(-(values * self._spread + self._centre).mean(axis=1))
