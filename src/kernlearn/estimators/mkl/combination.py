"""Base of the estimators that combine kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from kernlearn._device import HOST, device_memory_errors
from kernlearn.estimators.inputs.dask_rows import gather_rows, select_rows
from kernlearn.estimators.inputs.decision_values import decision_values
from kernlearn.estimators.inputs.options import explained_options
from kernlearn.estimators.inputs.ownership import copied_rows
from kernlearn.estimators.inputs.row_kinds import (
    stack_rows,
)
from kernlearn.estimators.mkl.approximation import EarlierChoices, learn_approximately, rank_of
from kernlearn.estimators.mkl.candidates import Candidates, gram_candidates, prepared_kernels
from kernlearn.estimators.mkl.held_out_loss import held_out_together
from kernlearn.estimators.mkl.indefinite import warn_if_indefinite
from kernlearn.estimators.mkl.low_rank import forget_low_rank, landmark_values, store_low_rank
from kernlearn.estimators.mkl.parameters import (
    CombinationParameters,
    Labelled,
    check_parameters,
    state,
    store_share,
)
from kernlearn.estimators.mkl.table_inputs import TableInputs
from kernlearn.estimators.mkl.transduction import FitMatrices, TransductiveFit
from kernlearn.families.continuous_pool import ContinuousPool
from kernlearn.families.kernel_pool import KernelPool, is_family
from kernlearn.families.matrices import GramStack
from kernlearn.kernels import Kernel, WeightedSum
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.engine.backend import EngineFit, learn
from kernlearn.solvers.engine.exact import CriterionSolution, ExactBackend
from kernlearn.solvers.nystroem.certificate import LowRankSolution
from kernlearn.typing import Array, Indices, Rows

# The targets of every machine on the rows of these numbers.
TargetsOfRows = Callable[[Indices], Sequence[Array]]


@dataclass(frozen=True, eq=False)
class CombinationFit:
    """A fit whose weights, machines and certificate are stored."""

    data: Labelled  # the rows of positive weight, in_memory if the fit was exact
    engine_fit: EngineFit[Any]  # what the engine returned
    transduced: Array | None = None  # (l, k): decision values of the rows without label


class KernelCombination(CombinationParameters):
    """Learns weights of kernels, then predicts with K(w) @ dual_coef + intercept.

    Subclasses store the parameters, state the targets, and turn decision values into predictions.

    Parameters
    ----------
    normalize : bool, default=False
        Give every kernel a unit diagonal.
    tol : float, default=1e-6
        Relative duality gap to reach.
    verbose : int, default=0
        Print a line of progress for every kernel tried.
    time_limit : float, optional
        Seconds after which the fit ends, checked after every step. After such an end, and after
        one by a callback or by Ctrl-C, what was learned so far is kept: ``duality_gap_``
        says how far it may be off, ``status_`` why it ended.

    Attributes
    ----------
    weights_ : ndarray of shape (m,)
        Learned weights; exactly zero for kernels that are not used.
    objective_, lower_bound_, duality_gap_ : float
        The certificate: value, a bound no weights can beat, and the relative gap between them.
    kernel_ : Kernel
        The learned kernel.
    status_ : Status
        How the solution ended.
    history_ : tuple of Step
        Objective and lower bound after every kernel tried.
    support_ : ndarray of shape (n_support,)
        Rows of X with a coefficient.
    support_vectors_ : array or data frame of shape (n_support, n_features)
        Those rows.
    n_machine_solves_, n_iter_ : int
        Machines solved, and kernels tried.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.
    """

    _taken_over: EarlierChoices | None = None

    @property
    def active_kernels_(self) -> NDArray[np.intp]:
        """Numbers of the kernels that have weight."""
        return np.flatnonzero(self.weights_)

    @property
    def active_weights_(self) -> Array:
        """Non-zero weights, in the order of ``active_kernels_``."""
        return self.weights_[self.active_kernels_]

    def _learn(
        self,
        X: Rows,
        targets: TargetsOfRows,
        sample_weight: Array,
        X_unlabeled: Rows,
        qualities: Sequence[str],
        groups: Rows = None,
    ) -> CombinationFit:
        """Check the parameters, state the problem, let the engine learn, and store."""
        with explained_options(self._options):
            control = check_parameters(self, qualities)
            forget_fit(self)
            kept = np.flatnonzero(sample_weight > 0)
            rows = X if len(kept) == len(sample_weight) else select_rows(X, kept)
            rank = rank_of(self, rows, len(kept), X_unlabeled)
            known = targets(kept)
            held_out = held_out_together(self, known, kept, len(sample_weight), groups)
            data = Labelled(rows, known, sample_weight[kept], *held_out)
            if rank is None:
                fit = self._learn_exactly(data, kept, X_unlabeled, control)
                store_machines(self, fit, kept)
            else:
                fit = CombinationFit(data, self._learn_approximately(data, rank, control))
                store_low_rank(self, fit.engine_fit)
            store_certificate(self, fit.engine_fit)
            warn_unless_finished(self, fit.engine_fit.solution, control)
            return fit

    def _learn_exactly(
        self, data: Labelled, kept: Indices, X_unlabeled: Rows, control: Control
    ) -> CombinationFit:
        """Learn on Gram matrices of all rows."""
        if not is_family(self.kernels):
            self.device_ = HOST
        data = replace(data, X=gather_rows(self, data.X, self._engine.exact_rows))
        points = data.X if X_unlabeled is None else stack_rows(data.X, X_unlabeled)
        with device_memory_errors():
            candidates = self._candidates(points, data)
            family = candidates.family
            statement = state(self, data, family.n_matrices, candidates.total, candidates.penalty)
            backend = ExactBackend(statement, family)
            engine_fit = learn(backend, control)
        solution = engine_fit.solution
        check_solved(self, engine_fit, statement.quality)
        of_pool = isinstance(family, KernelPool)
        self.kernel_ = (family.combined if of_pool else self._combined)(solution.weights)
        if isinstance(family, ContinuousPool):
            self.kernels_, self.certificate_covers_ = family.range.kernels, family.range.covers
        if not of_pool and (X_unlabeled is not None or self._weight_signs == "free"):
            coefs = np.atleast_2d(np.asarray(solution.dual_coef))
            self._transduction = TransductiveFit(
                rows=copied_rows(points),
                targets=data.targets,
                weight=data.weight,
                dual_coef=coefs,
                kept=kept,
                n_fitted=family.n_points,
                total=backend.total,
                fold=data.fold,
                groups=data.groups,
            )
            if self._weight_signs == "free" and type(family) is GramStack:
                self._transduction.keep(FitMatrices(family, family))
        return CombinationFit(
            data, engine_fit, None if X_unlabeled is None else backend.transduce(solution)
        )

    def _learn_approximately(
        self, data: Labelled, rank: int | str, control: Control
    ) -> EngineFit[LowRankSolution]:
        """Learn through landmarks; for sections of a hyperkernel this is overridden."""
        return learn_approximately(self, data, rank, control)

    def _decision(self, X: Rows) -> Array:
        """Decision values of shape (n, number of machines)."""
        check_is_fitted(self)
        rows = self._checked(X, reset=False)
        if self.rank_ is not None:
            source = self._on_device_of(X, rows)
            kernels = self.kernel_.kernels
            values = landmark_values(kernels, self.landmarks_, self.landmark_coef_, source)
            return np.asarray(values + self.intercept_)
        if len(self.support_) == 0:
            return np.tile(self.intercept_, (rows.shape[0], 1))
        if self._weight_signs == "free" and (self.weights_ < 0).any():
            known: TransductiveFit | None = vars(self).get("_transduction")
            if known is not None:  # the kernels of a family are positive semidefinite on any rows
                fitted = known.on_its_rows(self.kernel_)
                warn_if_indefinite(type(self).__name__, self.kernel_, rows, fitted)
        values = decision_values(self.kernel_, rows, self.support_vectors_, self.dual_coef_)
        return np.asarray(values + self.intercept_)

    def _checked(self, X: Rows, reset: bool) -> Rows:
        """The table, in the form that the kernels take."""
        return TableInputs(self).checked(X, reset)

    def _candidates(self, points: Rows, data: Labelled) -> Candidates:
        """The matrices to combine; for sections of a hyperkernel this is overridden."""
        return gram_candidates(self, points, data)

    def _prepared_kernels(self, X: Rows, labelled: Labelled) -> list[Kernel]:
        """The kernels to combine, centred around X; ``labelled`` chooses a bank."""
        return prepared_kernels(self, X, labelled)

    def _combined(self, weights: Array) -> Kernel:
        """The learned kernel as a function."""
        return WeightedSum(self.kernels_, weights)

    def _chosen(self) -> EarlierChoices | None:
        """The choices of this fit, for a fit to more rows."""
        return EarlierChoices.of(self)

    def _take_over(self, chosen: EarlierChoices) -> None:
        """Let the next fit, which is through landmarks, learn weights and machines alone."""
        self._taken_over = chosen


def forget_fit(estimator: KernelCombination) -> None:
    """Remove attributes of an earlier fit that another fit may not set."""
    chosen = "loss_by_C_", "loss_by_strength_", "penalty_strength_"
    for name in (
        *chosen,
        "transduction_",
        "_transduction",
        "_error_bound",
        "extension_",
        "certificate_covers_",
    ):
        estimator.__dict__.pop(name, None)
    forget_low_rank(estimator)


def store_machines(estimator: KernelCombination, fit: CombinationFit, kept: Indices) -> None:
    """Set the fitted attributes of machines on support vectors."""
    solution, rows = fit.engine_fit.solution, fit.data.X
    coefs = np.atleast_2d(np.asarray(solution.dual_coef))
    # A least-squares machine has no support vectors: a coefficient of zero is chance.
    used = np.any(coefs != 0, axis=0) | (estimator.quality == "least_squares")
    support = np.flatnonzero(used)
    estimator.dual_coef_ = coefs[:, support]
    estimator.intercept_ = np.atleast_1d(np.asarray(solution.intercept, dtype=float))
    estimator.support_ = kept[support]
    plain = isinstance(rows, np.ndarray)
    estimator.support_vectors_ = rows[support] if plain else _safe_indexing(rows, support)


def store_certificate(estimator: KernelCombination, engine_fit: EngineFit[Any]) -> None:
    """Set the fitted attributes of the weights, and of the choices made for them."""
    solution: Solution = engine_fit.solution
    estimator.weights_ = solution.weights
    estimator.objective_ = solution.objective
    estimator.lower_bound_ = solution.lower_bound
    estimator.duality_gap_ = solution.gap
    estimator.n_machine_solves_ = solution.n_machine_solves
    estimator.n_iter_ = max(len(solution.history), 1)
    estimator.history_ = solution.history
    estimator.status_ = solution.status
    estimator.C_ = engine_fit.C if solution.learned_C is None else solution.learned_C
    if len(engine_fit.loss_by_C):
        estimator.loss_by_C_ = engine_fit.loss_by_C
    if engine_fit.strength is not None:
        estimator.loss_by_strength_ = engine_fit.loss_by_strength
        estimator.penalty_strength_ = engine_fit.strength
    store_share(estimator, engine_fit.share)


def check_solved(
    estimator: KernelCombination | CombinationParameters, fit: EngineFit[Any], quality: str
) -> None:
    """Refuse a fit without a solution, and say why there is none."""
    if fit.solution.status is not Status.NO_SOLUTION:
        return
    name = type(estimator).__name__
    if quality == "hard_margin":
        raise ValueError(f"{name} found {fit.solution.status}")
    raise ValueError(
        f"{name} expected a problem whose numbers have squares in double precision, got one "
        "without a value; bring y, C, the kernels and options.total nearer to one"
    )


def warn_unless_finished(
    estimator: KernelCombination, solution: Solution, control: Control
) -> None:
    """Warn of an end before the tolerance was reached."""
    gap = solution.machine_gap if isinstance(solution, CriterionSolution) else solution.gap
    name, stopping = type(estimator).__name__, control.stopping
    options = type(estimator._options).__name__
    warn_if_unfinished(
        name, solution.status, stopping, gap, control.tol, stacklevel=4, options=options
    )
