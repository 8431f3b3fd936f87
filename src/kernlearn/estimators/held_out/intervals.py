r"""Intervals that hold a new target with a stated probability, from machines that miss some rows.

Let :math:`f^{(-i)}` be a machine trained without row i (alone, or with its fold) and :math:`r_i`
its residual there. The interval at x reaches from a lower quantile of
:math:`f^{(-i)}(x) - |r_i|` to an upper one of :math:`f^{(-i)}(x) + |r_i|` over all i: jackknife+,
or CV+ with folds (Barber, Candès, Ramdas and Tibshirani 2021). Whatever the distribution, for rows
that could come in any order it holds the target with a probability of at least 1 − 2(1 − coverage),
and in practice near the coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.estimators.held_out.groups import blocks_of
from kernlearn.estimators.held_out.smoother import Smoother
from kernlearn.kernels import Kernel
from kernlearn.solvers.engine.refits import FoldMachines
from kernlearn.typing import Array, Indices, Rows


def check_coverage(coverage: float) -> float:
    """A number between zero and one."""
    return _checked_fraction("coverage", coverage)


def check_probability(q: float) -> float:
    """The probability of a quantile, between zero and one."""
    return _checked_fraction("q", q)


def _checked_fraction(name: str, value: float) -> float:
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if not is_number or isinstance(value, bool) or not 0 < value < 1:
        raise ValueError(
            f"expected {name} between 0 and 1, both excluded, got {value!r}; try {name}=0.9"
        )
    return float(value)


def fewest_rows(coverage: float) -> int:
    """Number of held-out rows below which an interval of the coverage is infinite.

    >>> fewest_rows(0.9), fewest_rows(0.999)
    (9, 999)
    """
    return int(np.ceil(coverage / (1.0 - coverage) - 1e-9))


def plus_interval(values: Array, residuals: Array, coverage: float) -> Array:
    """The jackknife+ or CV+ intervals; inputs are checked.

    `values` of shape (n_new, n) are predictions at new points by the machine trained without row i,
    `residuals` of shape (n,) or (n_new, n) the residuals of that machine. The ends, of shape
    (n_new, 2), are infinite if n rows are too few for the coverage.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.estimators.held_out.intervals import plus_interval
    >>> plus_interval(np.zeros((1, 9)), np.arange(1.0, 10.0), 0.8).tolist()
    [[-8.0, 8.0]]
    """
    n = values.shape[1]
    # Rounding must not take one more than (n + 1) times the coverage.
    rank = int(np.ceil(coverage * (n + 1) - 1e-9))
    ends = np.full((len(values), 2), [-np.inf, np.inf])
    if rank <= n:
        size = np.abs(residuals)
        ends[:, 0] = -np.partition(size - values, rank - 1, axis=1)[:, rank - 1]
        ends[:, 1] = np.partition(values + size, rank - 1, axis=1)[:, rank - 1]
    return ends


def plus_quantile(values: Array, q: float) -> Array:
    """Quantiles of the values of machines without each row, of shape (n_new,), from (n_new, n).

    The quantiles are infinite if n rows are too few for them.

    >>> plus_quantile(np.arange(1.0, 10.0)[None], 0.25), plus_quantile(np.ones((1, 9)), 0.99)
    (array([2.5]), array([inf]))
    """
    n = values.shape[1]
    place = q * (n + 1) - 1.0
    if not -1e-9 <= place <= n - 1 + 1e-9:
        return np.full(len(values), -np.inf if place < 0 else np.inf)
    below = int(np.clip(np.floor(place), 0, max(n - 2, 0)))
    part = np.partition(values, [below, min(below + 1, n - 1)], axis=1)
    low, high = part[:, below], part[:, min(below + 1, n - 1)]
    return np.asarray(low + np.clip(place - below, 0.0, 1.0) * (high - low))


def in_blocks(
    rows: Rows,
    n: int,
    compute: Callable[[Rows], Array],
    # Memory of a block of new points for each of a few matrices: sixteen megabytes
    numbers: int = 2_000_000,
) -> Array:
    """`compute` for some of the rows at a time, so that n numbers for each of them fit."""
    return np.concatenate([compute(block) for block in _blocks(rows, max(numbers // n, 1))])


def _blocks(rows: Rows, size: int) -> Iterator[Any]:
    n_rows = int(np.shape(rows)[0])
    for start in range(0, n_rows, size):
        yield _safe_indexing(rows, slice(start, start + size))


@dataclass(frozen=True, eq=False)
class FoldPredictor:
    """The machines at one kernel, and their residuals on the rows that they were not trained on."""

    points: Rows  # points with a coefficient in one of the machines
    dual_coef: Array  # their coefficients, of shape (n_folds, m)
    intercept: Array  # the intercepts, of shape (n_folds,)
    fold: Indices  # the machine that was trained without a row
    residuals: Array  # residuals of that machine at the row, of shape (n,)

    @classmethod
    def of(cls, refits: FoldMachines, rows: Rows, target: Array, offset: float) -> Self:
        """The parts of machines that are stored, for one target less an offset."""
        residuals = target - refits.values[:, 0]
        known = ~np.isnan(residuals)
        coef = refits.coef[:, :, 0]
        support = np.flatnonzero(coef.any(axis=0))
        return cls(
            _safe_indexing(rows, support),
            coef[:, support],
            refits.intercept[:, 0] + offset,
            refits.fold[known],
            residuals[known],
        )

    def interval(self, kernel: Kernel, rows: Rows, coverage: float) -> Array:
        """CV+ intervals of shape (n_new, 2)."""
        if not len(self.residuals):
            raise ValueError(
                "expected residuals of held-out rows for intervals, got none: no machine could be "
                "trained without some of the rows, or the fit was interrupted before; fit again, "
                "on more rows"
            )

        def ends(some: Rows) -> Array:
            values = np.tile(self.intercept, (int(np.shape(some)[0]), 1))
            if self.dual_coef.size:
                values += kernel(some, self.points) @ self.dual_coef.T
            return plus_interval(values[:, self.fold], self.residuals, coverage)

        return in_blocks(rows, len(self.residuals), ends)


@dataclass(frozen=True, eq=False)
class LeastSquaresPredictor:
    """A machine f(x) = Σ αᵢ k(xᵢ, x) + b for every target, with leave-one-out residuals.

    The residuals take one factorisation, as long as training at a given kernel; new points are
    then processed in blocks.
    """

    kernel: Kernel  # the kernel k
    points: Rows  # all points that it was trained with
    ridge: Array  # λ divided by their weights, of shape (n,)
    dual_coef: Array  # α, one row for each target, of shape (k, n)
    intercept: Array  # b, of shape (k,)
    groups: Indices | None = None  # rows of one number are left out together, of shape (n,)

    def std(self, rows: Rows, lam: float) -> Array:
        """Standard deviations of new observations with noise s²λ, of shape (n_new, k)."""
        smoother = self._smoother()
        variance = in_blocks(
            rows,
            len(self.ridge),
            lambda some: smoother.variance(self.kernel(some, self.points), self.kernel.diag(some)),
        )
        return np.asarray(np.sqrt(np.outer(variance + lam, smoother.scale(self.dual_coef.T))))

    def interval(self, rows: Rows, coverage: float) -> Array:
        """Jackknife+ intervals of shape (n_new, k, 2)."""
        smoother = self._smoother()
        residuals = smoother.residuals(self.dual_coef.T)

        def ends(some: Rows) -> Array:
            K_new = self.kernel(some, self.points)
            f = K_new @ self.dual_coef.T + self.intercept
            values = f[:, None] - smoother.left_out_changes(K_new, residuals)
            targets = zip(np.moveaxis(values, 2, 0), residuals.T, strict=True)
            return np.stack([plus_interval(v, r, coverage) for v, r in targets], 1)

        return in_blocks(rows, len(self.ridge) * len(self.dual_coef), ends)

    def _smoother(self) -> Smoother:
        try:
            blocks = blocks_of(self.groups)
            return Smoother.of(self.kernel(self.points), self.ridge, blocks)
        except np.linalg.LinAlgError as broken:
            raise ValueError(
                "expected a positive semidefinite kernel matrix of the training points, got one "
                f"that cannot be factorised ({broken}); repair a precomputed matrix by "
                "kernlearn.gram.check_gram before fitting"
            ) from broken
