r"""Penalties on the weights: norms that spread them, over all kernels or within groups.

They are the term Ω of ``min over k in F of Q(k) + λΩ(k)``, and their strength is its λ. With
:math:`\sum_i w_i r_i = c` held, as :func:`kernlearn.learn_weights` does, the solution is sparse:
only kernels of the largest price have weight. A strictly convex penalty makes kernels of nearly the
same price share it. All penalties are convex, so that their tangents are planes below them and the
certificate stays what it is.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal, Self, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.typing import Array, Indices

# Relative to the largest weight: the curvature of a norm with p < 2 is taken no closer to zero,
# where it is infinite. This affects steps, not certificates.
NEAREST = 1e-6
_LEAST = 1e-300

Strength = float | Literal["auto"]


class WeightPenalty(ABC):
    """A convex function of the weights with a strength, which held-out rows may choose."""

    strength: Strength

    @abstractmethod
    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""

    @abstractmethod
    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty, or a subgradient where none exists."""

    @abstractmethod
    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, positive semidefinite, and finite at kinks."""

    def subgradient(self, weights: Array, slopes: Array) -> Array:
        """The subgradient that makes the sum with ``slopes`` least, for weights that are ≥ 0."""
        return self.gradient(weights)

    @property
    def is_open(self) -> bool:
        """Whether the strength is to be chosen."""
        return isinstance(self.strength, str)

    def with_strength(self, strength: float) -> Self:
        """The same penalty at this strength."""
        other = copy.copy(self)
        other.strength = strength
        return other

    @property
    def _lambda(self) -> float:
        """The strength as a number."""
        if isinstance(self.strength, str):
            raise ValueError(
                f"expected a penalty of a given strength, got {self!r}: the strength is chosen by "
                "rows held out, which estimators do; give strength a number"
            )
        return self.strength

    def __add__(self, other: WeightPenalty) -> PenaltySum:
        return PenaltySum([self, other])

    def __repr__(self) -> str:
        shown = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        arguments = ", ".join(f"{name}={value!r}" for name, value in shown.items())
        return f"{type(self).__name__}({arguments})"


class PenaltySum(WeightPenalty):
    """The sum of penalties, as ``+`` makes it; an open strength of one of them counts as one."""

    def __init__(self, terms: Sequence[WeightPenalty]) -> None:
        self.terms = [each.with_strength(1.0) if each.is_open else each for each in terms]
        self.strength = "auto" if any(each.is_open for each in terms) else 1.0

    def value(self, weights: Array) -> float:
        """The sum of the values."""
        return self._lambda * sum(each.value(weights) for each in self.terms)

    def gradient(self, weights: Array) -> Array:
        """The sum of the gradients."""
        return np.asarray(self._lambda * sum(each.gradient(weights) for each in self.terms))

    def hessian(self, weights: Array) -> Array:
        """The sum of the Hessians."""
        return np.asarray(self._lambda * sum(each.hessian(weights) for each in self.terms))

    def subgradient(self, weights: Array, slopes: Array) -> Array:
        """Sum of the subgradients of the terms, each chosen after the terms before."""
        total = np.zeros(len(weights))
        for each in self.terms:
            total = total + each.subgradient(weights, slopes / self._lambda + total)
        return np.asarray(self._lambda * total)


class LpNorm(WeightPenalty):
    r"""The penalty :math:`\tfrac{\lambda}{2}\lVert w\rVert_p^2` with 1 < p ≤ 2.

    Near p = 1 it leaves the weights sparse, at p = 2 it spreads them most.

    Parameters
    ----------
    p : float
        Above 1, at most 2.
    strength : float or "auto", default="auto"
        The λ, positive, in units of the objective per squared weight. An estimator chooses it by
        the loss of rows held out, if it is "auto"; :func:`kernlearn.learn_weights` needs a number.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.LpNorm(2.0, strength=2.0).value(np.array([0.6, 0.8]))
    1.0
    """

    def __init__(self, p: float, strength: Strength = "auto") -> None:
        if not 1.0 < _number(p) <= 2.0:
            raise ValueError(
                f"expected 1 < p <= 2, got {p!r}; the sum of the weights, p = 1, is held already"
            )
        self.p, self.strength = float(p), checked_strength(strength)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        norm = self._norm(weights)
        return 0.5 * self._lambda * norm * norm  # a square that is no number would raise

    def gradient(self, weights: Array) -> Array:
        r""":math:`\lambda\lVert w\rVert^{2-p}\,|w|^{p-1}` with the signs of w."""
        norm = self._norm(weights)
        if norm == 0.0:
            return np.zeros(len(weights))
        return np.asarray(self._lambda * norm * self._slopes(weights / norm))

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
        return np.asarray(self._lambda * H)

    def with_slopes(self, weights: Array, slopes: Array) -> Array:
        r"""Positive weights close to these, whose slopes have at least the required size.

        The slope rises from zero to :math:`10^{-6(p-1)}` of the largest within a millionth of
        the largest weight, nearly all of it for p near 1. A tangent at these weights is as good as
        one at the weights themselves, and a much better bound where they are zero.
        """
        norm = self._norm(weights)
        if norm == 0.0:
            return weights
        share = np.clip(slopes / (self._lambda * norm), 0.0, 1.0)
        with np.errstate(under="ignore"):
            target = share ** (1.0 / (self.p - 1.0))
        near = norm * np.clip(target, _LEAST, NEAREST)
        return np.asarray(np.where(slopes > 0, np.maximum(weights, near), weights))

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        # The Euclidean norm is the smallest of these.
        return np.eye(n_weights), float(np.sqrt(2.0 * max(level, 0.0) / self._lambda))

    def _norm(self, weights: Array) -> float:
        largest = float(np.abs(weights).max(initial=0.0))
        if largest == 0.0:
            return 0.0
        return largest * float(((np.abs(weights) / largest) ** self.p).sum() ** (1.0 / self.p))

    def _slopes(self, u: Array) -> Array:
        return np.asarray(np.sign(u) * np.abs(u) ** (self.p - 1.0))


class ElasticNet(WeightPenalty):
    r"""The sum of the weights' sizes and half of the sum of their squares, by shares ρ and 1 − ρ.

    .. math::

        \lambda\rho\lVert w\rVert_1 + \tfrac{\lambda(1-\rho)}{2}\lVert w\rVert_2^2

    Parameters
    ----------
    strength : float or "auto", default="auto"
        The λ, positive; "auto" as for :class:`LpNorm`.
    l1_ratio : float, default=0.5
        The ρ, at least 0 and below 1. If Σ wᵢ is held and the weights are positive, the first
        term is a constant.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.ElasticNet(2.0, l1_ratio=0.5).value(np.array([0.6, 0.8]))
    1.9
    """

    def __init__(self, strength: Strength = "auto", l1_ratio: float = 0.5) -> None:
        if not 0.0 <= _number(l1_ratio) < 1.0:
            raise ValueError(
                f"expected 0 <= l1_ratio < 1, got {l1_ratio!r}; a sum of the weights alone is held "
                "by constraint='sum'"
            )
        self.strength, self.l1_ratio = checked_strength(strength), float(l1_ratio)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        size, square = float(np.abs(weights).sum()), float(weights @ weights)
        return self._lambda * (self.l1_ratio * size + 0.5 * (1.0 - self.l1_ratio) * square)

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty; for a weight of zero, the slope towards positive weights."""
        signs = np.where(weights < 0, -1.0, 1.0)
        return np.asarray(self._lambda * (self.l1_ratio * signs + (1.0 - self.l1_ratio) * weights))

    def hessian(self, weights: Array) -> Array:
        """Hessian of the second term."""
        return np.asarray(self._lambda * (1.0 - self.l1_ratio) * np.eye(len(weights)))

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        radius = np.sqrt(2.0 * max(level, 0.0) / (self._lambda * (1.0 - self.l1_ratio)))
        return np.eye(n_weights), float(radius)


class GroupNorm(WeightPenalty):
    r"""The group lasso: :math:`\lambda \sum_g \sqrt{n_g}\, \lVert w_g\rVert_2`.

    Groups of kernels that say little have next to no weight; within a group the weight is shared.

    Parameters
    ----------
    groups : list of int or str, optional
        The group of each kernel, one label for each. By default kernels on the same view or the
        same named columns are a group, and any other kernel is one of its own.
    strength : float or "auto", default="auto"
        The λ, positive; "auto" as for :class:`LpNorm`.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> kl.penalties.GroupNorm([0, 0, 1], strength=2.0).value(np.array([0.6, 0.8, 0.5]))
    3.8284271247461903
    """

    def __init__(
        self, groups: Sequence[int | str] | None = None, strength: Strength = "auto"
    ) -> None:
        self.groups, self.strength = groups, checked_strength(strength)

    def named(self, names: Sequence[str | None]) -> GroupNorm:
        """The same penalty with groups by the names of kernels, where none are given."""
        if self.groups is not None:
            return self
        labels = [number if name is None else name for number, name in enumerate(names)]
        return GroupNorm(labels, self.strength)

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        roots, norms = self._norms(weights)
        return self._lambda * float(roots @ norms)

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty; zero for a group without weight."""
        roots, norms = self._norms(weights)
        code = self._codes(len(weights))
        unit = weights / np.where(norms > 0, norms, 1.0)[code]
        return np.asarray(self._lambda * roots[code] * unit)

    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, at groups no closer to zero weight than a millionth."""
        roots, norms = self._norms(weights)
        code = self._codes(len(weights))
        least = max(NEAREST * float(norms.max(initial=0.0)), _LEAST)
        unit = weights / np.where(norms > 0, norms, 1.0)[code]
        H = np.where(code[:, None] == code, np.eye(len(weights)) - np.outer(unit, unit), 0.0)
        curvature = self._lambda * roots / np.maximum(norms, least)
        return np.asarray(curvature[code][:, None] * H)

    def subgradient(self, weights: Array, slopes: Array) -> Array:
        """At a group of zeros, as much of the pull away from zero as its ball holds."""
        roots, norms = self._norms(weights)
        code = self._codes(len(weights))
        pull = np.maximum(-slopes, 0.0)
        length = np.sqrt(np.bincount(code, weights=pull**2))
        share = np.minimum(self._lambda * roots / np.maximum(length, _LEAST), 1.0)
        return np.where(norms[code] > 0, self.gradient(weights), share[code] * pull)

    def with_slopes(self, weights: Array, slopes: Array) -> Array:
        """Weights close to these, at which groups without weight have the required slopes."""
        _, norms = self._norms(weights)
        code = self._codes(len(weights))
        targets = np.maximum(slopes, 0.0)
        size = float(np.abs(weights).max(initial=0.0))
        near = targets * (NEAREST * NEAREST * size / max(float(targets.max(initial=0.0)), _LEAST))
        return np.asarray(np.where(norms[code] > NEAREST * NEAREST * size, weights, near))

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float]:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        return np.eye(n_weights), max(level, 0.0) / self._lambda

    def _codes(self, m: int) -> Indices:
        """The number of each kernel's group."""
        if self.groups is None or len(self.groups) != m:
            n_groups = "none" if self.groups is None else f"{len(self.groups)}"
            raise ValueError(
                f"expected groups to hold {m} labels, one for each kernel or parameter, got "
                f"{n_groups}; pass for example ['genes', 'genes', 'note']"
            )
        labels = list(dict.fromkeys(self.groups))
        return np.array([labels.index(label) for label in self.groups], dtype=np.intp)

    def _norms(self, weights: Array) -> tuple[Array, Array]:
        """The square roots of the groups' sizes, and the norms of their weights."""
        code = self._codes(len(weights))
        size = float(np.abs(weights).max(initial=0.0)) or 1.0
        squares = np.bincount(code, weights=np.asarray((weights / size) ** 2, dtype=float))
        return np.sqrt(np.bincount(code)), size * np.sqrt(squares)


def _number(value: object) -> float:
    """The value as a number, or NaN."""
    return float(value) if isinstance(value, SupportsFloat) else np.nan


def checked_strength(strength: Strength) -> Strength:
    """A positive number or "auto"; all else is refused."""
    if isinstance(strength, str) and strength == "auto":
        return "auto"
    if not 0.0 < _number(strength) < np.inf:
        raise ValueError(
            f"expected strength > 0, got {strength!r}; leave the penalty out for none, or use "
            "'auto' in an estimator"
        )
    return float(strength)


class LinearPenalty(WeightPenalty):
    r"""A linear penalty :math:`\lambda b^\top w`, such as :math:`\operatorname{tr} SK(w)`.

    ``quality="max_determinant"`` takes it, too: :math:`\operatorname{tr} SK + \log\det K^{-1}`
    (Lanckriet et al. 2004, section 7) has :math:`b_i = \operatorname{tr} SK_i`.

    Parameters
    ----------
    slopes : array-like of shape (m,)
        The b, one number for every matrix.
    strength : float or "auto", default=1.0
        The λ, positive; "auto" as for :class:`LpNorm`.

    Examples
    --------
    >>> import numpy as np
    >>> import kernlearn as kl
    >>> grams = [np.diag([1.0, 0.0]), np.diag([0.0, 1.0])]
    >>> dear = kl.penalties.LinearPenalty([1.0, 0.0])
    >>> for penalty in (None, dear):
    ...     kl.learn_weights(grams, quality="max_determinant", penalty=penalty).weights.round(3)
    array([1., 1.])
    array([0.586, 1.414])
    """

    def __init__(self, slopes: ArrayLike, strength: Strength = 1.0) -> None:
        self.slopes: Array = np.asarray(slopes, dtype=float)
        self.strength = checked_strength(strength)
        if self.slopes.ndim != 1 or not np.isfinite(self.slopes).all():
            raise ValueError(
                f"expected one finite number for every matrix in slopes, got {slopes!r}; pass for "
                "example [1.0, 0.5]"
            )

    def value(self, weights: Array) -> float:
        """The penalty at ``weights``."""
        return self._lambda * float(self.slopes @ weights)

    def gradient(self, weights: Array) -> Array:
        """Gradient of the penalty, the same everywhere."""
        return np.asarray(self._lambda * self.slopes)

    def hessian(self, weights: Array) -> Array:
        """Hessian of the penalty, which is zero."""
        return np.zeros((len(self.slopes), len(self.slopes)))
