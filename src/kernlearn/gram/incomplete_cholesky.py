"""Pivoted incomplete Cholesky: a low-rank factor from a few columns, for points and for pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsm

from kernlearn.gram._validation import FloatArray, check_finite
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._pairs import choose_pairs
from kernlearn.hyperkernels._validation import quiet
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import check_numbers, check_table, is_frame

Indices = NDArray[np.intp]
# Columns by their positions, one in each row of the result, on rows chosen before.
Columns = Callable[[Indices], FloatArray]
Restrict = Callable[[Indices | slice], Columns]

# Pivots chosen before all rows are updated by one matrix product.
_BLOCK = 64
# Rows among which a block is chosen: this part of all, but never few. Of 61,425 pairs, 1 in 64
# gave blocks of 40 pivots and more, after a start in small ones (measured).
_PART, _FEW = 64, 1024
# Numbers that the factor has room for at first (half a gigabyte).
_ROOM = 2**26
# A residual below this part of the diagonal is rounding, and no pivot.
_ROUNDING = 1e-12
# A residual below minus this part of the diagonal is no rounding: the matrix is indefinite.
_INDEFINITE = 1e-6


@dataclass(frozen=True)
class IncompleteCholesky:
    r"""A factor :math:`K \approx G G^\top` of the Gram matrix of n points.

    Attributes
    ----------
    factor : ndarray of shape (n, r)
        G, whose rows ``pivots`` are lower triangular.
    pivots : ndarray of shape (r,)
        The rows of X whose columns of K were used, in the order in which they were chosen.
    residual_trace : float
        The trace of K − GGᵀ, which is positive semidefinite and so no larger in any norm.
    relative_residual : float
        The same, as a part of the trace of K.
    """

    factor: FloatArray
    pivots: Indices
    residual_trace: float
    relative_residual: float


@dataclass(frozen=True)
class PairCholesky(IncompleteCholesky):
    r"""A factor of the matrix of a hyperkernel on pairs of points.

    Attributes
    ----------
    factor : ndarray of shape (n_pairs, r)
        G, one row for each pair.
    pivots : ndarray of shape (r, 2)
        The pairs whose columns were used, as rows of X: ``X[pivots]`` are pairs as hyperkernels
        take them.
    residual_trace, relative_residual : float
        The trace of what the factor leaves out, over the pairs that were looked at.
    pairs : ndarray of shape (n_pairs, 2)
        Which pair (i, j), i ≤ j, each row of the factor stands for.
    """

    pairs: Indices


def incomplete_cholesky(
    kernel: Kernel, X: Any, tol: float = 1e-6, max_rank: int | None = None
) -> IncompleteCholesky:
    r"""Return a low-rank factor :math:`K \approx G G^\top` of the Gram matrix of `X`.

    Each pivot is the row with the largest residual :math:`K_{ii} - (G G^\top)_{ii}`. Only the
    diagonal and the columns of the pivots are evaluated.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    X : array-like or data frame of shape (n, d)
        One point in each row.
    tol : float, default=1e-6
        Stop when the trace of the residual is at most this part of the trace of K.
    max_rank : int, optional
        Stop at this many pivots in any case.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.gram import incomplete_cholesky
    >>> from kernlearn.kernels import Linear
    >>> low_rank = incomplete_cholesky(Linear(), [[1.0, 0.0], [0.0, 3.0], [2.0, 2.0]])
    >>> low_rank.pivots
    array([1, 2])
    >>> (low_rank.factor @ low_rank.factor.T).round(12)
    array([[1., 0., 2.],
           [0., 9., 6.],
           [2., 6., 8.]])
    """
    _check_kind(kernel, Kernel, "kernel", "kernlearn.kernels.Gaussian()")
    table = check_table(X, "X")
    rows_of = table.iloc.__getitem__ if is_frame(table) else table.__getitem__

    def restrict(rows: Indices | slice) -> Columns:
        points = rows_of(rows)
        return lambda positions: kernel(rows_of(positions), points)

    return IncompleteCholesky(*_factorise(restrict, kernel.diag(table), tol, max_rank))


def pair_cholesky(
    hyperkernel: Hyperkernel,
    X: Any,
    tol: float = 1e-6,
    max_rank: int | None = None,
    n_pairs: int | None = None,
    random_state: Any = None,
) -> PairCholesky:
    """Choose the pairs of rows of `X` on which to expand a kernel (Ong 2005, section 7.1).

    The matrix of the hyperkernel on the m(m + 1)/2 distinct pairs is factored as
    `incomplete_cholesky` does; it is never formed, and memory is that of the factor.

    Parameters
    ----------
    hyperkernel : Hyperkernel
        The hyperkernel.
    X : array-like or data frame of shape (m, d)
        One point in each row.
    tol : float, default=1e-6
        Stop when the trace of the residual is at most this part of the trace.
    max_rank : int, optional
        Stop at this many pivots in any case.
    n_pairs : int, optional
        Look only at a sample of so many pairs, for large m. It is drawn uniformly, so that the
        residual stays an estimate of that on all pairs. One pair (i, i) is always among them: it
        is the end of the range of a hyperkernel of differences, which sees all of them as one.
    random_state : int, RandomState or None, default=None
        Chooses the sample.

    Examples
    --------
    >>> from kernlearn.gram import pair_cholesky
    >>> from kernlearn.hyperkernels import Harmonic
    >>> low_rank = pair_cholesky(Harmonic(), [[0.0], [1.0], [3.0]], tol=1e-2)
    >>> low_rank.pivots
    array([[0, 0],
           [0, 2]])
    >>> low_rank.factor.shape, low_rank.relative_residual <= 1e-2
    ((6, 2), True)
    """
    _check_kind(hyperkernel, Hyperkernel, "hyperkernel", "kernlearn.hyperkernels.Harmonic()")
    hyperkernel._check_parameters()
    points = check_numbers(X, "X")
    if n_pairs is not None:
        _count(n_pairs, "n_pairs")
    pairs = choose_pairs(len(points), n_pairs, random_state)
    with quiet():
        # What the hyperkernel needs to know of each pair is computed once.
        table = hyperkernel._table(points[pairs[:, 0]], points[pairs[:, 1]])

        def restrict(rows: Indices | slice) -> Columns:
            part = table[rows]
            return lambda positions: hyperkernel._evaluate(table[positions], part)

        found = _factorise(restrict, hyperkernel._diag(table), tol, max_rank)
    factor, pivots, residual_trace, relative = found
    return PairCholesky(factor, pairs[pivots], residual_trace, relative, pairs)


def _factorise(
    restrict: Restrict, diagonal: FloatArray, tol: float, max_rank: int | None
) -> tuple[FloatArray, Indices, float, float]:
    """Return the factor, the positions of the pivots, and the residual, absolute and relative."""
    limit = _check_limits(diagonal, tol, max_rank)
    trace = float(diagonal.sum())
    greedy = _Greedy(restrict, diagonal, tol * trace, limit)
    while not greedy.is_done():
        greedy.extend(*greedy.choose())
    left = float(greedy.residual.sum())
    return greedy.rows().T, greedy.pivots, left, left / trace if trace > 0 else 0.0


class _Greedy:
    """The factor while it grows, each pivot being the row with the largest residual.

    A block of pivots is chosen among the rows with the largest residuals only. Residuals never
    grow, so the choice is right until it falls below what the other rows began with. All rows
    then follow in a matrix product, where one pivot at a time would read the whole factor.
    """

    def __init__(self, restrict: Restrict, diagonal: FloatArray, target: float, limit: int) -> None:
        self.restrict, self.diagonal = restrict, diagonal
        self.target, self.limit = target, limit
        self.residual = diagonal
        self.pivots: Indices = np.empty(0, dtype=np.intp)
        # Memory is taken when it is written to, so that room that stays empty costs nothing.
        room = min(limit, max(_BLOCK, _ROOM // len(diagonal)))
        self._room: FloatArray = np.empty((room, len(diagonal)))

    def rows(self) -> FloatArray:
        """The transposed factor, one row for each pivot."""
        return self._room[: len(self.pivots)]

    def is_done(self) -> bool:
        left = self.residual.sum()
        return len(self.pivots) >= self.limit or left <= self.target or left == 0.0

    def choose(self) -> tuple[Indices, FloatArray]:
        """Return the next pivots, and the rows of the new columns of the factor at them."""
        active, bound, others = _largest(self.residual)
        columns, known = self.restrict(active), self.rows()[:, active]
        residual, diagonal = self.residual[active], self.diagonal[active]
        local: FloatArray = np.empty((min(_BLOCK, self.limit - len(self.pivots)), len(active)))
        chosen: list[int] = []
        for done in range(len(local)):
            best = int(residual.argmax())
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
        return active[chosen], np.tril(local[: len(chosen), chosen].T)

    def extend(self, chosen: Indices, corner: FloatArray) -> None:
        """Add the columns of the chosen pivots, up to the one that reaches the target."""
        columns = _checked(self.restrict(slice(None))(chosen))
        known = self.rows()
        block = known[:, chosen].T @ known
        np.subtract(columns, block, out=block)
        # In place: the transposes are how BLAS sees these arrays.
        block = dtrsm(1.0, corner, block.T, side=1, lower=1, trans_a=1, overwrite_b=1).T
        gains = np.cumsum(np.einsum("ij,ij->i", block, block))
        needed = float(self.residual.sum()) - self.target
        count = 1 + int(np.searchsorted(gains[:-1], needed))
        self._append(block[:count])
        self.pivots = np.concatenate([self.pivots, chosen[:count]])
        self.residual = _reduced(self.residual, block[:count], chosen[:count], self.diagonal)

    def _append(self, block: FloatArray) -> None:
        start, stop = len(self.pivots), len(self.pivots) + len(block)
        if stop > len(self._room):
            # Doubled, so that copying takes no longer than filling.
            larger = np.empty((min(self.limit, 2 * stop), self._room.shape[1]))
            larger[:start] = self._room[:start]
            self._room = larger
        self._room[start:stop] = block


def _largest(residual: FloatArray) -> tuple[Indices, float, float]:
    """The rows with the largest residuals; the largest of all others, and their sum."""
    count = max(_FEW, len(residual) // _PART)
    if count >= len(residual):
        return np.arange(len(residual)), 0.0, 0.0
    order = np.argpartition(-residual, count)
    others = residual[order[count:]]
    # In order and with the first of all the largest, so that among equals the first is chosen.
    active = np.union1d(order[:count], residual.argmax())
    return active, float(others[0]), float(others.sum())


def _checked(columns: FloatArray) -> FloatArray:
    return check_finite(columns, "The columns of the kernel")


def _reduced(
    residual: FloatArray, block: FloatArray, pivots: Indices | list[int], diagonal: FloatArray
) -> FloatArray:
    """The residual after the new rows of the factor; what is only rounding becomes zero."""
    reduced: FloatArray = residual - np.einsum("ij,ij->j", block, block)
    # Even if diagonal and columns disagree, no pivot is chosen twice.
    reduced[pivots] = 0.0
    if (reduced < -_INDEFINITE * diagonal - _ROUNDING * diagonal.max()).any():
        raise ValueError(
            "The kernel must be positive semidefinite for a Cholesky factor, got a residual of "
            f"{reduced.min():.3g} on the diagonal; run kernlearn.testing.check_kernel or "
            "check_hyperkernel on it."
        )
    reduced[reduced <= _ROUNDING * diagonal] = 0.0
    return reduced


def _check_limits(diagonal: FloatArray, tol: Any, max_rank: Any) -> int:
    """The largest rank allowed, once `tol`, `max_rank` and the diagonal are found right."""
    if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 <= float(tol) < 1:
        raise ValueError(
            f"tol must be a number from 0 to below 1, a part of the trace, got {tol!r}; 1e-6 is "
            "usual."
        )
    check_finite(diagonal, "The diagonal of the kernel")
    if diagonal.min() < -_ROUNDING * np.abs(diagonal).max():
        raise ValueError(
            "The kernel must be positive semidefinite for a Cholesky factor, got "
            f"{diagonal.min():.3g} on its diagonal; run kernlearn.testing.check_kernel or "
            "check_hyperkernel on it."
        )
    n = len(diagonal)
    return n if max_rank is None else min(n, _count(max_rank, "max_rank"))


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"{name} must be a positive integer or None, got {value!r}; leave it out for no limit."
        )
    return int(value)


def _check_kind(value: Any, kind: type, name: str, example: str) -> None:
    if not isinstance(value, kind):
        raise ValueError(
            f"{name} must be a {kind.__name__} object, got {value!r}; pass for example {example}."
        )
