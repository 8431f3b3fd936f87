"""Products with a tall factor, a block of rows at a time.

The factor of incomplete Cholesky is the transpose of a C-ordered array, so that a block of its
rows is a block of columns there.
"""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Array

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
