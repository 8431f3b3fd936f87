"""Determinants |I + S| of sums of three rank-one matrices, for all pairs of two tables."""

from __future__ import annotations

import numpy as np

from kernlearn.typing import Array

# The products lose log₁₀ of (the size of their largest term / the determinant) digits: below three
# the entry stays, else it is computed again, by a factorisation that loses half as many.
_SAFE_RATIO = 1e-3
# Numbers held at a time by that second computation.
_MOST_NUMBERS = 2_000_000


def log_determinants(halves: Array, means: Array, other_halves: Array, other_means: Array) -> Array:
    r"""Return :math:`\log |I + d_p d_p^\top + d_q d_q^\top + (m_p - m_q)(m_p - m_q)^\top|`.

    With :math:`U = [d_p, d_q, m_p - m_q]` it is the 3 × 3 determinant
    :math:`|I + U U^\top| = |I + U^\top U|`, whose six entries come from matrix products of the
    tables. Where these cancel, since the three vectors are long and nearly parallel, it is the
    squared product of the diagonal of R in :math:`QR = [I; U]`, which loses half as many digits.

    Parameters
    ----------
    halves, means : ndarray of shape (n, d)
        The vectors d_p and m_p; inputs are checked.
    other_halves, other_means : ndarray of shape (m, d)
        The vectors d_q and m_q.

    Returns
    -------
    ndarray of shape (n, m)
    """
    # Only differences of means count, and they are the more exact the closer to the origin.
    centre = 0.5 * (means.mean(axis=0) + other_means.mean(axis=0))
    means, other_means = means - centre, other_means - centre
    determinant, largest = _by_products(halves, means, other_halves, other_means)
    # Written so that a NaN, from an overflow, is doubtful too.
    doubtful = ~(determinant >= _SAFE_RATIO * largest)
    values: Array = np.log(determinant, where=~doubtful, out=np.zeros_like(determinant))
    rows, columns = np.nonzero(doubtful)
    step = max(1, _MOST_NUMBERS // (3 * (halves.shape[1] + 3)))
    for start in range(0, len(rows), step):
        p, q = rows[start : start + step], columns[start : start + step]
        U = np.stack([halves[p], other_halves[q], means[p] - other_means[q]], axis=2)
        values[p, q] = _by_factorisation(U)
    return values


def _by_products(
    halves: Array, means: Array, other_halves: Array, other_means: Array
) -> tuple[Array, Array]:
    """The determinants, and bounds of the terms that they are sums of."""
    a = 1.0 + _squares(halves)[:, None]
    b = 1.0 + _squares(other_halves)[None]
    lengths = _squares(means)[:, None] + _squares(other_means)[None]
    c = 1.0 + np.maximum(lengths - 2.0 * means @ other_means.T, 0.0)
    e = halves @ other_halves.T
    f = np.einsum("ij,ij->i", halves, means)[:, None] - halves @ other_means.T
    g = means @ other_halves.T - np.einsum("ij,ij->i", other_halves, other_means)[None]
    determinant = a * b * c + 2.0 * e * f * g - a * g**2 - b * f**2 - c * e**2
    return determinant, a * b * (1.0 + lengths)


def _by_factorisation(U: Array) -> Array:
    """The same logarithms from the vectors themselves, of shape (n, d, 3)."""
    bordered = np.concatenate([np.broadcast_to(np.eye(3), (len(U), 3, 3)), U], axis=1)
    if not np.isfinite(bordered).all():
        return np.full(len(U), np.nan)
    R = np.linalg.qr(bordered, mode="r")
    logarithms: Array = 2.0 * np.log(np.abs(np.diagonal(R, axis1=1, axis2=2))).sum(axis=1)
    return logarithms


def _squares(rows: Array) -> Array:
    squares: Array = np.einsum("ij,ij->i", rows, rows)
    return squares
