"""Completions in closed form, where the graph of known entries is chordal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from kernlearn.typing import Array, Mask


def elimination_order(known: Mask) -> NDArray[np.intp] | None:
    """Return an order in which each point's known entries with earlier points are a full block.

    Each time, the point with most known entries among those taken comes next (maximum cardinality
    search); if the graph is chordal, this order has the property, and otherwise none has it.
    """
    n = len(known)
    counts = np.zeros(n, dtype=np.intp)
    taken = np.zeros(n, dtype=bool)
    order = np.empty(n, dtype=np.intp)
    for step in range(n):
        point = int(np.argmax(np.where(taken, -1, counts)))
        earlier = np.flatnonzero(known[point] & taken)
        if not known[np.ix_(earlier, earlier)].all():
            return None
        order[step] = point
        taken[point] = True
        counts[known[point]] += 1
    return order


def chordal_completion(K: Array, known: Mask, order: NDArray[np.intp]) -> Array:
    r"""Fill in row after row; `K` is zero where it is unknown.

    A point v that is known with the points N of those taken, P, depends on the others only through
    N when the determinant is largest: :math:`X_{vP} = K_{vN} K_{NN}^{-1} X_{NP}`.
    """
    X = K.copy()
    for step, v in enumerate(order):
        taken = order[:step]
        near = taken[known[v, taken]]
        far = taken[~known[v, taken]]
        if not len(near):
            _check_schur(float(K[v, v]), float(K[v, v]))
            continue
        # The block is positive definite, since each of its points passed the check below.
        slopes = cho_solve(cho_factor(X[np.ix_(near, near)], lower=True), K[near, v])
        _check_schur(float(K[v, v] - K[v, near] @ slopes), float(K[v, v]))
        X[v, far] = X[far, v] = slopes @ X[np.ix_(near, far)]
    return X


def _check_schur(rest: float, whole: float) -> None:
    if not rest > 1e-12 * whole:
        raise ValueError(
            "K must be positive definite where it is known, got a block that is not; no completion "
            "has a positive determinant: add a small multiple of the identity."
        )
