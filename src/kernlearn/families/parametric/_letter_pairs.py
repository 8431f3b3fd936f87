r"""Sums over pairs of words of sequences, and matrices :math:`S = R^2` by their roots.

Rows hold a block :math:`u_b` of columns for every position b, and a matrix acts on each of them. A
symmetric matrix is packed into its upper triangle, off the diagonal times :math:`\sqrt2`: the inner
product of two is that of their matrices. Axes before those of a matrix are carried along.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from kernlearn.typing import Array

# Numbers that hold the pairs of words of some rows with all others.
_BLOCK = 4_000_000
_ROOT_2 = float(np.sqrt(2.0))


def word_blocks(X: Array, matrix: Array) -> Array:
    """Rows with an axis for their blocks, whose width is that of the matrix."""
    return X.reshape(len(X), -1, len(matrix))


def from_symmetric(matrix: Array) -> Array:
    """The vector of the symmetric part of a matrix."""
    symmetric = 0.5 * (matrix + np.matrix_transpose(matrix))
    rows, columns = np.triu_indices(matrix.shape[-1])
    return np.asarray(symmetric[..., rows, columns] * np.where(rows == columns, 1.0, _ROOT_2))


def to_symmetric(vector: Array) -> Array:
    """The symmetric matrix of a vector."""
    size = int((np.sqrt(8 * vector.shape[-1] + 1) - 1) / 2 + 0.5)
    rows, columns = np.triu_indices(size)
    matrix = np.zeros((*vector.shape[:-1], size, size))
    matrix[..., rows, columns] = vector / np.where(rows == columns, 1.0, _ROOT_2)
    matrix[..., columns, rows] = matrix[..., rows, columns]
    return matrix


def slope_by_root(slope: Array, R: Array) -> Array:
    r"""The slope by R of a function with slope G by S: from :math:`dS = R\,dR + dR\,R`."""
    symmetric = 0.5 * (slope + np.matrix_transpose(slope))
    return np.asarray(symmetric @ R + R @ symmetric)


def twice_by_root(slope: Array) -> Array:
    r"""All of :math:`\langle G, E_rE_s + E_sE_r\rangle`, E the matrices of the unit vectors."""
    symmetric = 0.5 * (slope + slope.T)
    basis = _basis(len(slope))
    moved = symmetric @ basis
    found = moved.reshape(len(basis), -1) @ basis.reshape(len(basis), -1).T
    return np.asarray(found + found.T)


@cache
def _basis(size: int) -> Array:
    """The symmetric matrices of the unit vectors."""
    return to_symmetric(np.eye(size * (size + 1) // 2))


def moved_basis(R: Array) -> Array:
    """The packed change of S with every entry of the packed R, as rows."""
    return from_symmetric(slope_by_root(_basis(len(R)), R))


def word_forms(X: Array, W: Array, Y: Array | None, matrix: Array) -> Array:
    r"""The sum over positions of :math:`U_b^T W V_b`, with the width of the matrix."""
    m = len(matrix)
    return np.asarray(X.reshape(-1, m).T @ (W @ (X if Y is None else Y)).reshape(-1, m))


def pair_forms(X: Array, W: Array, R: Array) -> Array:
    r"""All of :math:`\sum_{ij} W_{ij} s_{ij,r} s_{ij,s}`, s by the entries of the packed root."""
    n, m = len(X), len(R)
    blocks = word_blocks(X, R)
    all_words = np.ascontiguousarray(blocks.transpose(1, 0, 2)).reshape(blocks.shape[1], -1)
    found = np.zeros((m * (m + 1) // 2,) * 2)
    step = max(1, _BLOCK // (n * m * m))
    for first in range(0, n, step):
        some = blocks[first : first + step].transpose(0, 2, 1)
        counts = (some @ all_words).reshape(len(some), m, n, m).transpose(0, 2, 1, 3)
        pairs = from_symmetric(counts).reshape(-1, len(found))
        found += pairs.T @ (W[first : first + step].reshape(-1, 1) * pairs)
    moved = moved_basis(R)
    return np.asarray(moved @ found @ moved.T)
