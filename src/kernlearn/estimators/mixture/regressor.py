"""The regressor to start with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_random_state

from kernlearn.estimators.held_out.chance import chance_of_numbers, report_chance
from kernlearn.estimators.held_out.groups import blocks_of
from kernlearn.estimators.held_out.scoring import HeldOutNumbers, Scoring, held_out_score
from kernlearn.estimators.inputs.dask_rows import in_memory, lazy_on_dask
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.inputs.validation import as_floats, check_squares
from kernlearn.estimators.mixture.count_regression import CountRegression
from kernlearn.estimators.mixture.input_checks import TrainingInput, checked_with_target
from kernlearn.estimators.mixture.output_kernel import SeveralOutcomes
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.estimators.mixture.targets.counts import SQUARED, check_count_loss, check_no_exposure
from kernlearn.estimators.mixture.targets.outlying import has_outliers, is_better, pseudo_targets
from kernlearn.estimators.mixture.uncertainty import MixtureUncertainty
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.quality.logarithms import Limits
from kernlearn.quality.predictive import SquaredLoss
from kernlearn.runtime.stopping import Progress, StoppingControl
from kernlearn.typing import Array, FoldsLike, RandomState, Rows, Targets


class KernelRegressor(SeveralOutcomes, MultiOutputMixin, CountRegression):  # type: ignore[misc]
    r"""Regressor that learns its kernel by held-out loss.

    The estimator to start with. The candidates are least-squares machines with kernels of many
    families: linear, polynomial, Gaussian, Matérn, Laplacian, sums over columns and pairs of
    columns, and tree-path kernels. They have many bandwidths, read raw or rank-transformed columns,
    and have one scale for all columns or a learned scale for each. A candidate is judged by its
    held-out predictions :math:`f^{(-i)}(x_i)`, in closed form if there is one, else by folds. The
    model is a mixture of a few,

    .. math:: f(x) = \sum_j w_j f_j(x), \qquad w \ge 0,\ 1^\top w = 1,

    whose weights minimise the squared error of the held-out values. If targets are skewed and
    non-negative, the best candidates learn their logarithms, too. Predictions are limited to the
    range of the targets and a fifth of it to either side, and to non-negative values if no target
    is negative, because a kernel machine may extrapolate badly. For rows beyond the range of the
    training rows, a linear function carries the predictions on without limits, if it explains
    nine tenths of what the mixture explains. If the targets have outliers, all steps are repeated
    with Huber's loss, and a robust loss decides which mixture is kept. Nothing has to be scaled,
    encoded or tuned first: numbers are standardised, missing cells filled, categories one-hot
    encoded, and free text in a data frame becomes the TF-IDF of its words. With several sources,
    every source alone and combinations of all are candidates.

    Parameters
    ----------
    candidates : "auto" or list of str and Kernel, default="auto"
        The candidates to try: all, or some by name ("linear", "sparse linear", "polynomial",
        "Gaussian", "Matérn", "exponential", "Laplacian", "additive", "interactions", "combination",
        "hyperkernel", "trees", "ARD" for scales of columns, "combined sources" and "equal sources",
        and "log target" for the best of all on logarithms, if targets are skewed and none is
        below zero), and kernels of your own, which read the standardised columns.
    loss : {"squared", "poisson", "negative_binomial"}, default="squared"
        The loss of a prediction. "poisson" and "negative_binomial" are the deviances of counts with
        mean :math:`\mu`, exposure times :math:`e^{f(x)}`, and variance :math:`\mu` or
        :math:`\mu + \alpha\mu^2`. Scores are then D², the explained part of the deviance.
    standardize : bool, default=True
        Whether to bring the columns to mean zero and variance one. Targets always are, within.
    max_members : int, default=5
        The largest number of candidates with weight; one that would have less than a hundredth of
        the largest has none. With one member, the mixture is one kernel machine. The default of
        :class:`kernlearn.KernelClassifier` is 8, because its weights fall with the errors.
    scoring : str, callable or None, default=None
        Metric of ``held_out_score_``: a name such as "neg_mean_absolute_error", or a scorer of
        scikit-learn's. None: R². Candidates are judged by squared error in any case.

    Attributes
    ----------
    candidates_ : dict of ndarray
        Candidates that were tried, best first, in the columns "candidate", "held_out_loss"
        (squared error, as a part of the variance of the target), "standard_error", "seconds" and
        "weight" (in the mixture), for ``pandas.DataFrame``.
    output_kernel_ : ndarray of shape (n_targets, n_targets)
        The kernel over several targets, for targets of variance one. The prior covariance of two
        targets at x and x' is its entry times k(x, x'). The kernel is the identity if held-out rows
        do not show that one target helps to predict another, and for more than 2000 rows. Its
        trace is the number of targets.
    output_gap_ : float
        Relative duality gap of ``output_kernel_``: an upper bound on how much another one could
        still improve the value of the machine of the best kernel. Zero for the identity.
    held_out_score_ : float
        R², D² of counts, or the metric of ``scoring``, on rows held out, in which every row counts
        once: each fold is predicted by machines trained, and mixed, without it. Up to 60 rows,
        bandwidths and ridges are chosen without it, too. With more rows the score is slightly
        optimistic, since they were chosen with all of them.
    dispersion_ : float
        For counts, α of the variance :math:`\mu + \alpha\mu^2` on held-out rows: zero for the
        Poisson distribution. Standard deviations and intervals use it, with either loss of counts.
    compression_ : dict or None
        After a compression: the number of its rows (``n_points``), and the growth of the held-out
        squared error (``loss``) with its standard error (``error``), both in standard errors of
        what grows; ``wrong`` is zero. None for a mixture.
    has_outliers_ : bool
        Whether the targets have outliers and the model was learned with Huber's loss. Scores and
        intervals refer to the targets as they were given. Always False above 6000 rows, and for
        sparse matrices.

    See Also
    --------
    kernlearn.KernelClassifier : The same for classes.
    kernlearn.FirstLevelRegressor : One machine with a scale for every column.

    Notes
    -----
    Up to 250 rows every family is searched on all of them. Beyond, on a sample, and only the best
    on up to 1500 rows, by which the mixture is judged; its members are then trained on all rows.
    Above 6000 rows, trees are grown by gradient boosting, with categories as the mean
    targets of their levels out of fold. If no kernel beats the trees on held-out rows, the trees
    are the model. Else the three best candidates are judged once more on up to 10,000 rows, beside
    narrower kernels and a combination that sees pairs of columns, and trained through landmarks.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernlearn import KernelRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelRegressor(["linear", "Gaussian"]).fit(X[::4], y[::4])
    >>> model.predict(X[1:3]).shape, model.predict_interval(X[1:3], coverage=0.8).shape
    ((2,), (2, 2))
    """

    def __init__(
        self,
        candidates: object = "auto",
        *,
        loss: str = "squared",
        effort: object = "default",
        standardize: bool = True,
        columns: Mapping[str | int, str] | None = None,
        max_members: int = 5,
        compress: bool = False,
        cv: FoldsLike = 5,
        scoring: Scoring = None,
        device: str | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
        callback: Callable[[Progress], object] | None = None,
        time_limit: float | None = None,
    ) -> None:
        self.candidates = candidates
        self.loss = loss
        self.effort = effort
        self.standardize = standardize
        self.columns = columns
        self.max_members = max_members
        self.compress = compress
        self.cv = cv
        self.scoring = scoring
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.time_limit = time_limit

    def fit(
        self,
        X: Rows,
        y: Rows,
        *,
        sample_weight: Rows = None,
        groups: Rows = None,
        exposure: Rows = None,
    ) -> KernelRegressor:
        """Try the candidates, mix the best, and train them on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, Dask collection, dict or Sources
            Training rows: numbers, NaN where missing; columns of a data frame may hold categories,
            dates or free text. The columns of a sparse matrix are scaled, not centred. More than
            50,000 rows of a memory map, and those of a Dask array or data frame, are read in
            blocks. A dict or :class:`kernlearn.Sources` has several sources of the same rows:
            tables, sparse matrices, lists of texts, sequences or graphs, square kernel matrices. A
            list of texts or of graphs is taken, too.
        y : array-like of shape (n,) or (n, n_targets)
            Targets; several are predicted by the same kernels, and by a kernel over them that is
            learned if one helps to predict another.
        sample_weight : array-like of shape (n,), optional
            How much each row counts, in training and where candidates are judged: by default one
            for all. Only ratios matter; a row of weight zero is left out.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together, patients for example: rows of one group are
            held out together, wherever rows are held out. A new group is then predicted as well as
            ``held_out_score_`` says.
        exposure : array-like of shape (n,), optional
            The time, area or population that each count covers: by default one for all.

        Returns
        -------
        self : KernelRegressor
            Fitted.
        """
        with rollback_on_error(self):
            check_count_loss(self.loss)
            check_no_exposure(self.loss, exposure)
            self._counts = None
            if self.loss != SQUARED:
                self._learn_counts(X, y, sample_weight, groups, exposure)
                return self
            exact = self._options.exact_rows
            inputs = checked_with_target(self, X, y, sample_weight, groups, True, exact)
            stopping = self._stopping_control()
            loss = self._standardised(inputs.target, inputs.weight)
            self._learn(inputs, loss, False, stopping)
            self._learn_without_outliers(inputs, loss, stopping)
            self._store_held_out()
            return self

    @lazy_on_dask
    def predict(self, X: Rows, return_std: bool = False, *, exposure: Rows = None) -> Any:
        """Predict targets.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Rows, as in ``fit``.
        return_std : bool, default=False
            Whether to return standard deviations of new observations too: those of the members,
            read as Gaussian processes, mixed, and scaled to the held-out residuals. They take a
            factorisation for every member. Standard deviations of counts follow from the means.
        exposure : array-like of shape (n,), optional
            The time, area or population of the expected counts: by default one for all.

        Returns
        -------
        values : ndarray of shape (n,) or (n, n_targets)
            Predictions, of the shape of the y of ``fit``.
        std : ndarray of the same shape, if asked for
            Standard deviations.
        """
        check_no_exposure(self.loss, exposure)
        if self._counts is not None:
            mean = self._expected(X, exposure)[:, None]
            std = self._counts.distribution.std(mean)
            return (self._shaped(mean), self._shaped(std)) if return_std else self._shaped(mean)
        values = self._truth(self._values(X))
        if not return_std:
            return values
        std = self._each_block(X, MixtureUncertainty.of(self._members).std)
        return values, self._shaped(std * self._spread)

    def _standardised(self, target: Targets, weight: Array) -> SquaredLoss:
        """The loss of targets of mean zero and variance one, whose units are kept."""
        self._flat = target.ndim == 1
        Y = as_floats(self, np.asarray(target)).reshape(len(target), -1)
        check_squares(self, Y)
        # In units of the largest, so that squares do not vanish.
        largest = np.abs(Y).max(axis=0)
        largest = np.where(largest > 0, largest, 1.0)
        spread = largest * standard_deviation(Y / largest, weight)
        # The mean of a constant target need not be the target.
        self._centre = np.where(spread > 0, np.average(Y, axis=0, weights=weight), Y[0])
        self._spread = np.where(spread > 0, spread, 1.0)
        limits = Limits.of(Y)
        self._is_amount = limits.zero is not None
        limits = limits.standardised(self._centre, self._spread)
        return SquaredLoss((Y - self._centre) / self._spread, weight, limits)

    def _learn_without_outliers(
        self, inputs: TrainingInput, loss: SquaredLoss, stopping: StoppingControl
    ) -> None:
        """Learn once more from pseudo-targets, if few targets are outlying.

        The new model is kept if a robust loss on held-out rows is clearly smaller.
        """
        self.has_outliers_, usual = False, self._members
        is_large = len(inputs.target) > self._options.exact_rows or issparse(inputs.rows)
        if is_large or stopping.stopped or not has_outliers(usual.Y - usual.held_out):
            return
        X = self.preparation_.apply(in_memory(inputs.rows), STANDARD)
        blocks = blocks_of(inputs.groups.known)
        pulled = pseudo_targets(X, loss.Y, loss.weight, blocks, check_random_state(self._seed))
        if pulled is None:
            return
        before, centre, spread = dict(vars(self)), self._centre, self._spread
        pulled = (pulled * spread + centre).reshape(inputs.target.shape)
        self._learn(inputs, self._standardised(pulled, inputs.weight), False, stopping)
        robust = self._members
        observed = (usual.Y * spread + centre - self._centre) / self._spread
        held_out = (usual.held_out * spread + centre - self._centre) / self._spread
        if is_better(observed - robust.held_out, observed - held_out, robust.weight):
            self.has_outliers_, self._members = True, replace(robust, outlying=observed)
        else:
            self.__dict__.update(before)

    def _store_held_out(self) -> None:
        """Set the held-out score, and warn if R² is no better than that of the mean."""
        members, Y = self._members, self._members.observed
        residual, total = Y - members.held_out, Y - Y.mean(axis=0)
        variance = float((total**2).sum())
        self.held_out_score_ = 1.0 - float((residual**2).sum()) / variance if variance else 0.0
        if self.scoring is not None:
            held_out = self._predictions(members.held_out)
            truth = self._truth(Y)
            self.held_out_score_ = held_out_score(self.scoring, held_out, truth)
        found = chance_of_numbers(members.held_out, Y, members.weight, members.groups)
        report_chance(self, found, stacklevel=3)

    def _predictions(self, values: Array) -> HeldOutNumbers:
        """Predicted targets from values of the mixture."""
        if self._counts is not None:
            return HeldOutNumbers(self._shaped(self._counts.rates(values)[:, None]))
        return HeldOutNumbers(self._truth(values))

    def _truth(self, Y: Array) -> Targets:
        """Targets in the user's units; for counts, which are kept as they came, rates."""
        if self._counts is not None:
            return self._shaped(Y)
        return self._shaped(Y * self._spread + self._centre)

    def _shaped(self, values: Array) -> Array:
        """Values in the shape of y: without an axis for a single target."""
        return values[:, 0] if self._flat else values
