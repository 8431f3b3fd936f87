r"""Norms of the weights as penalties: they spread the weights over more kernels than a sum does.

With :math:`\sum_i w_i r_i = c` held, as :func:`kernlearn.learn_weights` does, the solution is
sparse: only kernels of the largest price have weight. A strictly convex penalty makes kernels of
nearly the same price share it. Both penalties are convex, so that their tangents are planes below
them and the certificate stays what it is.
"""

from __future__ import annotations

from typing import SupportsFloat

import numpy as np

from kernlearn.typing import Array

# Of the largest weight: the curvature of a norm with p < 2 is taken no closer to zero, where it is
# infinite. It shapes steps; certificates do not know of it.
NEAREST = 1e-6
_LEAST = 1e-300


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
    >>> kl.LpNorm(2.0, strength=2.0).value(np.array([0.6, 0.8]))
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
    >>> kl.ElasticNet(2.0, l1_ratio=0.5).value(np.array([0.6, 0.8]))
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
