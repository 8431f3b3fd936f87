r"""Where the weights may lie, in coordinates that suit the solver.

Weights are ``w = basis @ x``. The coordinates x are bounded by construction:

* positive weights: :math:`x_i = w_i r_i / c`, the unit simplex;
* free-sign weights: coordinates in which :math:`\lVert K(w)\rVert_F = c\,\lVert x\rVert`. Since
  K ⪰ 0 has :math:`\lVert K\rVert_F \le \operatorname{tr} K = c`, the feasible set lies in the unit
  ball, whatever the kernels; matrices that depend on one another share their weight.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Directions along which the kernels differ by less than this (relative) are one kernel twice.
DEPENDENT = 1e-13


@dataclass(eq=False)
class Domain:
    """An affine slice ``equality @ x == 1``, ``low ≤ x``, and cuts ``cuts @ x ≥ 0``.

    Parameters
    ----------
    basis : ndarray of shape (m, p)
        Maps coordinates to weights.
    equality : ndarray of shape (p,)
        Normal of the slice.
    low : ndarray of shape (p,)
        Lower bounds of the coordinates.
    start : ndarray of shape (p,)
        A point of the set, well inside.
    free_sign : bool
        True if the set is further bounded by K ⪰ 0.
    radius : float
        Bound on the length of any feasible x; used by free-sign weights only.
    """

    basis: Array
    equality: Array
    low: Array
    start: Array
    free_sign: bool
    radius: float = 1.0
    cuts: Array = field(init=False)

    def __post_init__(self) -> None:
        self.cuts = np.zeros((0, len(self.equality)))

    def weights(self, x: Array) -> Array:
        """The weights at coordinates ``x``."""
        return np.asarray(self.basis @ x)

    def add_cuts(self, rows: Array) -> None:
        """Add cuts ``rows @ w ≥ 0`` on the weights."""
        rows = rows @ self.basis
        length = np.linalg.norm(rows, axis=1)
        rows = rows[length > 0] / length[length > 0, None]
        self.cuts = np.vstack([self.cuts, rows])


def positive_weights(normaliser: Array, total: float) -> Domain:
    """The set w ≥ 0, Σ wᵢrᵢ = total; a matrix with r = 0 has no effect and gets no weight."""
    m = len(normaliser)
    used = np.flatnonzero(normaliser > 0)
    basis = np.zeros((m, len(used)))
    basis[used, np.arange(len(used))] = total / normaliser[used]
    p = len(used)
    return Domain(
        basis=basis,
        equality=np.ones(p),
        low=np.zeros(p),
        start=np.full(p, 1.0 / p),
        free_sign=False,
    )


def free_weights(
    inner_products: Array, normaliser: Array, total: float, n_signed: int, length: float
) -> Domain:
    """The set Σ wᵢrᵢ = total, K(w) ⪰ 0, with weights from the ``n_signed``-th on non-negative.

    Parameters
    ----------
    inner_products : ndarray of shape (m, m)
        Frobenius inner products of the matrices.
    normaliser : ndarray of shape (m,)
        The rᵢ.
    total : float
        The c.
    n_signed : int
        How many of the first weights may take either sign; the rest is at most an identity.
    length : float
        Bound on ‖K(w)‖_F over the set.
    """
    m = len(normaliser)
    values, vectors = np.linalg.eigh(inner_products[:n_signed, :n_signed])
    kept = values > DEPENDENT * values.max(initial=0.0)
    core = length * vectors[:, kept] / np.sqrt(values[kept])
    p = core.shape[1] + m - n_signed
    basis = np.zeros((m, p))
    basis[:n_signed, : core.shape[1]] = core
    for i in range(n_signed, m):
        basis[i, core.shape[1] + i - n_signed] = length / np.sqrt(inner_products[i, i])
    low = np.full(p, -1.0)
    low[core.shape[1] :] = 0.0
    return Domain(
        basis=basis,
        equality=(basis.T @ normaliser) / total,
        low=low,
        start=np.linalg.lstsq(basis, _even(normaliser, total), rcond=None)[0],
        free_sign=True,
    )


def _even(normaliser: Array, total: float) -> Array:
    """Weights that give every matrix with effect the same share."""
    used = normaliser > 0
    return np.where(used, total / np.where(used, normaliser, 1.0) / used.sum(), 0.0)
