"""What first-level classification and regression share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn._checks import check_choice, check_count, check_positive
from kernlearn._cluster import Chunked
from kernlearn._device import HOST, Place, device_memory_errors
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.inputs.dask_rows import check_takes_dask, gather_rows, select_rows
from kernlearn.estimators.inputs.stopping import StoppingParameters
from kernlearn.estimators.least_squares.lssvm import (
    Learning,
    LeastSquaresOptions,
    several_starts,
)
from kernlearn.estimators.least_squares.lssvm_low_rank import store_exact_fit, store_left_out
from kernlearn.estimators.mkl.low_rank import chosen_rank, forget_low_rank
from kernlearn.families.parametric import ParametricKernel, parametric_kernel
from kernlearn.gram.rows import reduce_rows
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.runtime.convergence_warnings import warn_if_unfinished
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.status import Status
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.first_level.batched import FirstLevelStacks
from kernlearn.solvers.first_level.fit import FirstLevelSolution, learn_first_level
from kernlearn.solvers.first_level.problem import FirstLevelProblem, alone
from kernlearn.solvers.first_level.search import STRATEGIES, FirstLevelControl
from kernlearn.solvers.nystroem.exact_refit import fits
from kernlearn.solvers.nystroem.kernel_fit import TrainingTable, learn_then_refit
from kernlearn.solvers.selection.objective import DescentLimits
from kernlearn.typing import Array, FoldsLike, Indices, Targets

# Matrices of the size of the kernel's that exist together, at most (measured).
MATRICES = 12


REFITS = ["auto", "exact", "landmarks"]


@dataclass(frozen=True, eq=False)
class FirstLevelRequest:
    """The family, λ and μ where given, how they are chosen where not, and the rows that count."""

    family: ParametricKernel
    lam: float | None
    mu: float | None
    control: FirstLevelControl
    folds: list[Indices]
    kept: Indices
    rows: Array
    rank: int | str | None


class FirstLevel(StoppingParameters):
    """Learns θ and the machine together; to be mixed into the estimators of fixed machines.

    These state the targets, check the data, and predict with K @ dual_coef + intercept.
    """

    kernel: str | ParametricKernel
    lam: Any
    mu: float | str
    cv: FoldsLike
    strategy: str
    tol: float
    max_iter: int
    _seed: int
    rank: int | str | None
    refit: str
    starts: str
    device_: str
    refit_: str | None
    selection: str | None = "loo"
    status_: Status
    loss_by_rank_: dict[str, Array]
    n_evaluations_: int
    cv_loss_: float | None
    _options: LeastSquaresOptions

    @property
    def relevance_(self) -> dict[str, float]:
        """θ by the name of its column; by number where θ is not one for every column."""
        n_features = self.n_features_in_  # type: ignore[attr-defined]
        if len(self.theta_) == n_features:
            names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(n_features)])
        else:
            names = [f"theta{i}" for i in range(len(self.theta_))]
        return dict(zip(map(str, names), self.theta_.tolist(), strict=True))

    def _learning(self, X: Array, Y: Array, y: Targets, weight: Array, stratify: bool) -> Learning:
        """Check the parameters, state the problem, learn, store; a device is asked for machines."""
        asked = self._asked(X, y, weight, stratify)
        if asked.rank is not None:
            check_takes_dask(self, asked.rows)
            kept, control = asked.kept, asked.control
            table = TrainingTable(
                self._on_its_device(asked.rows),  # type: ignore[attr-defined]
                Y[kept],
                weight[kept],
                self._seed,
                self._options.stages,
            )
            limits = DescentLimits(control.tol, control.max_iter, control.stopping)
            self._learn_at_scale(
                table, asked.family, asked.rank, asked.lam, limits, asked.rows, X, Y, kept
            )
            return
        problem, offset = self._stated(asked, Y, weight)
        search = learn_first_level(problem, asked.folds, asked.lam, asked.mu, asked.control)
        with threads_for(len(asked.kept)), self._sentences():
            if self.device_ == HOST:
                solution = alone(search)
            else:
                solution = yield from search
        self._store_exactly(asked.kept, offset, solution, X, Y, weight)
        stopping = asked.control.stopping
        warn_if_unfinished(type(self).__name__, self.status_, stopping, stacklevel=6)

    def _asked(self, X: Array, y: Targets, weight: Array, stratify: bool) -> FirstLevelRequest:
        """What the parameters ask for on this table, checked."""
        family = parametric_kernel(self.kernel)
        lam, mu = _number_or_cv("lam", self.lam), _number_or_cv("mu", self.mu)
        control = self._control(self._stacks(family))
        kept = np.flatnonzero(weight > 0)
        self._check_enough(len(kept), lam is None or mu is None)
        folds = []
        if lam is None or mu is None:
            folds = make_folds(self.cv, X, y, kept, stratify=stratify, random_state=self._seed)
        rows = select_rows(X, kept)
        _check_sizes(rows)
        forget_low_rank(self)
        rank = chosen_rank(self.rank, len(kept), self._obstacle(mu), self._options.exact_rows)
        return FirstLevelRequest(family, lam, mu, control, folds, kept, rows, rank)

    def _stated(
        self, asked: FirstLevelRequest, Y: Array, weight: Array
    ) -> tuple[FirstLevelProblem, Array]:
        """The problem on the matrix of all rows, and what was taken off the targets."""
        self.refit_ = None
        family, kept = asked.family, asked.kept
        if not self._stacks(family):
            self.device_ = HOST
        rows = gather_rows(self, asked.rows, self._options.exact_rows)
        require(
            matrices(MATRICES, len(kept)) + matrices(6, len(kept), rows.shape[1] + Y.shape[1]),
            f"{type(self).__name__} on {len(kept):,} points",
            "use fewer points",
        )
        # The intercept takes up any offset; working around it keeps the numbers small.
        offset = np.average(Y[kept], axis=0, weights=weight[kept])
        problem = FirstLevelProblem(
            family, rows, Y[kept] - offset, weight[kept], np.asarray(family.start(rows))
        )
        return problem, offset

    def _stacks(self, family: ParametricKernel) -> bool:
        """Whether the matrices of all rows are worked on elsewhere, those of all folds at once."""
        on_host = self.device_ == HOST or self.strategy != "gradient"
        return not on_host and family.stack([family]) is not None

    def _trainer(self) -> Callable[[list[Any]], Sequence[Any]]:
        """What trains the machines that are asked for on the device that was noted."""
        return FirstLevelStacks(None if self.device_ == HOST else Place.named(self.device_))

    def _learn_at_scale(
        self,
        table: TrainingTable,
        family: ParametricKernel,
        rank: int | str,
        lam: float | None,
        limits: DescentLimits,
        rows: Array,
        X: Array,
        Y: Array,
        kept: Indices,
    ) -> None:
        """θ through landmarks, then the machine on all rows, or through more landmarks."""
        self.mu_ = 0.0
        if self._refits_exactly(table, rank):
            self.refit_ = "exact"
            with device_memory_errors():
                several, options = several_starts(self.starts), self._options
                fit = learn_then_refit(table, family, lam, limits, several, options.refit)
            store_exact_fit(self, fit, rows, table, kept)
            store_left_out(self, fit.left_out, X, Y, kept)
            self.cv_loss_ = 0.5 * self.loo_loss_  # type: ignore[attr-defined]
            warn_if_unfinished(type(self).__name__, self.status_, limits.stopping, stacklevel=7)
        else:
            self.refit_ = "landmarks"
            self._learn_through_landmarks(  # type: ignore[attr-defined]
                table, family, None, rank, lam, limits, X, Y, kept
            )
            self.cv_loss_ = 0.5 * float(self.loss_by_rank_["loss"][-1])
        self.n_machine_solves_ = self.n_evaluations_

    def _refits_exactly(self, table: TrainingTable, rank: int | str) -> bool:
        if self.refit == "exact" and isinstance(table.source, Chunked):
            raise ValueError(
                "expected refit='auto' or 'landmarks' with a Dask collection, got 'exact', for "
                "which all rows have to be on one machine; fit to X.compute()"
            )
        if self.refit == "exact" and not fits(table.source, self._options.refit):
            n = len(table.weight)
            raise MemoryError(
                f"expected room and time for a matrix of {n:,} x {n:,} numbers with "
                f"refit='exact', got too little of it on {self.device_}; use refit='auto', which "
                "trains through landmarks then, or a device with more memory"
            )
        # Who asks for a rank wants no matrix of all rows.
        return self.refit == "exact" or (
            self.refit == "auto" and rank == "auto" and fits(table.source, self._options.refit)
        )

    def _obstacle(self, mu: float | None) -> str | None:
        """What was asked for that landmarks cannot do."""
        if mu is not None:
            return f"mu={self.mu!r}"
        return None if self.strategy == "gradient" else f"strategy={self.strategy!r}"

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Say what was wrong with the matrix, or with the memory of a device."""
        try:
            with device_memory_errors():
                yield
        except np.linalg.LinAlgError as broken:
            raise ValueError(
                f"{type(self).__name__} expected a positive semidefinite kernel matrix of finite "
                f"numbers, got one that cannot be factorised ({broken}); standardise the columns"
            ) from broken

    def _store_exactly(
        self,
        kept: Indices,
        offset: Array,
        solution: FirstLevelSolution,
        X: Array,
        Y: Array,
        weight: Array,
    ) -> None:
        """What was learned from the matrix of all rows, and what it leaves out."""
        self._store_learned(solution, offset, kept)
        point = solution.point
        with threads_for(len(kept)):
            # In closed form, for the θ that was learned from all rows; with machines that learn
            # their own θ without a fold the probabilities came out the same.
            fit = fit_ls_svm(point.K, Y[kept], point.lam / weight[kept])
        self._store_held_out(fit, X, Y, weight, kept)  # type: ignore[attr-defined]

    def _store_learned(self, solution: FirstLevelSolution, offset: Array, kept: Indices) -> None:
        point = solution.point
        self.theta_ = point.theta
        self.lam_, self.mu_ = point.lam, solution.mu
        self.kernel_ = point.problem.family.kernel(point.theta)
        self.dual_coef_ = np.ascontiguousarray(point.dual_coef.T)
        self.intercept_ = point.intercept + offset
        self.support_ = kept
        self.support_vectors_ = point.problem.X
        self.objective_ = point.objective
        self.cv_loss_ = solution.cv_loss
        self.n_iter_ = solution.n_iter
        self.n_evaluations_ = solution.n_evaluations
        self.n_machine_solves_ = solution.n_machine_solves
        self.status_ = solution.status

    def _control(self, together: bool) -> FirstLevelControl:
        check_choice("strategy", self.strategy, STRATEGIES)
        check_choice("refit", self.refit, REFITS)
        return FirstLevelControl(
            self.strategy,
            check_positive("tol", self.tol),
            check_count("max_iter", self.max_iter),
            self._stopping_control(),
            together,
            several_starts(self.starts),
            self._options.selection,
        )

    def _check_enough(self, n: int, chosen: bool) -> None:
        if n < 2:
            raise ValueError(
                f"{type(self).__name__} expected at least two points of positive weight, got "
                f"{n}; add points"
            )
        cv = self.cv
        is_wrong = isinstance(cv, int | np.integer) and not (isinstance(cv, bool) or 2 <= cv <= n)
        if chosen and is_wrong:
            raise ValueError(
                f"expected cv between 2 and {n}, the number of points, got {self.cv}; choose "
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


def _number_or_cv(name: str, value: float | str) -> float | None:
    """The number, or None where it is to be chosen."""
    if isinstance(value, str):
        if value != "cv":
            raise ValueError(
                f"expected {name} to be a positive number or 'cv', got {value!r}; try {name}='cv'"
            )
        return None
    return check_positive(name, value)
