r"""Representations of the rows for kernels, and held-out predictions of their machines.

A representation is a prepared table, as it is or with its columns scaled. As it is, every kernel
has leave-one-out predictions in closed form, by which λ is found; groups of rows are left out as
a whole. If the scales were learned from
the targets, leave-one-out would be optimistic by several per cent of the loss, because the kernel
has seen the row. So scales are learned once from all rows and once without each fold, and a fold is
predicted by the machine that has seen it in neither way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.mixture.candidates.margin import RIDGES, solve_margin
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.kernels import Kernel, Stretched
from kernlearn.numerics.positions import complement
from kernlearn.quality.fold_residuals import fold_residuals
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.machine.least_squares import CentredMatrix
from kernlearn.solvers.selection.ridge_search import descend_along, minimise_along
from kernlearn.typing import Array, Indices

KernelOf = Callable[[Array], Kernel]
FoldMatrices = tuple[Indices, Indices, Array, Array]

# λ in units of the mean variance that the kernel gives to a row: where most searches end.
_FIRST_RIDGE = 0.03
# A kernel whose variance is this part of its size is constant but for seven digits: a small λ
# would give a function of rounding.
_NEARLY_CONSTANT = 1e-7
# Factors from one λ to the next, from a start that may be far and from one that is near.
FAR, NEAR = 10.0, 3.0


@dataclass(frozen=True, eq=False)
class JudgedKernel:
    """A kernel with its ridge and held-out predictions."""

    kernel: Kernel  # for the prepared table
    lam: float  # the λ of the least held-out loss
    # Predictions for every row by machines trained without its fold. Leave-one-out has seen
    # more rows, and would not be fair to candidates that only folds can judge, of shape (n, k).
    held_out: Array
    # Whether the machine has a soft margin; else it is one of least squares.
    has_margin: bool = False


@dataclass(frozen=True, eq=False)
class Representation:
    """A prepared table as it is."""

    table: str  # its name

    @property
    def title(self) -> str:
        """A suffix to the name of a kernel; empty for the standardised table."""
        return "" if self.table == STANDARD else f", {self.table}"

    def with_more_rows(self, problem: CandidateProblem) -> Representation:
        """The representation for a problem of more rows: itself, unless more rows improve it."""
        return self

    def judge(
        self, kernel_of: KernelOf, problem: CandidateProblem, start: float | None
    ) -> JudgedKernel:
        """Find λ for the kernel that `kernel_of` makes for the table; look at `start` first."""
        X = problem.tables[self.table]
        kernel = kernel_of(X)
        K = kernel(X)
        path = RidgePath.of(K, problem.Y, problem.weight)

        def held_out(lam: float) -> Array:
            return problem.Y - path.residuals(lam, problem.blocks)

        lam, _ = _least(held_out, problem, mean_variance(K), start)
        return JudgedKernel(kernel, lam, problem.Y - path.fold_residuals(lam, problem.folds))

    def judge_near(
        self, kernel_of: KernelOf, problem: CandidateProblem, lam: float
    ) -> JudgedKernel:
        """Find λ near a known one, by the loss on the folds: two or three factorisations."""
        X = problem.tables[self.table]
        kernel = kernel_of(X)
        K = kernel(X)

        def held_out(lam: float) -> tuple[Array, Array]:
            fit = fit_ls_svm(K, problem.Y, lam / problem.weight)
            residuals, slopes = fold_residuals(fit, problem.folds)
            return problem.Y - residuals, -slopes

        lam, predictions = _least_near(held_out, problem, mean_variance(K), lam, NEAR)
        return JudgedKernel(kernel, lam, predictions)

    def judge_margin(
        self, kernel_of: KernelOf, problem: CandidateProblem, lam: float | None
    ) -> JudgedKernel:
        """Judge a machine with a soft margin, fold by fold, at a known λ or at a few."""
        kernel, unit, parts = self.matrices_by_fold(kernel_of, problem)
        best: JudgedKernel | None = None
        least = (np.inf, np.inf)
        tried = [ridge * unit for ridge in RIDGES] if lam is None else [lam]
        for lam in tried:
            predictions = np.empty_like(problem.Y)
            for rows, others, K, K_out in parts:
                a, b = solve_margin(K, problem.Y[others], lam, problem.weight[others])
                predictions[rows] = K_out @ a + b
            wrong = float(problem.loss.share @ problem.loss.wrong(predictions))
            value = (wrong, problem.loss.value(predictions))
            if best is None or value < least:
                best, least = JudgedKernel(kernel, lam, predictions, True), value
        assert best is not None
        return best

    def matrices_by_fold(
        self, kernel_of: KernelOf, problem: CandidateProblem
    ) -> tuple[Kernel, float, list[FoldMatrices]]:
        """The kernel, the variance that it gives to a row, and its matrices without each fold."""
        X = problem.tables[self.table]
        kernel = kernel_of(X)
        K = kernel(X)
        parts = []
        for rows in problem.folds:
            others = complement(len(problem), rows)
            parts.append((rows, others, K[np.ix_(others, others)], K[np.ix_(rows, others)]))
        return kernel, mean_variance(K), parts


@dataclass(frozen=True, eq=False)
class LearnedRepresentation(Representation):
    """A prepared table with something that was learned from the targets, fold by fold."""

    def kernel_for(self, kernel_of: KernelOf, X: Array, fold: int | None) -> Kernel:
        """The kernel for these rows, by all rows or by all but those of one fold."""
        raise NotImplementedError

    def judge(
        self, kernel_of: KernelOf, problem: CandidateProblem, start: float | None
    ) -> JudgedKernel:
        """Find λ by the loss on the folds, each with the kernel learned without it."""
        return self._judged(kernel_of, problem, start, FAR)

    def judge_near(
        self, kernel_of: KernelOf, problem: CandidateProblem, lam: float
    ) -> JudgedKernel:
        """Find λ near a known one, by the loss on the folds."""
        return self._judged(kernel_of, problem, lam, NEAR)

    def _judged(
        self, kernel_of: KernelOf, problem: CandidateProblem, start: float | None, factor: float
    ) -> JudgedKernel:
        X = problem.tables[self.table]
        parts = self._parts(kernel_of, X, problem.folds)
        matrices = [CentredMatrix.of(K) for _, _, K, _ in parts]

        def held_out(lam: float) -> tuple[Array, Array]:
            predictions, slopes = np.empty_like(problem.Y), np.empty_like(problem.Y)
            for (rows, others, _, K_out), K in zip(parts, matrices, strict=True):
                ridge = lam / problem.weight[others]
                a, b, da, db = K.solve_with_slopes(problem.Y[others], ridge)
                predictions[rows], slopes[rows] = K_out @ a + b, K_out @ da + db
            return predictions, slopes

        kernel = self.kernel_for(kernel_of, X, None)
        lam, predictions = _least_near(held_out, problem, mean_variance(parts[0][2]), start, factor)
        return JudgedKernel(kernel, lam, predictions)

    def matrices_by_fold(
        self, kernel_of: KernelOf, problem: CandidateProblem
    ) -> tuple[Kernel, float, list[FoldMatrices]]:
        """Kernel, variance and matrices, these by the kernel learned without each fold."""
        X = problem.tables[self.table]
        parts = self._parts(kernel_of, X, problem.folds)
        return self.kernel_for(kernel_of, X, None), mean_variance(parts[0][2]), parts

    def larger_ridge(self, kernel_of: KernelOf, problem: CandidateProblem, lam: float) -> float:
        """The multiple of λ that predicts the first fold best."""
        X, Y, weight = problem.tables[self.table], problem.Y, problem.weight
        ((rows, others, K, K_out),) = self._parts(kernel_of, X, problem.folds[:1])
        loss, matrix = problem.rows(rows).loss, CentredMatrix.of(K)

        def at(lam: float) -> float:
            a, b = matrix.solve(Y[others], lam / weight[others])
            return loss.value(K_out @ a + b)

        return climbed_ridge(at, lam)

    def _parts(self, kernel_of: KernelOf, X: Array, folds: Sequence[Indices]) -> list[FoldMatrices]:
        """For every fold its rows, the others, their matrix, and that between the two."""
        parts = []
        for number, rows in enumerate(folds):
            others = complement(len(X), rows)
            K = self.kernel_for(kernel_of, X[others], number)(X)
            parts.append((rows, others, K[np.ix_(others, others)], K[np.ix_(rows, others)]))
        return parts


@dataclass(frozen=True, eq=False)
class ScaledColumns(LearnedRepresentation):
    """A prepared table with its columns stretched by learned scales."""

    scales: Array  # the factors of the columns, by all rows, of shape (p,)
    without: tuple[Array, ...]  # the factors learned without each fold, of shape (p,)

    @property
    def title(self) -> str:
        """The title of the table, marked as ARD."""
        return f"{super().title}, ARD"

    def kernel_for(self, kernel_of: KernelOf, X: Array, fold: int | None) -> Kernel:
        """The family's kernel on columns stretched without that fold."""
        scales = self.scales if fold is None else self.without[fold]
        return Stretched(kernel_of(X * scales), scales)


def climbed_ridge(loss_at: Callable[[float], float], lam: float) -> float:
    """The last λ, tripled in every step, with which the loss falls.

    >>> climbed_ridge(lambda lam: abs(lam - 8.0), 1.0)
    9.0
    """
    now = loss_at(lam)
    while (after := loss_at(3.0 * lam)) < now:
        lam, now = 3.0 * lam, after
    return lam


def mean_variance(K: Array) -> float:
    """The mean variance that a kernel gives to a row, or its size if the variance is rounding.

    >>> mean_variance(1.0 + np.eye(2)), mean_variance(1.0 + 1e-9 * np.eye(2))
    (0.5, 1.000000001)
    """
    size = float(np.abs(K).max()) or 1.0
    unit = float(K.diagonal().mean() - K.mean())
    return unit if unit > _NEARLY_CONSTANT * size else size


def _least(
    held_out: Callable[[float], Array], problem: CandidateProblem, unit: float, start: float | None
) -> tuple[float, Array]:
    """The λ of the least held-out loss along a line, and its predictions."""
    best, found = np.inf, np.zeros_like(problem.Y)

    def at(ridge: float) -> float:
        nonlocal best, found
        try:
            predictions = held_out(ridge * unit)
        except np.linalg.LinAlgError:
            return np.inf
        value = problem.loss.value(predictions)
        if value < best:
            best, found = value, predictions
        return value

    minimum = minimise_along(at, _first(start, unit))
    if not np.isfinite(minimum.value):
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
    return minimum.at * unit, found


def _least_near(
    held_out: Callable[[float], tuple[Array, Array]],
    problem: CandidateProblem,
    unit: float,
    start: float | None,
    factor: float,
) -> tuple[float, Array]:
    """The λ of the least held-out loss by descent, with the slopes of predictions."""
    best, found = np.inf, np.zeros_like(problem.Y)

    def at(ridge: float) -> tuple[float, float]:
        nonlocal best, found
        try:
            predictions, changes = held_out(ridge * unit)
        except np.linalg.LinAlgError:
            return np.inf, 0.0
        value, slope = problem.loss.value_and_slope(predictions, changes)
        if value < best:
            best, found = value, predictions
        return value, slope

    minimum = descend_along(at, _first(start, unit), factor)
    if not np.isfinite(minimum.value):
        raise np.linalg.LinAlgError("the kernel matrix is not positive semidefinite")
    return minimum.at * unit, found


def _first(start: float | None, unit: float) -> float:
    return _FIRST_RIDGE if start is None else float(np.clip(start / unit, 1e-7, 1e3))
