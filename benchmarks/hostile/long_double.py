"""Plain NumPy in the longest floats of the machine: what fits are judged with.

Nothing here uses the solvers.
"""

from __future__ import annotations

import numpy as np

from kernlearn.testing.certificate.definitions import Number, long
from kernlearn.typing import Indices, LongArray

__all__ = [
    "EPSILON", "Number", "best_intercept", "held_out", "least_squares_machine", "long", "solve",
]  # fmt: skip

EPSILON = float(np.finfo(np.float64).eps)


def solve(A: LongArray, B: LongArray) -> LongArray:
    """Solve AX = B by Gaussian elimination with partial pivoting."""
    A, B = long(A).copy(), long(B).copy()
    n = len(A)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, pivot]], B[[k, pivot]] = A[[pivot, k]], B[[pivot, k]]
        factors = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= factors[:, None] * A[k]
        B[k + 1 :] -= factors[:, None] * B[k]
    for k in range(n - 1, -1, -1):
        B[k] = (B[k] - A[k, k + 1 :] @ B[k + 1 :]) / A[k, k]
    return B


def least_squares_machine(
    K: LongArray, Y: LongArray, ridge: LongArray
) -> tuple[LongArray, LongArray]:
    """The α of shape (n, k) and b of shape (k,) of equation (3) of Cawley and Talbot (2014)."""
    n = len(K)
    bordered = np.ones((n + 1, n + 1), dtype=np.longdouble)
    bordered[:n, :n] = K + np.diag(ridge)
    bordered[n, n] = 0.0
    solution = solve(bordered, np.vstack([long(Y), long(np.zeros((1, Y.shape[1])))]))
    return solution[:n], solution[n]


def held_out(K: LongArray, Y: LongArray, ridge: LongArray, folds: list[Indices]) -> LongArray:
    """Predictions for every fold by a machine trained on all other points."""
    predictions = np.zeros(Y.shape, dtype=np.longdouble)
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(K)), fold)
        alpha, b = least_squares_machine(K[np.ix_(rest, rest)], Y[rest], ridge[rest])
        predictions[fold] = K[np.ix_(fold, rest)] @ alpha + b
    return predictions


def best_intercept(f: LongArray, labels: LongArray) -> Number:
    """A b that minimises Σ [1 − t(f + b)]₊: the best of its breakpoints."""
    candidates = labels - f
    losses = np.maximum(1 - labels * (f + candidates[:, None]), 0).sum(axis=1)
    return candidates[int(np.argmin(losses))]
