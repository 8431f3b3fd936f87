"""Pivoted incomplete Cholesky: a low-rank factor from a few columns, for points and for pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from kernlearn.gram._pivoted_cholesky import (
    GREEDY,
    Columns,
    GreedyOptions,
    Restrict,
    check_count,
    factorise,
)
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import check_points, choose_pairs, quiet
from kernlearn.kernels import Kernel
from kernlearn.kernels._validation import check_table, take_rows
from kernlearn.runtime.memory import matrices, require
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, RandomState, Rows


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

    factor: Array
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
        The trace of the residual, over the pairs that were looked at.
    pairs : ndarray of shape (n_pairs, 2)
        Pair (i, j), i ≤ j, of each row of the factor.
    sections : ndarray of shape (r, n_pairs) or None
        The hyperkernel between the pivots and all pairs, if these are few.
    """

    pairs: Indices
    sections: Array | None = field(default=None, repr=False)

    def grams(self) -> Array | None:
        """The sections of the pivots as Gram matrices of the points; None if not all are known."""
        n = int(self.pairs[-1, 1]) + 1
        if self.sections is None or len(self.pairs) < n * (n + 1) // 2:
            return None
        first, second = self.pairs.T
        grams = np.empty((len(self.sections), n, n))
        grams[:, first, second] = grams[:, second, first] = self.sections
        return grams


def incomplete_cholesky(
    kernel: Kernel, X: Rows, tol: float = 1e-6, max_rank: int | None = None
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
    check_kind(kernel, Kernel, "kernel", "kernlearn.kernels.Gaussian()")
    table = check_table(X, "X")
    found = factorise(columns_of(kernel, table), kernel.diag(table), tol, max_rank)
    return IncompleteCholesky(*found)


def columns_of(kernel: Kernel, table: Rows) -> Restrict:
    """The columns of a Gram matrix that is never formed, as `factorise` requests them."""

    def restrict(rows: Indices | slice) -> Columns:
        points = take_rows(table, rows)
        return lambda positions: kernel(take_rows(table, positions), points)

    return restrict


def pair_cholesky(
    hyperkernel: Hyperkernel,
    X: Rows,
    tol: float = 1e-6,
    max_rank: int | None = None,
    n_pairs: int | None = None,
    random_state: RandomState = 0,
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
        Look only at a sample of this many pairs, for large m. It is drawn uniformly, so that the
        residual stays an estimate of that on all pairs. One pair (i, i) is always among them: it
        is the end of the range of a hyperkernel of differences, which sees all of them as one.
    random_state : int, RandomState or None, default=0
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
    return checked_pair_cholesky(hyperkernel, X, tol, max_rank, n_pairs, random_state)


def checked_pair_cholesky(
    hyperkernel: Hyperkernel,
    X: Rows,
    tol: float,
    max_rank: int | None,
    n_pairs: int | None,
    random_state: RandomState,
    also: Callable[[int], None] = lambda n_pivots: None,
    options: GreedyOptions = GREEDY,
) -> PairCholesky:
    """`pair_cholesky`; `also` is called with the number of pivots before each block."""
    check_kind(hyperkernel, Hyperkernel, "hyperkernel", "kernlearn.hyperkernels.Harmonic()")
    hyperkernel._check_parameters()
    points = check_points(X, "X", hyperkernel.takes_things)
    n_features = points.shape[1] if points.ndim == 2 else 1
    if n_pairs is not None:
        check_count(n_pairs, "n_pairs")
    total = len(points) * (len(points) + 1) // 2
    count = total if n_pairs is None else min(n_pairs, total)

    def check(n_pivots: int) -> None:
        require(
            _factor_bytes(count, n_pivots, n_features, options),
            f"a factor of {counted(count, 'pair')} of points with {n_pivots} pivots",
            "pass n_pairs, for example n_pairs=20000, a lower limit on pivots, or fewer points",
        )
        also(n_pivots)

    check(1)
    pairs = choose_pairs(len(points), n_pairs, random_state)
    with quiet():
        # The table of each pair for the hyperkernel is computed once.
        table, diagonal = _pair_table(hyperkernel, points, pairs, options)
        known: dict[int, Array] = {}

        def restrict(rows: Indices | slice) -> Columns:
            part = table[rows]
            if len(pairs) > options.whole:
                return lambda positions: hyperkernel._evaluate(table[positions], part)
            part = np.asfortranarray(part)  # which is how it is read, once for every pivot

            def columns(positions: Indices) -> Array:
                values = hyperkernel._evaluate(table[positions], part)
                known.update(zip(positions.tolist(), values.copy(), strict=True))
                return values

            return columns

        found = factorise(restrict, diagonal, tol, max_rank, None, check, options)
    factor, pivots, residual_trace, relative = found
    sections = np.array([known[p] for p in pivots.tolist()]) if known else None
    return PairCholesky(factor, pairs[pivots], residual_trace, relative, pairs, sections)


def _factor_bytes(n_pairs: int, n_pivots: int, n_features: int, options: GreedyOptions) -> float:
    """Bytes of the pairs, of the factor with its spare room, and of the arrays beside it."""
    beside = 3 * min(n_pairs, options.rows_at_a_time) * (n_features + min(n_pivots, 64))
    if n_pairs <= options.whole:
        beside += 2 * n_pairs * n_pivots  # the sections, once more when they are put together
    return matrices(1, n_pairs, 12 + 2 * n_features + n_pivots + n_pivots // 8) + 8.0 * beside


def _pair_table(
    hyperkernel: Hyperkernel, points: Array, pairs: Indices, options: GreedyOptions
) -> tuple[Array, Array]:
    """The table of each pair for the hyperkernel, and its diagonal, block by block."""
    table, diagonal = np.empty(0), np.empty(len(pairs))
    for start in range(0, len(pairs), options.rows_at_a_time):
        rows = slice(start, start + options.rows_at_a_time)
        piece = hyperkernel._table_of_rows(points, pairs[rows])
        if len(piece) == len(pairs):
            return piece, hyperkernel._diag(piece)
        if start == 0:
            table = np.empty((len(pairs), *piece.shape[1:]), dtype=piece.dtype)
        table[rows], diagonal[rows] = piece, hyperkernel._diag(piece)
    return table, diagonal


def check_kind(value: object, kind: type, name: str, example: str) -> None:
    """Refuse an object of another class than kernels, or hyperkernels."""
    if not isinstance(value, kind):
        raise ValueError(
            f"{name} must be a {kind.__name__} object, got {value!r}; pass for example {example}."
        )
