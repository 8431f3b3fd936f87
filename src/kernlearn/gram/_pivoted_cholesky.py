"""Pivoted Cholesky in blocks: the engine of `incomplete_cholesky`, of pairs and of landmarks.

Pivots are those of the largest residuals, or drawn with probabilities proportional to these (Chen,
Epperly, Tropp and Webber, 2025, "Randomly pivoted Cholesky"). Residuals change with each pivot, so
that a block cannot be drawn at once; but since they only fall, a block drawn from the present ones
can be thinned: a proposal i is kept with probability (its residual when its turn comes) / (its
residual when it was drawn), which gives the distribution of one draw at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.linalg.blas import dtrsm

from kernlearn.gram.psd import check_finite
from kernlearn.numerics.rounding import first_least
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, Indices

# Columns by their positions, one in each row of the result, on rows chosen before.
Columns = Callable[[Indices], Array]
Restrict = Callable[[Indices | slice], Columns]
# The next pivots, and the lower triangular rows of the new columns of the factor at them.
Choice = Callable[["Growing"], tuple[Indices, Array]]

# A residual below this part of the diagonal is rounding, and no pivot.
ROUNDING = 1e-12
# A residual below minus this part of the diagonal is no rounding: the matrix is indefinite.
_INDEFINITE = 1e-6


@dataclass(frozen=True)
class GreedyOptions:
    """Sizes of the blocks of the work; the factor is the same up to rounding."""

    block: int = 64  # pivots chosen before all rows are updated by one matrix product
    # Rows among which a block is chosen: this part of all, but never few. With 61,425 pairs, 1 in
    # 64 gave blocks of 40 pivots and more, after a start in small ones (measured)
    part: int = 64
    min_rows: int = 1024
    whole: int = 2**13  # of no more rows a block is chosen among all: every column is computed once
    room: int = 2**26  # numbers that the factor has room for at first (half a gigabyte)
    # Rows that are updated together: enough for a matrix product to be fast, while the arrays
    # beside the factor take a few hundred megabytes, however many rows there are
    rows_at_a_time: int = 2**18


GREEDY = GreedyOptions()


def factorise(
    restrict: Restrict,
    diagonal: Array,
    tol: float,
    max_rank: int | None,
    choose: Choice | None = None,
    check: Callable[[int], None] | None = None,
    options: GreedyOptions = GREEDY,
) -> tuple[Array, Indices, float, float]:
    """Return the factor, the positions of the pivots, and the residual, absolute and relative.

    Pivots are those of `choose`, or of the largest residuals if it is not given. Their number
    shows only on the way: `check` is called with a number of pivots before it is reached, and
    raises if their factor would not fit into memory.
    """
    limit = _check_limits(diagonal, tol, max_rank)
    trace = float(diagonal.sum())
    growing = Growing(restrict, diagonal, tol * trace, limit, options)
    while not growing.is_done():
        if choose is None:
            chosen, corner, block = growing.largest()
        else:
            (chosen, corner), block = choose(growing), None
        if check is not None:
            check(len(growing.pivots) + len(chosen))
        growing.extend(chosen, corner, block)
    left = float(growing.residual.sum())
    return growing.rows().T, growing.pivots, left, left / trace if trace > 0 else 0.0


class Growing:
    """The factor while it grows by blocks of pivots.

    All rows follow a block in one matrix product, where one pivot at a time would read the whole
    factor.
    """

    def __init__(
        self, restrict: Restrict, diagonal: Array, target: float, limit: int, options: GreedyOptions
    ) -> None:
        self.restrict, self.diagonal, self.options = restrict, diagonal, options
        self.target, self.limit = target, limit
        self.residual = diagonal
        self.pivots: Indices = np.empty(0, dtype=np.intp)
        # Memory is taken when it is written to, so that room that stays empty costs nothing; but
        # not all systems overcommit memory.
        room = min(limit, options.room // len(diagonal))
        self._room: Array = np.empty((room, len(diagonal)))

    def rows(self) -> Array:
        """The transposed factor, one row for each pivot."""
        return self._room[: len(self.pivots)]

    def is_done(self) -> bool:
        left = self.residual.sum()
        return len(self.pivots) >= self.limit or left <= self.target or left == 0.0

    def room(self) -> int:
        """Largest number of pivots of the next block."""
        return min(self.options.block, self.limit - len(self.pivots))

    def largest(self) -> tuple[Indices, Array, Array | None]:
        """Return the next greedy pivots, and the rows of the new columns of the factor at them.

        Pivots are chosen among the rows with the largest residuals only. Residuals never grow, so
        a choice is right until it falls below the first residuals of the other rows. If these rows
        are all rows, the new columns come last, transposed.
        """
        active, bound, others = largest_residuals(self.residual, self.options)
        whole = len(active) == len(self.residual)
        seen = slice(None) if whole else active
        columns, known = self.restrict(seen), self.rows()[:, seen]
        residual, diagonal = self.residual[active], self.diagonal[active]
        local: Array = np.empty((self.room(), len(active)))
        chosen: list[int] = []
        for done in range(len(local)):
            best = first_least(-residual)
            # The first is right in any case: nobody is larger, and the work is not done.
            if done > 0 and (
                residual[best] <= bound
                or residual[best] == 0.0
                or residual.sum() + others <= self.target
            ):
                break
            # Nothing here writes into what a kernel returns: it may be the user's own array.
            column = _checked(columns(active[[best]]))[0] - known[:, best] @ known
            column -= local[:done, best] @ local[:done]
            local[done] = column / np.sqrt(residual[best])
            local[done, best] = np.sqrt(residual[best])
            chosen.append(best)
            residual = _reduced(residual, local[[done]], [best], diagonal)
        corner = np.tril(local[: len(chosen), chosen].T)
        return active[chosen], corner, local[: len(chosen)] if whole else None

    def corner(self, positions: Indices) -> Array:
        """The residual matrix of a few rows among themselves."""
        known = self.rows()[:, positions]
        block = _checked(self.restrict(positions)(positions)) - known.T @ known
        # In the order of later steps, so that rounding does not change which rows are pivots.
        np.fill_diagonal(block, self.residual[positions])
        return np.asarray(block)

    def extend(self, chosen: Indices, corner: Array, found: Array | None = None) -> None:
        """Add the columns of the chosen pivots, up to the one that reaches the target.

        They are computed, unless they were found while these were chosen.
        """
        self._make_room(len(chosen))
        start = len(self.pivots)
        block = self._room[start : start + len(chosen)]
        if found is None:
            self._compute(chosen, corner, block)
        else:
            block[:] = found
        gains = np.cumsum(np.einsum("ij,ij->i", block, block))
        needed = float(self.residual.sum()) - self.target
        count = 1 + int(np.searchsorted(gains[:-1], needed))
        self.pivots = np.concatenate([self.pivots, chosen[:count]])
        self.residual = _reduced(self.residual, block[:count], chosen[:count], self.diagonal)

    def _compute(self, chosen: Indices, corner: Array, block: Array) -> None:
        known = self.rows()
        at_pivots = known[:, chosen].T
        step = self.options.rows_at_a_time
        for first in range(0, len(self.diagonal), step):
            part = slice(first, min(first + step, len(self.diagonal)))
            piece = at_pivots @ known[:, part]
            np.subtract(_checked(self.restrict(part)(chosen)), piece, out=piece)
            # In place: BLAS reads these arrays as their transposes.
            block[:, part] = dtrsm(
                1.0, corner, piece.T, side=1, lower=1, trans_a=1, overwrite_b=1
            ).T

    def _make_room(self, count: int) -> None:
        start, stop = len(self.pivots), len(self.pivots) + count
        if stop <= len(self._room):
            return
        size = self._room.shape[1]
        if stop * size <= self.options.room:
            # Doubled, so that copying takes no longer than filling.
            larger = np.empty((min(self.limit, 2 * stop), size))
            larger[:start] = self._room[:start]
            self._room = larger
        else:
            # In place, so that only one copy exists. No view of it is alive here.
            self._room.resize((stop + start // 8, size), refcheck=False)


def largest_residuals(
    residual: Array, options: GreedyOptions = GREEDY
) -> tuple[Indices, float, float]:
    """The rows with the largest residuals; the largest of all others, and their sum."""
    count = max(options.min_rows, len(residual) // options.part)
    if len(residual) <= options.whole:
        return np.arange(len(residual)), 0.0, 0.0
    # Among equals the first: a partition orders them as the processor likes.
    least = np.partition(residual, -count)[-count]
    above = residual > least
    equals = np.flatnonzero(residual == least)[: count - int(above.sum())]
    active = np.union1d(np.flatnonzero(above), equals)
    others = np.delete(residual, active)
    return active, float(others.max()), float(others.sum())


def _checked(columns: Array) -> Array:
    return check_finite(columns, "The columns of the kernel")


def _reduced(residual: Array, block: Array, pivots: Indices | list[int], diagonal: Array) -> Array:
    """The residual after the new rows of the factor, with zeros in place of rounding."""
    reduced: Array = residual - np.einsum("ij,ij->j", block, block)
    # Even if diagonal and columns disagree, no pivot is chosen twice.
    reduced[pivots] = 0.0
    if (reduced < -_INDEFINITE * diagonal - ROUNDING * diagonal.max()).any():
        raise NumericalError(
            "The kernel must be positive semidefinite for a Cholesky factor, got a residual of "
            f"{reduced.min():.3g} on the diagonal; run kernlearn.testing.check_kernel or "
            "check_hyperkernel on it."
        )
    reduced[reduced <= ROUNDING * diagonal] = 0.0
    return reduced


def _check_limits(diagonal: Array, tol: object, max_rank: object) -> int:
    """The largest rank allowed, once `tol`, `max_rank` and the diagonal are found right."""
    if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 <= float(tol) < 1:
        raise ValueError(
            f"tol must be a number from 0 to below 1, a part of the trace, got {tol!r}; 1e-6 is "
            "usual."
        )
    check_finite(diagonal, "The diagonal of the kernel")
    if diagonal.min() < -ROUNDING * np.abs(diagonal).max():
        raise ValueError(
            "The kernel must be positive semidefinite for a Cholesky factor, got "
            f"{diagonal.min():.3g} on its diagonal; run kernlearn.testing.check_kernel or "
            "check_hyperkernel on it."
        )
    n = len(diagonal)
    return n if max_rank is None else min(n, check_count(max_rank, "max_rank"))


def check_count(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"{name} must be a positive integer or None, got {value!r}; leave it out for no limit."
        )
    return int(value)


def random_pivots(generator: np.random.RandomState) -> Choice:
    """Each pivot is drawn with probability proportional to its residual."""

    def choose(state: Growing) -> tuple[Indices, Array]:
        shares = state.residual / state.residual.sum()
        # As many for any rank, so that a smaller one is the beginning of a larger one.
        positions = generator.choice(len(shares), state.options.block, p=shares)
        return _thinned(state, positions, generator.uniform(size=len(positions)))

    return choose


def sequential_pivots(state: Growing) -> tuple[Indices, Array]:
    """Each row is a pivot in its turn, unless those before it leave only rounding of it."""
    positions = np.flatnonzero(state.residual)[: state.options.block]
    return _thinned(state, positions, np.zeros(len(positions)))


def _thinned(state: Growing, positions: Indices, thresholds: Array) -> tuple[Indices, Array]:
    """Eliminate the proposals one by one, those that have lost too much left out."""
    corner = state.corner(positions)
    drawn, rounding = corner.diagonal().copy(), ROUNDING * state.diagonal[positions]
    columns: list[Array] = []
    kept: list[int] = []
    for i in range(len(positions)):
        left = corner[i, i]
        # A row drawn twice has nothing left at its second turn.
        if left <= rounding[i] or left < thresholds[i] * drawn[i]:
            continue
        column = corner[:, i] / np.sqrt(left)
        corner -= np.outer(column, column)
        columns.append(column)
        kept.append(i)
        if len(kept) == state.room():
            break
    return positions[kept], np.tril(np.array(columns).T[kept])
