"""
The linear matrix inequalities of the semidefinite programs.

Matrices that share a null space (few features, a family of rank-one kernels, points that coincide)
leave an LMI without an interior, and an interior-point solver with half its digits. The inequality
is then stated on their common range, which says the same: a matrix that vanishes off a subspace is
positive semidefinite if and only if it is so on the subspace, and the borders of a positive
semidefinite matrix vanish where its block does. Without such a null space it stands as printed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._family import GramFamily

# Singular values below this fraction of the largest are rounding. Anything larger counts: at a
# large C, even a direction with an eigenvalue of 1e-10 bears on the margin.
_ROUNDING = 1e-13


def positive_semidefinite(family: GramFamily, mu: Any) -> Any:
    """The constraint Σ μᵢKᵢ ⪰ 0 on all points, labelled and unlabelled."""
    inside, _ = common_range(family.grams)
    return combination(_congruent(family.grams, inside), mu) >> 0


def margin_lmi(
    family: GramFamily, mu: Any, column: Any, corner: Any, ridge: Any = None
) -> list[Any]:
    """
    The LMI ``[[G(Σ μᵢKᵢ,tr) + ridge·I, column], [columnᵀ, corner]] ⪰ 0`` as constraints.

    With a ridge the block has full rank, and the LMI stands as printed.
    """
    n = family.n_labelled
    signed = family.grams[:, :n, :n] * np.outer(family.y, family.y)
    if ridge is not None:
        return [schur(combination(signed, mu) + ridge * np.eye(n), column, corner) >> 0]
    inside, outside = common_range(signed)
    block = combination(_congruent(signed, inside), mu)
    vanishing = [outside.T @ column == 0] if outside.shape[1] else []
    return [schur(block, inside.T @ column, corner) >> 0, *vanishing]


def whitened_lmi(
    stack: NDArray[np.float64],
    beta: Any,
    column: Any,
    corner: Any,
    fixed: NDArray[np.float64] | None = None,
) -> list[Any]:
    """
    The LMI ``[[Σ βᵢ stackᵢ + fixed, column], [columnᵀ, corner]] ⪰ 0``, for β ≥ 0, as constraints.

    The matrices are positive semidefinite, so that their common range is that of their mean. The
    LMI is stated in a basis of it in which the mean is the identity, a congruence: smooth kernels
    have eigenvalues down to rounding, and on them an interior-point solver otherwise calls values
    optimal that are wrong by per cents.
    """
    always = np.zeros(stack.shape[1:]) if fixed is None else fixed
    eigenvalues, eigenvectors = np.linalg.eigh(stack.mean(axis=0) + always)
    kept = eigenvalues > _ROUNDING * eigenvalues[-1]
    basis = eigenvectors[:, kept] / np.sqrt(eigenvalues[kept])
    outside = eigenvectors[:, ~kept]
    block = combination(_congruent(stack, basis), beta) + basis.T @ always @ basis
    vanishing = [outside.T @ column == 0] if outside.shape[1] else []
    return [schur(block, basis.T @ column, corner) >> 0, *vanishing]


def schur(block: Any, column: Any, corner: Any) -> Any:
    """The symmetric matrix ``[[block, column], [columnᵀ, corner]]``."""
    cp = load_cvxpy()
    edge = cp.reshape(column, (column.shape[0], 1), order="C")
    return cp.bmat([[block, edge], [edge.T, cp.reshape(corner, (1, 1), order="C")]])


def common_range(
    stack: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """
    Orthonormal bases, in columns, of the common range of symmetric matrices and of its complement.

    Matrices without a common null space keep their coordinates: the first basis is the identity.
    """
    n = stack.shape[1]
    # Each matrix at its own scale, so that a small one is not taken for rounding of a large one.
    scales = np.abs(stack).max(axis=(1, 2), keepdims=True)
    scaled = stack / np.where(scales > 0.0, scales, 1.0)
    left, singular_values, _ = np.linalg.svd(scaled.transpose(1, 0, 2).reshape(n, -1))
    rank = int(np.count_nonzero(singular_values > _ROUNDING * singular_values[0]))
    if rank == n:
        return np.eye(n), np.empty((n, 0))
    return left[:, :rank], left[:, rank:]


def _congruent(stack: NDArray[np.float64], basis: NDArray[np.float64]) -> NDArray[np.float64]:
    inner: NDArray[np.float64] = basis.T @ stack @ basis
    return inner


def combination(stack: NDArray[np.float64], mu: Any) -> Any:
    """Σ μᵢ times the matrices of the stack, as a CVXPY expression."""
    m, n, _ = stack.shape
    return load_cvxpy().reshape(stack.reshape(m, -1).T @ mu, (n, n), order="C")
