"""Survival analysis with a learned combination of kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from kernlearn.estimators.held_out.survival_curves import SurvivalCurves, signed_times
from kernlearn.estimators.inputs.ownership import rollback_on_error
from kernlearn.estimators.mkl.combination import KernelCombination
from kernlearn.estimators.mkl.held_out_loss import regression_rule
from kernlearn.estimators.mkl.options import MKLOptions
from kernlearn.estimators.mkl.parameters import Labelled
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.kernels import Kernel
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.solvers.engine.statement import HoldOut
from kernlearn.survival.outcome import SurvivalOutcome
from kernlearn.survival.pseudo_observations import pseudo_restricted_mean
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array, FoldsLike, RandomState, Rows


def with_pseudo_times(labelled: Labelled) -> Labelled:
    """The rows with pseudo-observations of the restricted mean, by which widths are chosen."""
    outcome = SurvivalOutcome.of_signed(labelled.targets[0])
    return replace(labelled, targets=[pseudo_restricted_mean(outcome)])


class MKLSurvival(SurvivalCurves, KernelCombination):
    r"""Cox's proportional hazards with a learned combination of kernels, and a duality gap.

    .. math::

        \min_{w, f} \; \tfrac12\lVert f\rVert_{K(w)}^2
        + C \sum_{i : \delta_i} \Bigl(\log \sum_{t_j \ge t_i} e^{f(x_j)} - f(x_i)\Bigr)

    over the weights of kernels and the log hazard f, where no two events have the same time.

    Parameters
    ----------
    kernels : list of Kernel, optional
        The kernels to combine, as in :class:`kernlearn.MKLRegressor`. The bandwidths of the default
        bank are chosen for pseudo-observations of the restricted mean.
    C : float or "auto", default="auto"
        The factor of the loss. "auto" searches six values for the largest partial likelihood of
        held-out rows.
    weights : {"positive", "free"}, default="positive"
        Positive weights, or any sign with K(w) ⪰ 0 on the rows given to ``fit``.
    ties : {"efron", "breslow"}, default="efron"
        How events at the same time are treated, in the loss and in the baseline hazard. By Efron
        one of the :math:`d` tied events comes after another, and a part :math:`l / d` of them all
        has left before the l-th one, counted from zero; this is the default of R's ``coxph``, too.
        By Breslow none has left.
    missing : {None, "mean", "complete"}, default=None
        How to treat rows that lack a whole source, as in :class:`kernlearn.MKLRegressor`.
    rank : int, "auto" or None, default="auto"
        None solves on Gram matrices of all rows. An integer approximates every kernel through that
        many landmarks (rows of X), in time linear in the rows. "auto" does so above 3000 rows. It
        doubles the number while the held-out loss of least squares for martingale residuals falls
        by a hundredth or more, and goes back where it has risen.
    cv : int, splitter or iterable of pairs of rows, default=5
        Folds by which rows are held out.
    device : str or None, default=None
        Device of the computations over the rows through landmarks, and of the prices of families of
        kernels, as in :class:`kernlearn.MKLRegressor`.
    random_state : int, RandomState or None, default=0
        Seed of samples and folds.
    options : MKLOptions, optional
        Options that few fits need: see :class:`kernlearn.MKLOptions`.

    Attributes
    ----------
    kernels_ : list of Kernel
        The kernels that were combined.
    C_ : float
        The C used.
    held_out_score_, held_out_error_ : float
        Harrell's concordance on rows held out, and its standard error.
    event_times_, baseline_hazard_ : ndarray of shape (m,)
        The distinct times of events, and the cumulative hazard of a row of risk zero there.
    risk_slope_ : float
        The slope of the log hazard in the risk, if it is the same at all times; zero if held-out
        risks do not predict the order of the events.
    risk_slopes_ : ndarray of shape (m,)
        The slope at each of ``event_times_``.
    rank_ : int or None
        Landmarks of the kernels, at most; None for an exact fit.
    landmarks_ : list of arrays
        Through landmarks: the rows that are the landmarks of each kernel.
    landmark_coef_ : list of ndarray
        Their coefficients in the log hazard.
    residual_trace_ : ndarray of shape (m,)
        The part of each kernel's trace that its landmarks leave out.
    loss_by_rank_ : dict
        ``"rank"`` and ``"loss"``: the held-out squared error of least squares for martingale
        residuals, for this and smaller ranks. If it still falls, more rank would help.
    n_iter_ : int
        Kernels tried.

    See Also
    --------
    kernlearn.KernelSurvival : Tries many kernels, and takes tables as they come.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import MKLSurvival
    >>> X = np.linspace(-1, 1, 60)[:, None]
    >>> time = np.exp(1.0 - 2.0 * X[:, 0])
    >>> model = MKLSurvival(C=1.0).fit(X, event=np.arange(60) % 3 > 0, time=time)
    >>> bool(model.held_out_score_ > 0.9), model.duality_gap_ <= 1e-6
    (True, True)
    """

    quality = "cox"

    def __init__(
        self,
        kernels: object = None,
        C: float | str = "auto",
        weights: str = "positive",
        *,
        ties: str = "efron",
        normalize: bool = False,
        missing: str | None = None,
        rank: int | str | None = "auto",
        cv: FoldsLike = 5,
        device: str | None = None,
        tol: float = 1e-6,
        random_state: RandomState = 0,
        verbose: int = 0,
        time_limit: float | None = None,
        options: MKLOptions | None = None,
    ) -> None:
        self.kernels = kernels
        self.C = C
        self.weights = weights
        self.ties = ties
        self.normalize = normalize
        self.missing = missing
        self.rank = rank
        self.cv = cv
        self.device = device
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.options = options

    def fit(
        self,
        X: Rows,
        y: Rows = None,
        *,
        event: Rows = None,
        time: Rows = None,
        sample_weight: Rows = None,
        groups: Rows = None,
    ) -> MKLSurvival:
        """Learn the kernel and the log hazard, and calibrate curves.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Training rows; of several tables, each is a source with kernels of its own.
        y : structured array, data frame or array of shape (n, 2), optional
            Event and time of every row, as :func:`kernlearn.survival.survival_outcome` reads them.
        event, time : array-like of shape (n,), optional
            The same in two arrays.
        sample_weight : array-like of shape (n,), optional
            Multiplies C row by row.
        groups : array-like of shape (n,), optional
            Labels of the rows that belong together: rows of one group are held out together.

        Returns
        -------
        self : MKLSurvival
            Fitted.
        """
        with rollback_on_error(self):
            signed, inputs = signed_times(X, y, event, time), TableInputs(self)
            rows, target = inputs.checked_with_target(X, signed, y_numeric=True)
            weight = inputs.weights(sample_weight, rows)
            SurvivalOutcome.of_signed(target[weight > 0]).check_events()
            fit = self._learn(rows, lambda kept: [target[kept]], weight, None, ["cox"], groups)
            data, held_out = fit.data, fit.engine_fit.held_out
            assert isinstance(held_out, FoldMachines)
            known, risk = held_out.rows, held_out.values[:, 0]
            outcome = SurvivalOutcome.of_signed(data.targets[0])
            groups_of = None if data.groups is None else data.groups[known]
            ties, folds = cast(Ties, self.ties), held_out.fold
            self._store_curves(outcome, data.weight, known, risk, groups_of, folds, ties)
            return self

    def predict(self, X: Rows) -> Array:
        """Predict risks.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features), or dict or list of these
            Rows, as in ``fit``.

        Returns
        -------
        risk : ndarray of shape (n,)
            The log hazard f, up to a constant: higher for rows that have the event earlier.
        """
        return self._decision(X)[:, 0]

    def _prepared_kernels(self, X: Rows, labelled: Labelled) -> list[Kernel]:
        return super()._prepared_kernels(X, with_pseudo_times(labelled))

    def _hold_out_rule(self) -> HoldOut:
        return regression_rule(self)
