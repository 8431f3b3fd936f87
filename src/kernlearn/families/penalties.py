r"""Penalties on the weights: the norm in the hyper-RKHS, and norms that spread the weights.

With :math:`\sum_i w_i r_i = c` held, as :func:`kernlearn.learn_weights` does, the solution is
sparse: only kernels of the largest price have weight. A strictly convex penalty makes kernels of
nearly the same price share it. Both penalties are convex, so that their tangents are planes below
them and the certificate stays what it is.
"""

from __future__ import annotations

from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._validation import check_real
from kernlearn.typing import Array

# Of the largest weight: the curvature of a norm with p < 2 is taken no closer to zero, where it is
# infinite. It shapes steps; certificates do not know of it.
NEAREST = 1e-6
_LEAST = 1e-300


class HyperNorm:
    r"""The penalty :math:`\tfrac{\lambda_Q}{2}\lVert \underline K^{1/2}\beta\rVert`, or its square.

    For :math:`k = \sum_p \beta_p\, \underline k(\text{pair}_p, \cdot)` the squared norm of k in the
    hyper-RKHS is :math:`\beta^\top\underline K\beta`. Ong, Smola and Williamson (2005) bound the
    square in (24) and the norm itself from (27) on, which is the default here.

    Parameters
    ----------
    K_pivots : array-like of shape (p, p)
        Hyperkernel between the pairs of the expansion, positive semidefinite.
    lambda_q : float
        The regularisation constant, positive.
    squared : bool, default=False
        Whether to take the squared norm.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = HyperNorm(np.eye(2), lambda_q=1.0)
    >>> penalty.value(np.array([0.6, 0.8]))
    0.5
    """

    def __init__(self, K_pivots: ArrayLike, lambda_q: float, squared: bool = False) -> None:
        check_real(K_pivots, "K_pivots")
        K = np.asarray(K_pivots, dtype=float)
        if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
            raise ValueError(
                "expected a square, finite matrix of the hyperkernel between pivots, got shape "
                f"{K.shape}; pass hyperkernel(pairs)"
            )
        if not 0 < lambda_q < np.inf:
            raise ValueError(f"expected lambda_q > 0, got {lambda_q!r}; the paper uses 1.0")
        self.K_pivots, self.lambda_q, self.squared = K, lambda_q, squared
        self._root = _root(K)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        norm = float(np.linalg.norm(self._root @ weights))
        return 0.5 * self.lambda_q * (norm * norm if self.squared else norm)

    def gradient(self, weights: Array) -> Array:
        """Its gradient; at the kink of the norm in zero, the subgradient zero."""
        image = self._root @ weights
        if self.squared:
            return np.asarray(self.lambda_q * (self._root.T @ image))
        norm = float(np.linalg.norm(image))
        unit = image / norm if norm else image
        return np.asarray(0.5 * self.lambda_q * (self._root.T @ unit))

    def hessian(self, weights: Array) -> Array:
        """Its Hessian, positive semidefinite."""
        if self.squared:
            return np.asarray(self.lambda_q * (self._root.T @ self._root))
        image = self._root @ weights
        norm = float(np.linalg.norm(image))
        if norm == 0:
            return 0.0 * self.K_pivots
        # The part along the image is taken off before it is squared: what is left is a square.
        across = self._root - np.outer(image / norm, (image / norm) @ self._root)
        return np.asarray(0.5 * self.lambda_q * (across.T @ across) / norm)

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        square = 2.0 * max(level, 0.0) / self.lambda_q
        return self._root, float(np.sqrt(square)) if self.squared else square


class LpNorm:
    r"""The penalty :math:`\tfrac{\lambda}{2}\lVert w\rVert_p^2` with 1 < p ≤ 2.

    Near p = 1 it leaves the weights sparse, at p = 2 it spreads them most.

    Parameters
    ----------
    p : float
        Above 1, at most 2.
    strength : float, default=1.0
        The λ, positive, in units of the objective per squared weight.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.LpNorm(2.0, strength=2.0).value(np.array([0.6, 0.8]))
    1.0
    """

    def __init__(self, p: float, strength: float = 1.0) -> None:
        if not 1.0 < _number(p) <= 2.0:
            raise ValueError(
                f"expected 1 < p <= 2, got {p!r}; the sum of the weights, p = 1, is held already"
            )
        self.p, self.strength = float(p), _positive(strength)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        norm = self._norm(weights)
        return 0.5 * self.strength * norm * norm  # a square that is no number would raise

    def gradient(self, weights: Array) -> Array:
        r""":math:`\lambda\lVert w\rVert^{2-p}\,|w|^{p-1}` with the signs of w."""
        norm = self._norm(weights)
        if norm == 0.0:
            return np.zeros(len(weights))
        return np.asarray(self.strength * norm * self._slopes(weights / norm))

    def hessian(self, weights: Array) -> Array:
        r""":math:`\lambda((2 - p) s s^\top + (p - 1)\,\mathrm{diag}\,|u|^{p-2})`.

        At :math:`u = w/\lVert w\rVert`, with s the slopes of its norm.
        """
        norm = self._norm(weights)
        u = weights / norm if norm else np.full(len(weights), len(weights) ** (-1.0 / self.p))
        slopes, size = self._slopes(u), np.abs(u)
        size = np.maximum(size, NEAREST * float(size.max()))
        H = (2.0 - self.p) * np.outer(slopes, slopes)
        H[np.diag_indices_from(H)] += (self.p - 1.0) * size ** (self.p - 2.0)
        return np.asarray(self.strength * H)

    def with_slopes(self, weights: Array, slopes: Array) -> Array:
        r"""Weights next to these, positive ones, where slopes are as large as asked for.

        The slope rises from zero to :math:`10^{-6(p-1)}` of the largest within a millionth of
        the largest weight, nearly all of it for p near 1. A tangent at these weights is as good as
        one at the weights themselves, and a much better bound where they are zero.
        """
        norm = self._norm(weights)
        if norm == 0.0:
            return weights
        share = np.clip(slopes / (self.strength * norm), 0.0, 1.0)
        with np.errstate(under="ignore"):
            wanted = share ** (1.0 / (self.p - 1.0))
        near = norm * np.clip(wanted, _LEAST, NEAREST)
        return np.asarray(np.where(slopes > 0, np.maximum(weights, near), weights))

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        # The Euclidean norm is the smallest of these.
        return np.eye(n_weights), float(np.sqrt(2.0 * max(level, 0.0) / self.strength))

    def _norm(self, weights: Array) -> float:
        largest = float(np.abs(weights).max(initial=0.0))
        if largest == 0.0:
            return 0.0
        return largest * float(((np.abs(weights) / largest) ** self.p).sum() ** (1.0 / self.p))

    def _slopes(self, u: Array) -> Array:
        return np.asarray(np.sign(u) * np.abs(u) ** (self.p - 1.0))


class ElasticNet:
    r"""The sum of the weights' sizes and half of the sum of their squares, by shares ρ and 1 − ρ.

    .. math::

        \lambda\rho\lVert w\rVert_1 + \tfrac{\lambda(1-\rho)}{2}\lVert w\rVert_2^2

    Parameters
    ----------
    strength : float, default=1.0
        The λ, positive.
    l1_ratio : float, default=0.5
        The ρ, at least 0 and below 1. Where Σ wᵢ is held and the weights are positive, the first
        term is a constant.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.ElasticNet(2.0, l1_ratio=0.5).value(np.array([0.6, 0.8]))
    1.9
    """

    def __init__(self, strength: float = 1.0, l1_ratio: float = 0.5) -> None:
        if not 0.0 <= _number(l1_ratio) < 1.0:
            raise ValueError(
                f"expected 0 <= l1_ratio < 1, got {l1_ratio!r}; a sum of the weights alone is held "
                "by constraint='sum'"
            )
        self.strength, self.l1_ratio = _positive(strength), float(l1_ratio)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        size, square = float(np.abs(weights).sum()), float(weights @ weights)
        return self.strength * (self.l1_ratio * size + 0.5 * (1.0 - self.l1_ratio) * square)

    def gradient(self, weights: Array) -> Array:
        """Its gradient; for a weight of zero, the slope towards positive ones."""
        signs = np.where(weights < 0, -1.0, 1.0)
        return np.asarray(self.strength * (self.l1_ratio * signs + (1.0 - self.l1_ratio) * weights))

    def hessian(self, weights: Array) -> Array:
        """That of its second term."""
        return np.asarray(self.strength * (1.0 - self.l1_ratio) * np.eye(len(weights)))

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        radius = np.sqrt(2.0 * max(level, 0.0) / (self.strength * (1.0 - self.l1_ratio)))
        return np.eye(n_weights), float(radius)


def _number(value: object) -> float:
    """The value as a number, or NaN."""
    return float(value) if isinstance(value, SupportsFloat) else np.nan


def _positive(strength: float) -> float:
    if not 0.0 < _number(strength) < np.inf:
        raise ValueError(f"expected strength > 0, got {strength!r}; leave the penalty out for none")
    return float(strength)


def _root(K: Array) -> Array:
    """A matrix R with RᵀR = K, so that the norm ‖Rw‖ does not cancel near the null space of K."""
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    if values[0] < -1e-8 * max(float(values[-1]), 0.0):
        raise ValueError(
            "expected a positive semidefinite matrix of the hyperkernel between pivots, got "
            f"eigenvalues from {values[0]:.3g} to {values[-1]:.3g}; pass hyperkernel(pairs)"
        )
    # Between -1e-8 and rounding, of the largest: zero.
    kept = values > np.finfo(float).eps * len(values) * values[-1]
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)
