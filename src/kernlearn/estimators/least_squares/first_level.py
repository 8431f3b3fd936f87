"""Base of first-level classification and regression."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn._checks import check_count, check_positive
from kernlearn._cluster import Chunked
from kernlearn._device import HOST, Place, device_memory_errors
from kernlearn.estimators.inputs.dask_rows import check_takes_dask, gather_rows, select_rows
from kernlearn.estimators.inputs.options import explained_options
from kernlearn.estimators.least_squares.first_level_options import FirstLevelOptions
from kernlearn.estimators.least_squares.fitted_attributes import (
    store_exact_fit,
    store_left_out,
    store_loss_left_out,
)
from kernlearn.estimators.least_squares.learning_data import (
    LeastSquaresData,
    LeastSquaresRequest,
)
from kernlearn.estimators.least_squares.loss_choice import (
    check_loss,
    machine_loss,
    parameter_penalty,
)
from kernlearn.estimators.least_squares.lssvm import (
    Learning,
    LeastSquaresSVM,
    several_starts,
)
from kernlearn.estimators.least_squares.parameters import FirstLevelParameters
from kernlearn.estimators.mkl.low_rank import chosen_rank, forget_low_rank
from kernlearn.families.parametric import ParametricKernel, parametric_kernel
from kernlearn.gram.rows import reduce_rows
from kernlearn.kernels import Substitution
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.core.solution import relative_gap
from kernlearn.solvers.first_level.batched import FirstLevelStacks
from kernlearn.solvers.first_level.fit import FirstLevelSolution, learn_first_level
from kernlearn.solvers.first_level.loss_point import LossPoint
from kernlearn.solvers.first_level.problem import FirstLevelProblem, alone
from kernlearn.solvers.first_level.search import FirstLevelControl
from kernlearn.solvers.nystroem.exact_refit import fits
from kernlearn.solvers.nystroem.kernel_fit import TrainingTable, learn_then_refit
from kernlearn.solvers.selection.objective import DescentLimits
from kernlearn.typing import Array, Indices, Rows

# Matrices of the size of the kernel's that exist together, at most (measured).
MATRICES = 12


@dataclass(frozen=True, eq=False)
class FirstLevelRequest(LeastSquaresRequest):
    """The request, with μ if given, and with control and folds of the choice of λ and μ."""

    mu: float | None
    control: FirstLevelControl
    folds: list[Indices]


class FirstLevel(FirstLevelParameters, LeastSquaresSVM):
    """Learns θ and the machine together.

    Estimators declare their losses. They derive from this class and from that of a machine with
    selected θ, which states the targets, checks the data, and predicts with
    K @ dual_coef + intercept.
    """

    _losses: tuple[str, ...] = ("squared",)
    _options_type = FirstLevelOptions
    _options_example = 'starts="one"'
    _left_out_residuals: Array

    def _learning(self, data: LeastSquaresData) -> Learning:
        """Check the parameters, state the problem, learn, store; a device trains the machines."""
        with explained_options(self._search):
            request = self._first_level_request(data)
            if request.rank is not None:
                check_takes_dask(self, request.rows)
                self._learn_at_scale(data, request)
                return
            problem, offset, rows = self._stated_problem(request, data)
        search = learn_first_level(problem, request.folds, request.lam, request.mu, request.control)
        with threads_for(len(data.kept)), self._sentences():
            if self.device_ == HOST:
                solution = alone(search)
            else:
                solution = yield from search
        self._store_exactly(offset, solution, data, rows)
        stopping = request.control.stopping
        warn_if_unfinished(type(self).__name__, self.status_, stopping, stacklevel=6)

    def _first_level_request(self, data: LeastSquaresData) -> FirstLevelRequest:
        """The checked parameters for this table."""
        family = parametric_kernel(self.kernel)
        check_loss(self, self._losses)
        lam, mu = _number_or_none("lam", self.lam), _number_or_none("mu", self.mu)
        control = self._control(self._stacks(family))
        kept = data.kept
        if family.signed and control.by_evidence:
            raise ValueError(
                "expected lam and mu to be numbers or 'cv' with a kernel whose parameters have any "
                f"sign, got 'evidence' with {family!r}, for which there is none; use 'cv'"
            )
        by_folds = (lam is None or mu is None) and not control.by_evidence
        _check_enough(self, len(kept), by_folds)
        folds = data.folds(self.cv, self._seed) if by_folds else []
        rows = select_rows(data.X, kept)
        if not family.takes_things:
            _check_sizes(rows)
        forget_low_rank(self)
        for name in {"lower_bound_", "duality_gap_"} & set(vars(self)):  # of an earlier fit
            delattr(self, name)
        obstacle = self._obstacle(data, rows, family) or _unsupported_parameter(self, mu)
        rank = chosen_rank(self.rank, len(kept), obstacle, self._options.exact_rows)
        limits = DescentLimits(control.tol, control.max_iter, control.stopping)
        return FirstLevelRequest(family, lam, None, limits, rows, rank, mu, control, folds)

    def _stated_problem(
        self, request: FirstLevelRequest, data: LeastSquaresData
    ) -> tuple[FirstLevelProblem, Array, Rows]:
        """The problem on the matrix of all rows, the offsets of the targets, and the rows."""
        self.refit_ = None
        family, kept = request.family, data.kept
        if not self._stacks(family):
            self.device_ = HOST
        rows = gather_rows(self, request.rows, self._options.exact_rows)
        family = family.fitted_to(rows)
        X, Y, weight = family.read(rows), data.Y[kept], data.weight[kept]
        columns = X.shape[1] if getattr(X, "ndim", 1) == 2 else 1
        require(
            matrices(MATRICES, len(kept)) + matrices(6, len(kept), columns + Y.shape[1]),
            f"{type(self).__name__} on {len(kept):,} points",
            "use fewer points",
        )
        # The intercept takes up any offset; working around it keeps the numbers small.
        offset = np.average(Y, axis=0, weights=weight) if self.loss != "logistic" else 0.0 * Y[0]
        size = np.asarray(family.size(family.start(X)))
        penalty = parameter_penalty(self.penalty, family, len(size))
        loss = machine_loss(self, family, X, Y - offset, weight)
        problem = FirstLevelProblem(family, X, Y - offset, weight, size, penalty, loss)
        return problem, offset, rows

    def _stacks(self, family: ParametricKernel) -> bool:
        """Whether the matrices of all rows are worked on elsewhere, those of all folds at once."""
        on_host = self.device_ == HOST or self._search.strategy != "gradient" or self._by_evidence
        on_host = on_host or self.loss != "squared" or self.penalty is not None
        return not on_host and family.stack([family]) is not None

    @property
    def _by_evidence(self) -> bool:
        """Whether λ or μ is chosen by the evidence."""
        criteria = [value for value in (self.lam, self.mu) if isinstance(value, str)]
        if "evidence" in criteria and "cv" in criteria:
            raise ValueError(
                f"expected lam and mu to be chosen in one way, got lam={self.lam!r} and "
                f"mu={self.mu!r}; use 'cv' or 'evidence' for both, or a number for one"
            )
        return "evidence" in criteria

    def _trainer(self) -> Callable[[list[Any]], Sequence[Any]]:
        """The function that trains requested machines on the noted device."""
        return FirstLevelStacks(None if self.device_ == HOST else Place.named(self.device_))

    def _learn_at_scale(self, data: LeastSquaresData, request: FirstLevelRequest) -> None:
        """θ through landmarks, then the machine on all rows, or through more landmarks."""
        self.mu_ = 0.0
        self.log_evidence_ = self.theta_std_ = self.theta_p_ = None
        kept, limits, rank = data.kept, request.limits, request.rank
        assert rank is not None  # without one, there is a matrix of all rows
        rows = self._on_its_device(request.rows)
        table = data.training_table(rows, self._seed, self._options.stages)
        if self._refits_exactly(table, rank):
            self.refit_ = "exact"
            with device_memory_errors():
                several, options = self._has_several_starts(), self._options
                fit = learn_then_refit(
                    table, request.family, request.lam, limits, several, options.refit
                )
            store_exact_fit(self, fit, request.rows, table, kept)
            self._groups = None
            store_left_out(self, fit.left_out, data.X, data.Y, kept)
            self.cv_loss_ = 0.5 * self.loo_loss_
            warn_if_unfinished(type(self).__name__, self.status_, limits.stopping, stacklevel=7)
        else:
            self.refit_ = "landmarks"
            self._learn_through_landmarks(data, request)
            self.cv_loss_ = 0.5 * float(self.loss_by_rank_["loss"][-1])
        self.n_machine_solves_ = self.n_evaluations_

    def _refits_exactly(self, table: TrainingTable, rank: int | str) -> bool:
        refit = self._search.refit
        if refit == "exact" and isinstance(table.source, Chunked):
            raise ValueError(
                "expected refit='auto' or 'landmarks' with a Dask collection, got 'exact', for "
                "which all rows have to be on one machine; fit to X.compute()"
            )
        if refit == "exact" and not fits(table.source, self._options.refit):
            n = len(table.weight)
            raise MemoryError(
                f"expected room and time for a matrix of {n:,} x {n:,} numbers with "
                f"refit='exact', got too little of it on {self.device_}; use refit='auto', which "
                "trains through landmarks then, or a device with more memory"
            )
        # With a rank, no matrix of all rows is formed.
        return refit == "exact" or (
            refit == "auto" and rank == "auto" and fits(table.source, self._options.refit)
        )

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Explain errors of the matrix, or of a device's memory."""
        try:
            with device_memory_errors():
                yield
        except np.linalg.LinAlgError as broken:
            raise ValueError(
                f"{type(self).__name__} expected a positive semidefinite kernel matrix of finite "
                f"numbers, got one that cannot be factorised ({broken}); standardise the columns"
            ) from broken

    def _store_exactly(
        self, offset: Array, solution: FirstLevelSolution, data: LeastSquaresData, rows: Rows
    ) -> None:
        """Store the fit to the matrix of all rows, and its leave-one-out values."""
        kept, point = data.kept, solution.point
        self._store_learned(solution, offset, kept, rows)
        if isinstance(point, LossPoint):
            with threads_for(len(kept)):
                store_loss_left_out(self, point, offset, data)
            return
        with threads_for(len(kept)):
            # In closed form, for the θ that was learned from all rows; with machines that learn
            # their own θ without a fold the probabilities came out the same.
            fit = fit_ls_svm(point.K, data.Y[kept], point.lam / data.weight[kept])
        self._store_held_out(fit, data.leave_out, fit.ridge, data)

    def _store_learned(
        self, solution: FirstLevelSolution, offset: Array, kept: Indices, rows: Rows
    ) -> None:
        point = solution.point
        self.theta_ = point.theta
        self.lam_, self.mu_ = point.lam, solution.mu
        self.kernel_ = point.problem.family.kernel(point.theta)
        self.dual_coef_ = np.ascontiguousarray(point.dual_coef.T)
        self.intercept_ = point.intercept + offset
        self.support_ = kept
        self.support_vectors_ = rows
        self.objective_ = point.objective
        if solution.lower_bound is not None:
            self.lower_bound_ = solution.lower_bound
            self.duality_gap_ = relative_gap(self.objective_, solution.lower_bound)
        self.cv_loss_ = solution.cv_loss
        found = solution.evidence
        self.log_evidence_ = None if found is None else -found.value
        self.theta_std_ = None if found is None else found.std
        self.theta_p_ = None if found is None else found.p_values
        self.n_iter_ = solution.n_iter
        self.n_evaluations_ = solution.n_evaluations
        self.n_machine_solves_ = solution.n_machine_solves
        self.status_ = solution.status

    @property
    def substitution_matrix_(self) -> dict[str, dict[str, float]]:
        """The learned similarities of letters, for a kernel that has such."""
        kernel = getattr(self, "kernel_", None)
        if not isinstance(kernel, Substitution):
            raise AttributeError(
                f"{type(self).__name__} has a substitution_matrix_ after fit with "
                "kernel='substitution' only"
            )
        return kernel.similarities()

    @property
    def _search(self) -> FirstLevelOptions:
        """The search for λ and μ."""
        options: FirstLevelOptions = self._options_given()
        return options

    def _has_several_starts(self) -> bool:
        return several_starts(self._search.starts)

    def _control(self, together: bool) -> FirstLevelControl:
        search = self._search
        search._check()
        return FirstLevelControl(
            search.strategy,
            check_positive("tol", self.tol),
            check_count("max_iter", self.max_iter),
            self._stopping_control(),
            together,
            self._by_evidence,
            self._has_several_starts(),
            self._options.selection,
        )


def _unsupported_parameter(estimator: FirstLevel, mu: float | None) -> str | None:
    """The parameter that landmarks of the first level do not support."""
    if estimator._by_evidence:
        return "evidence"
    if estimator.loss != "squared":
        return f"loss={estimator.loss!r}"
    if estimator.penalty is not None:
        return "a penalty"
    if mu is not None:
        return f"mu={estimator.mu!r}"
    return (
        None
        if estimator._search.strategy == "gradient"
        else f"strategy={estimator._search.strategy!r}"
    )


def _check_enough(estimator: FirstLevel, n: int, chosen: bool) -> None:
    if n < 2:
        raise ValueError(
            f"{type(estimator).__name__} expected at least two points of positive weight, got "
            f"{n}; add points"
        )
    cv = estimator.cv
    is_wrong = isinstance(cv, int | np.integer) and not (isinstance(cv, bool) or 2 <= cv <= n)
    if chosen and is_wrong:
        raise ValueError(
            f"expected cv between 2 and {n}, the number of points, got {estimator.cv}; choose "
            "another cv, or pass numbers for lam and mu"
        )


def _largest(block: Array, rows: slice) -> Array:
    return np.asarray(np.abs(block).max(axis=0))


def _check_sizes(X: Array) -> None:
    """θ goes with the inverse square of a column's size and μ with its fourth power."""
    sizes = reduce_rows(X, _largest, np.maximum, X.shape[1])
    sizes = sizes[sizes > 0]
    if sizes.size and not (sizes.min() > 1e-60 and sizes.max() < 1e60):
        raise ValueError(
            "expected columns of X of sizes between 1e-60 and 1e60, got sizes from "
            f"{sizes.min():.3g} to {sizes.max():.3g}; rescale them first, for example with "
            "sklearn.preprocessing.StandardScaler"
        )


def _number_or_none(name: str, value: float | str) -> float | None:
    """The number, or None if it is to be chosen."""
    if isinstance(value, str):
        if value not in ("cv", "evidence"):
            raise ValueError(
                f"expected {name} to be a positive number, 'cv' or 'evidence', got {value!r}; try "
                f"{name}='cv'"
            )
        return None
    return check_positive(name, value)
