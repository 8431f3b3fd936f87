r"""Where the weights may lie, in coordinates that suit the solver.

Weights are ``w = basis @ x``. The coordinates x are bounded by construction:

* positive weights: :math:`x_i = w_i r_i / c`, the unit simplex;
* free-sign weights: coordinates in which :math:`\lVert K(w)\rVert_F = c\,\lVert x\rVert`. Since
  K ⪰ 0 has :math:`\lVert K\rVert_F \le \operatorname{tr} K = c`, the feasible set lies in the unit
  ball, whatever the kernels; matrices that depend on one another share their weight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Combinations whose squared length is below this (relative) are rounding: one kernel twice.
DEPENDENT = 1e-15
NEARLY_DEPENDENT = 1e-6
MOSTLY_NOISE = 1e-3


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
    cut_noise: Array = field(init=False)

    def __post_init__(self) -> None:
        self.cuts = np.zeros((0, len(self.equality)))
        self.cut_noise = np.zeros(0)

    def weights(self, x: Array) -> Array:
        """The weights at coordinates ``x``."""
        return np.asarray(self.basis @ x)

    def coordinates(self, weights: Array) -> Array:
        """The coordinates of ``weights``, or the nearest there are."""
        return np.asarray(np.linalg.lstsq(self.basis, weights)[0], dtype=float)

    def forget_slack_cuts(self, x: Array, n_kept: int) -> None:
        """Keep only the cuts that are tightest at ``x``."""
        tightest = np.sort(np.argsort(self.cuts @ x)[:n_kept])
        self.cuts, self.cut_noise = self.cuts[tightest], self.cut_noise[tightest]

    def add_cuts(self, rows: Array, noise: float) -> None:
        """Add cuts ``rows @ w ≥ 0`` on the weights, whose entries are known up to ``noise``.

        A direction in which every kernel is zero gives a row of rounding errors, which would cut
        anywhere: cuts carry their noise, and those that are mostly noise are left out.
        """
        rows = rows @ self.basis
        length = np.linalg.norm(rows, axis=1)
        relative = noise * float(np.linalg.norm(self.basis)) / np.maximum(length, 1e-300)
        clear = relative < MOSTLY_NOISE
        self.cuts = np.vstack([self.cuts, rows[clear] / length[clear, None]])
        self.cut_noise = np.append(self.cut_noise, relative[clear])


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
    inner_products: Callable[[Array], Array],
    normaliser: Array,
    total: float,
    n_signed: int,
    length: float,
) -> Domain:
    """The set Σ wᵢrᵢ = total, K(w) ⪰ 0, with weights from the ``n_signed``-th on non-negative.

    Parameters
    ----------
    inner_products : callable
        Maps a basis (m, p) to the Frobenius inner products of its combinations (p, p).
    normaliser : ndarray of shape (m,)
        The rᵢ.
    total : float
        The c.
    n_signed : int
        How many of the first weights may take either sign; the rest is at most an identity.
    length : float
        Bound on ‖K(w)‖_F over the set.
    """
    signed = _orthonormal(inner_products, np.eye(len(normaliser))[:, :n_signed])
    fixed = np.eye(len(normaliser))[:, n_signed:]
    fixed = fixed / np.sqrt(np.diagonal(inner_products(fixed)))
    basis = length * np.hstack([signed, fixed])
    low = np.full(basis.shape[1], -1.0)
    low[signed.shape[1] :] = 0.0
    return Domain(
        basis=basis,
        equality=(basis.T @ normaliser) / total,
        low=low,
        start=np.asarray(np.linalg.lstsq(basis, _even(normaliser, total))[0], dtype=float),
        free_sign=True,
    )


def _orthonormal(inner_products: Callable[[Array], Array], basis: Array) -> Array:
    """Combinations of the basis that are orthonormal as matrices.

    A second pass, on the combinations that the first one found, mends what squaring the condition
    number cost it where the kernels are close to dependent.
    """
    for _ in range(2):
        values, vectors = np.linalg.eigh(inner_products(basis))
        kept = values > DEPENDENT * values.max(initial=0.0)
        basis = basis @ (vectors[:, kept] / np.sqrt(values[kept]))
        if values.min() > NEARLY_DEPENDENT * values.max():
            break
    return basis


def _even(normaliser: Array, total: float) -> Array:
    """Weights that give every matrix with effect the same share."""
    used = normaliser > 0
    return np.where(used, total / np.where(used, normaliser, 1.0) / used.sum(), 0.0)
