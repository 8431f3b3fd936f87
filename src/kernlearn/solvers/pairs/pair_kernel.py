r"""The kernel on pairs: the span of its sections, in one of two coordinates.

Few pairs have their matrix K, and :math:`w = \alpha` with :math:`\|w\|^2 = w^\top K w`. Many have
an incomplete factor, :math:`K \approx GG^\top`, and :math:`w = G^\top\alpha` with the plain norm.

Both compute in the precision of their arguments and bound the rounding error: a sum
of m products, in any order, is wrong by at most mε times the sum of their sizes (Higham 2002,
section 3.1), and entries of K are at most :math:`\sqrt{K_{pp} K_{qq}}`. With
:math:`S = \sum_p |\alpha_p| \sqrt{K_{pp}}` the value at p is then wrong by at most
:math:`\gamma\sqrt{K_{pp}}\,S`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor
from kernlearn.gram._pivoted_cholesky import Columns, factorise
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import quiet
from kernlearn.kernels._matrices import exactly_symmetric
from kernlearn.typing import Array, Indices, Scalar

_ALL = slice(None)
# With fewer coefficients than this part of all, only their rows of the factor are read.
_FEW = 0.1
# LAPACK's eigenvalues of a symmetric matrix are right to a few ε of the largest.
_EIGENVALUES = 4.0 * np.finfo(float).eps
# Up to this many pairs a program has the whole matrix: the factor would take longer to find than
# it saves.
FEW_PAIRS = 400
# A section shorter than the root of this part of the longest is lost to underflow, and taken to be
# zero.
_VANISHING = 1e-280
# A least eigenvalue below minus this, with a unit diagonal, is no rounding.
_INDEFINITE = 1e-6
# The residual of a factor is known up to this part of the diagonal.
_ROUNDING = 1e-12


class DensePairKernel:
    """The matrix K of the pairs, (n_pairs, n_pairs).

    Sums from coefficients to values have at most `terms` terms. `residual` is the diagonal of what
    K leaves out of the matrix that it stands for, and K + `defect` diag(K) ⪰ 0.
    """

    def __init__(self, K: Array) -> None:
        self.K = K
        self.n_pairs = self.terms = len(K)
        self.residual = np.zeros(len(K))

    @cached_property
    def lengths(self) -> Array:
        """The norms of the sections."""
        return np.sqrt(self.K.diagonal())

    @cached_property
    def defect(self) -> float:
        """Bound on the rounding of the least eigenvalue, relative to the diagonal."""
        used = self.lengths > 0
        if not used.any():
            return 0.0
        lengths = self.lengths[used]
        # One after the other: the product of two lengths may be below the least number.
        K = self.K if used.all() else self.K[np.ix_(used, used)]
        unit = K / lengths / lengths[:, None]
        if _surely_psd(unit):
            return 0.0
        eigenvalues = np.linalg.eigvalsh(unit)
        return max(-float(eigenvalues[0]), 0.0) + _EIGENVALUES * float(eigenvalues[-1])

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no entry is negative."""
        return bool(self.K.min() >= 0)

    @cached_property
    def factored(self) -> FactorPairKernel:
        """The complete factor of K, up to rounding, by pivots."""
        factor, pivots, *_ = factorise(
            lambda rows: lambda chosen: self.K[chosen][:, rows], self.diagonal(), 0.0, None
        )
        return FactorPairKernel(factor, pivots)

    def diagonal(self) -> Array:
        """The diagonal of K."""
        return self.K.diagonal()

    def block(self, rows: Indices, columns: Indices) -> Array:
        """A part of K."""
        return self.K[rows[:, None], columns]

    def lift(self, coef: Array) -> Array:
        """The coefficients themselves."""
        return coef

    def values(self, w: Array, rows: Indices | slice = _ALL) -> Array:
        """K w."""
        return np.asarray(self.K[rows] @ w)

    def squared_norm(self, w: Array) -> Scalar:
        """‖w‖² = wᵀKw, as a scalar of w's precision."""
        return w @ (self.K @ w)

    def norm_error(self, size: Scalar, square: Scalar, gamma: float) -> Scalar:
        """Bound on the rounding of ‖w‖²: every value is wrong by γ√K_pp S."""
        return gamma * size * size

    def restricted(self, rows: Indices) -> DensePairKernel:
        """The matrix of some of the pairs."""
        return DensePairKernel(self.block(rows, rows))


def _surely_psd(unit: Array) -> bool:
    """Whether a Cholesky factor proves a matrix of unit diagonal, known to rounding, to be so.

    A factor in numbers is that of a matrix whose entries differ by at most (n + 1)ε from the given
    ones (Higham 2002, section 10.1), so that n(n + 1)ε less on the diagonal must leave one.
    """
    n = len(unit)
    less = unit.copy()
    less.flat[:: n + 1] -= n * (n + 8) * np.finfo(float).eps
    try:
        lower_factor(less)
    except LinAlgError:
        return False
    return True


class FactorPairKernel:
    """A factor G of shape (n_pairs, r) whose rows `pivots` are lower triangular.

    It is fastest as the transpose of a C-ordered array. The rest is as in `DensePairKernel`.
    """

    defect = 0.0
    nonnegative = False

    def __init__(self, factor: Array, pivots: Indices, residual: Array | None = None) -> None:
        self.factor, self.pivots = factor, pivots
        self.n_pairs = len(factor)
        self.terms = sum(factor.shape)
        self.residual = np.zeros(len(factor)) if residual is None else residual

    @cached_property
    def lengths(self) -> Array:
        """The lengths of the rows of G."""
        return np.sqrt(self.diagonal())

    @property
    def factored(self) -> FactorPairKernel:
        """Itself."""
        return self

    def diagonal(self) -> Array:
        """The squared lengths of the rows of G."""
        return np.asarray(np.einsum("ij,ij->i", self.factor, self.factor))

    def block(self, rows: Indices, columns: Indices) -> Array:
        """A part of GGᵀ."""
        return np.asarray(self.factor[rows] @ self.factor[columns].T)

    def lift(self, coef: Array) -> Array:
        """Return Gᵀα."""
        used = np.flatnonzero(coef)
        if len(used) < _FEW * len(coef):
            return times_transpose(self.factor[used], coef[used])
        return times_transpose(self.factor, coef)

    def values(self, w: Array, rows: Indices | slice = _ALL) -> Array:
        """G w."""
        return times_factor(self.factor[rows], w)

    def squared_norm(self, w: Array) -> Scalar:
        """‖w‖² = wᵀw, as a scalar of w's precision."""
        return w @ w

    def norm_error(self, size: Scalar, square: Scalar, gamma: float) -> Scalar:
        """Bound on the rounding of ‖w‖² = `square`: w is wrong by γS in length."""
        moved = gamma * size
        return moved * (2.0 * np.sqrt(square) + moved) + gamma * square

    def restricted(self, rows: Indices) -> FactorPairKernel:
        """Some rows of the factor; none of them counts as a pivot."""
        return FactorPairKernel(np.ascontiguousarray(self.factor.T[:, rows]).T, np.arange(0))


PairKernel: TypeAlias = DensePairKernel | FactorPairKernel


def pair_kernel(
    hyperkernel: Hyperkernel,
    points: Array,
    pairs: Indices,
    tol: float,
    max_rank: int | None,
    few_pairs: int = FEW_PAIRS,
) -> tuple[PairKernel, float]:
    """The kernel of the sections at the pairs, and the part of the trace that it leaves out.

    Inputs are checked. No more than `few_pairs` sections keep the whole matrix.
    """
    hyperkernel._check_parameters()
    with quiet():
        # The table of each pair for the hyperkernel is computed once.
        table = hyperkernel._table_of_rows(points, pairs)
        if len(pairs) <= few_pairs:
            K = hyperkernel._evaluate(table, table)
            hyperkernel._check_values(K)
            return _whole(exactly_symmetric(K, "The matrix of the hyperkernel")), 0.0

        def restrict(rows: Indices | slice) -> Columns:
            part = table[rows]
            return lambda positions: hyperkernel._evaluate(table[positions], part)

        diagonal = hyperkernel._diag(table)
        factor, pivots, _, left = factorise(restrict, diagonal, tol, max_rank)
    residual = diagonal - np.einsum("ij,ij->i", factor, factor)
    residual = np.maximum(residual, 0.0) + _ROUNDING * np.abs(diagonal)
    return FactorPairKernel(factor, pivots, residual), left


def _whole(K: Array) -> DensePairKernel:
    """The kernel of a matrix, refused if it is indefinite beyond rounding."""
    diagonal = K.diagonal()
    largest = float(np.abs(diagonal).max())
    vanish = np.abs(diagonal) <= _VANISHING * largest
    # No entry is above the root of the product of its two diagonal entries.
    stray = float(np.abs(K[vanish]).max(initial=0.0))
    least = -stray if stray > 2.0 * np.sqrt(_VANISHING) * largest else float(diagonal.min())
    kernel = DensePairKernel(np.where(vanish | vanish[:, None], 0.0, K) if vanish.any() else K)
    if least < -_VANISHING * largest or kernel.defect > _INDEFINITE:
        raise ValueError(
            "The hyperkernel must be positive semidefinite on the pairs, got an eigenvalue of "
            f"about {min(least, -kernel.defect * largest):.3g}; run "
            "kernlearn.testing.check_hyperkernel on it."
        )
    return kernel


# Rows handled together by the weighted product: r of them fit in cache for r of a few hundred.
_BLOCK = 4096


def times_factor(factor: Array, vectors: Array) -> Array:
    """G v, or G V for vectors in columns, in their precision."""
    if vectors.dtype == factor.dtype:
        return np.asarray(vectors.T @ factor.T).T
    # The factor in more digits would take twice the memory, so it is read in blocks.
    blocks = [vectors.T @ factor[rows].T for rows in _blocks(len(factor))]
    return np.concatenate(blocks, axis=-1).T


def times_transpose(factor: Array, vectors: Array) -> Array:
    """Gᵀ v, or GᵀV for vectors in columns, in their precision."""
    if vectors.dtype == factor.dtype:
        return np.asarray(factor.T @ vectors)
    total = np.zeros((factor.shape[1], *vectors.shape[1:]), dtype=vectors.dtype)
    for rows in _blocks(len(factor)):
        total += factor[rows].T @ vectors[rows]
    return total


def _blocks(n: int) -> list[slice]:
    return [slice(start, start + _BLOCK) for start in range(0, n, _BLOCK)]


def weighted_gram(factor: Array, weights: Array, centre: Array | None = None) -> Array:
    """(G − 1cᵀ)ᵀ D (G − 1cᵀ) for positive weights in D, in memory of one block of rows."""
    roots = np.sqrt(weights)
    n, r = factor.shape
    total: Array | None = None
    for rows in _blocks(n):
        part = factor[rows].T
        block = (part if centre is None else part - centre[:, None]) * roots[rows]
        # Both operands are one array, which BLAS multiplies in half the time.
        product = block @ block.T
        total = product if total is None else np.add(total, product, out=total)
    return np.zeros((r, r)) if total is None else total
