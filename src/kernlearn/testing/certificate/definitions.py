r"""Definitions of all qualities, written down once more, in long double.

Nothing of the solvers is used here. A machine's value lies between its dual value at any feasible
coefficients and its primal value at any function :math:`f = K a + b`; both are sums over points:

.. math::

    \ell(a) - \tfrac12 a^\top K a \;\le\; V(K) \;\le\;
    \tfrac12 a^\top K a + \sum_i L_i(y_i, f_i) .
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.testing.certificate.partial_likelihood import PartialLikelihood
from kernlearn.typing import Array, LongArray, Mask

if TYPE_CHECKING:
    from kernlearn.families.constraints import Constraint

Number = Any
"""A number in long double, which NumPy has no type for that mypy follows through arithmetic."""


def long(values: ArrayLike | None) -> LongArray:
    """The numbers as they are, to be computed with in more digits."""
    return np.asarray(values, dtype=np.longdouble)


@dataclass(frozen=True, eq=False)
class Definition:
    """One machine on given targets.

    `y` holds labels −1 and +1, targets, times, or anything for one class, and `sample_weight`
    multiplies C. `ridge` is the diagonal added in training where it is not 1/C: with C learned, and
    for the alignment. `event` is for times: whether each was seen; `ties` is how events at the
    same time are treated.
    """

    quality: str
    y: LongArray
    C: float
    nu: float
    epsilon: float
    sample_weight: LongArray
    ridge: LongArray | None = None
    quantile: float = 0.5
    event: Mask | None = None
    ties: str = "efron"

    @cached_property
    def likelihood(self) -> PartialLikelihood:
        """Partial likelihood of times to an event."""
        assert self.event is not None
        events = np.where(self.event, self.C * self.sample_weight, np.longdouble(0.0))
        return PartialLikelihood(self.y, events, self.sample_weight, self.ties)

    @property
    def upper(self) -> LongArray:
        """Bounds of the coefficients' sizes."""
        s: LongArray = self.sample_weight
        if self.quality == "nu_svm":
            # The largest ν that has a solution may have been rounded up.
            return np.asarray(s / s.sum() * (1.0 + np.finfo(float).eps))
        if self.quality == "one_class":
            return np.asarray(s / (self.nu * s.sum()))
        if self.quality in ("soft_margin", "epsilon_svr", "nu_svr", "logistic", "ranking"):
            return self.C * s
        if self.quality == "quantile":
            return self.quantile * self.C * s
        if self.quality == "cox":
            return self.likelihood.events
        if self.quality == "huber":
            return self.epsilon * self.C * s
        return np.full(len(s), np.longdouble(np.inf))

    @property
    def lower(self) -> LongArray:
        """Lower bounds of coefficients that may have any sign."""
        if self.quality == "quantile":
            return -(1.0 - self.quantile) * self.C * self.sample_weight
        return self.likelihood.lower if self.quality == "cox" else -self.upper

    @property
    def diagonal(self) -> LongArray:
        """Ridge that training adds to the diagonal of K."""
        if self.ridge is not None:
            return self.ridge
        if self.quality in ("squared_soft_margin", "lagrangian", "least_squares", "huber"):
            return 1.0 / (self.C * self.sample_weight)
        return np.zeros(len(self.y), dtype=np.longdouble)

    @property
    def signed(self) -> bool:
        """Whether coefficients carry the sign of the label."""
        return self.quality in (
            "soft_margin",
            "hard_margin",
            "squared_soft_margin",
            "lagrangian",
            "nu_svm",
            "logistic",
        )

    def infeasibility(self, a: LongArray) -> float:
        """Largest violation of the constraints on the coefficients, relative to their size."""
        size = max(float(np.abs(a).sum()), 1e-300)
        worst = 0.0
        outside = np.maximum(a - self.upper, self.lower - a)
        worst = max(worst, float(outside.max()))
        if self.signed:
            worst = max(worst, float((-self.y * a).max()))
        if self.quality == "one_class":
            worst = max(worst, float((-a).max()), abs(float(a.sum()) - 1.0))
        elif self.quality == "ranking":
            worst = max(worst, float((-a).max()))
        elif self.quality not in ("lagrangian", "alignment"):
            worst = max(worst, abs(float(a.sum())))
        if self.quality == "nu_svm":
            worst = max(worst, abs(float(self.y @ a) - self.nu))
        if self.quality == "nu_svr":
            worst = max(worst, float(np.abs(a).sum() - self.nu * self.upper.sum()))
        if self.quality == "cox":
            worst = max(worst, float(self.likelihood.divided(a)[1]))
        return worst / size

    def dual(self, K: LongArray, a: LongArray) -> Number:
        """The maximand at coefficients ``a``."""
        value = -0.5 * (a @ (K @ a)) - 0.5 * (self.diagonal @ a**2)
        if self.quality == "lagrangian":
            value -= 0.5 * a.sum() ** 2
        if self.quality == "cox":
            return value - self.likelihood.entropy(a)
        if self.quality not in ("nu_svm", "one_class", "logistic"):
            value += a.sum() if self.quality == "ranking" else self.y @ a
        if self.quality == "logistic":
            share = np.clip(np.abs(a) / self.upper, 0.0, 1.0)
            inside = (share > 0) & (share < 1)
            s, C = share[inside], self.upper[inside]
            value -= (C * (s * np.log(s) + (1 - s) * np.log1p(-s))).sum()
        if self.quality == "epsilon_svr":
            value -= self.epsilon * np.abs(a).sum()
        return value

    def primal(self, K: LongArray, a: LongArray, b: Number) -> Number:
        """Norm and loss of the function ``K a + b``."""
        f = K @ a + b
        half_norm = 0.5 * (a @ (K @ a))
        return half_norm + self.loss(f, half_norm, np.longdouble(b))

    def loss(self, f: LongArray, half_norm: Number, b: Number) -> Number:
        """Loss of the values f; for a hard margin, the growth of half of the norm."""
        y, upper = self.y, self.upper
        margin = y * f
        zero = np.longdouble(0.0)
        if self.quality == "hard_margin" and not self.diagonal.any():
            least = margin.min()
            return half_norm / least**2 - half_norm if least > 0 else np.longdouble(np.inf)
        if self.quality in ("hard_margin", "squared_soft_margin", "lagrangian"):
            loss = 0.5 * (np.maximum(zero, 1 - margin) ** 2 / self.diagonal).sum()
            return loss + (0.5 * b**2 if self.quality == "lagrangian" else 0)
        if self.quality == "soft_margin":
            return (upper * np.maximum(zero, 1 - margin)).sum()
        if self.quality == "ranking":
            return (upper * np.maximum(zero, 1 - f)).sum()
        if self.quality in ("least_squares", "alignment"):
            return 0.5 * ((y - f) ** 2 / self.diagonal).sum()
        if self.quality == "logistic":
            return (upper * np.logaddexp(zero, -margin)).sum()
        if self.quality == "cox":
            return self.likelihood.loss(f)
        if self.quality == "huber":
            small, large = np.minimum(np.abs(y - f), self.epsilon), np.abs(y - f)
            return ((small * large - 0.5 * small**2) / self.diagonal).sum()
        if self.quality == "quantile":
            return np.maximum((y - f) * upper, (y - f) * self.lower).sum()
        if self.quality == "epsilon_svr":
            return (upper * np.maximum(zero, np.abs(y - f) - self.epsilon)).sum()
        if self.quality == "nu_svr":
            return _smallest(
                np.append(np.abs(y - f), zero), upper, np.abs(y - f), self.nu * upper.sum()
            )
        if self.quality == "nu_svm":
            return _smallest(-margin, upper, -margin, self.nu)
        return _smallest(b - f, upper, b - f, np.longdouble(1.0))  # one class: f without ρ


def _smallest(levels: LongArray, upper: LongArray, losses: LongArray, price: Number) -> Number:
    """The least of price·t + Σ uᵢ max(0, lossᵢ − t): piecewise linear, so at one of the levels."""
    excess = np.maximum(losses[None, :] - levels[:, None], np.longdouble(0.0))
    return (price * levels + excess @ upper).min()


def centre(K: Array | LongArray) -> LongArray:
    """HKH in long double; zero where that is rounding, since a constant has no direction."""
    centred = K.astype(np.longdouble)
    centred = centred - centred.mean(axis=0)
    centred = centred - centred.mean(axis=1)[:, None]
    rounding = 4 * len(K) * np.finfo(np.longdouble).eps * np.abs(K).max()
    return centred if np.abs(centred).max() > rounding else np.zeros_like(centred)


def alignment_of(K: LongArray, y: Array, centered: bool) -> float:
    """⟨K, yyᵀ⟩ over the labelled points, by the norms of K over all points and of yyᵀ."""
    t = y.astype(np.longdouble)
    if centered:
        K = centre(K)
        t = t - t.mean()
    size = np.abs(K).max()
    if size == 0:
        return 0.0
    K = K / size
    n = len(t)
    return float((t @ K[:n, :n] @ t) / (np.sqrt((K**2).sum()) * (t @ t)))


def minus_log_det(K: LongArray) -> float:
    """−log det K by elimination, infinite where a pivot is not positive."""
    rest, total = K.copy(), np.longdouble(0.0)
    while len(rest):
        pivot = rest[0, 0]
        if not pivot > 0:
            return np.inf
        total += np.log(pivot)
        rest = rest[1:, 1:] - np.outer(rest[1:, 0], rest[1:, 0] / pivot)
    return -float(total)


def constraint_misses(constraints: Sequence[Constraint], weights: Array, unit: Array) -> LongArray:
    """Violation of each constraint, relative to its terms and the whole.

    Negative where a constraint holds. The whole is the total, or the largest weight. Weights have
    shape (m,) or (k, m), shares are `unit` times as large, constraints go along the last axis.
    """
    found: list[LongArray] = [np.full((*weights.shape[:-1], 1), np.longdouble(-1.0))]
    for constraint in constraints:
        A, lower, upper, of = constraint.rows([None] * len(unit))
        v: LongArray = weights.astype(np.longdouble) * (unit if of == "shares" else 1.0)
        whole = 1.0 if of == "shares" else np.abs(v).max(axis=-1, keepdims=True)
        left, size = v @ A.T, np.abs(v) @ np.abs(A.T) + whole
        for limit, off in ((upper, left - upper), (lower, lower - left)):
            finite = np.isfinite(limit)
            found.append(long(off[..., finite] / (size + np.abs(limit))[..., finite]))
    return np.concatenate(found, axis=-1)
