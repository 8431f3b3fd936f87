"""
The linear matrix inequalities of the semidefinite programs.

Matrices that share a null space (few features, a family of rank-one kernels, points that coincide)
leave an LMI without an interior, and an interior-point solver with half its digits. The inequality
is then stated on their common range, which says the same: a matrix that vanishes off a subspace is
positive semidefinite if and only if it is so on the subspace, and the borders of a positive
semidefinite matrix vanish where its block does. Without such a null space it stands as printed.
"""

from __future__ import annotations

import numpy as np

from kernlearn.reference._cvxpy import Expression, load_cvxpy
from kernlearn.typing import Array

# Singular values below this fraction of the largest are rounding. Anything larger counts: at a
# large C, even a direction with an eigenvalue of 1e-10 matters to the margin.
_ROUNDING = 1e-13


def positive_semidefinite(stack: Array, mu: Expression) -> Expression:
    """The constraint Σ μᵢKᵢ ⪰ 0."""
    inside, _ = _common_range(stack)
    return combination(inside.T @ stack @ inside, mu) >> 0


def margin_lmi(
    stack: Array, mu: Expression, column: Expression, corner: Expression, ridge: Expression = None
) -> list[Expression]:
    """
    The LMI ``[[Σ μᵢ stackᵢ + ridge·I, column], [columnᵀ, corner]] ⪰ 0`` as constraints.

    With a ridge the block has full rank, and the LMI stands as printed.
    """
    if ridge is not None:
        block = combination(stack, mu) + ridge * np.eye(stack.shape[1])
        return [_schur(block, column, corner) >> 0]
    inside, outside = _common_range(stack)
    return _lmi_on_range(
        inside, outside, combination(inside.T @ stack @ inside, mu), column, corner
    )


def whitened_lmi(
    stack: Array, beta: Expression, column: Expression, corner: Expression, fixed: Array | float
) -> list[Expression]:
    """
    The LMI ``[[Σ βᵢ stackᵢ + fixed, column], [columnᵀ, corner]] ⪰ 0``, for β ≥ 0, as constraints.

    The matrices are positive semidefinite, so that their common range is that of their mean. The
    LMI is stated in a basis of it in which the mean is the identity, a congruence: smooth kernels
    have eigenvalues down to rounding, and on them an interior-point solver otherwise calls values
    optimal that are wrong by per cents.
    """
    always = np.zeros(stack.shape[1:]) + fixed
    eigenvalues, eigenvectors = np.linalg.eigh(stack.mean(axis=0) + always)
    kept = eigenvalues > _ROUNDING * eigenvalues[-1]
    basis = eigenvectors[:, kept] / np.sqrt(eigenvalues[kept])
    block = combination(basis.T @ stack @ basis, beta) + basis.T @ always @ basis
    return _lmi_on_range(basis, eigenvectors[:, ~kept], block, column, corner)


def combination(stack: Array, mu: Expression) -> Expression:
    """Σ μᵢ times the matrices of the stack, as a CVXPY expression."""
    m, n, _ = stack.shape
    return load_cvxpy().reshape(stack.reshape(m, -1).T @ mu, (n, n), order="C")


def square_root(matrix: Array) -> Array:
    """
    Return the symmetric F with F F = `matrix`, a positive semidefinite one up to rounding.

    The symmetric root rather than a factor of full rank: its rows are alike in size, and Clarabel
    reaches tight tolerances on it about twice as often.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(matrix)
    roots = np.sqrt(np.clip(eigenvalues, 0.0, None))
    factor: Array = (eigenvectors * roots) @ eigenvectors.T
    return factor


def _lmi_on_range(
    inside: Array, outside: Array, block: Expression, column: Expression, corner: Expression
) -> list[Expression]:
    vanishing = [outside.T @ column == 0] if outside.shape[1] else []
    return [_schur(block, inside.T @ column, corner) >> 0, *vanishing]


def _schur(block: Expression, column: Expression, corner: Expression) -> Expression:
    """The symmetric matrix ``[[block, column], [columnᵀ, corner]]``."""
    cp = load_cvxpy()
    edge = cp.reshape(column, (column.shape[0], 1), order="C")
    return cp.bmat([[block, edge], [edge.T, cp.reshape(corner, (1, 1), order="C")]])


def _common_range(stack: Array) -> tuple[Array, Array]:
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
