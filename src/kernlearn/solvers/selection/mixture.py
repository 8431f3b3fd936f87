r"""Convex mixtures of predictions, by their losses on rows held out.

**Numbers.** :math:`F_j` are the held-out predictions of candidate j, of shape (n, k), at their best
scale, and :math:`\ell` is a loss of Y (:mod:`kernlearn.quality.predictive`). The mixture minimises

.. math:: \frac{n}{u} \sum_i s_i\, \ell\Bigl(y_i, \sum_j w_j F_{ij}\Bigr)
          + \kappa \sum_j (w_j - \bar w)^2 \qquad \text{over } w \ge 0,

s being row weights of sum one. It is a posterior: a likelihood, and a prior under which all members
do their share. For log-odds u is one; squared errors and deviances are in units of twice their
least mean, the noise, and their weights sum to one. Without the prior this is Breiman's stacking
(1996), which with few rows overfits the luck of one candidate; the prior matters less with many
rows.

Every step is Newton's, a quadratic program in as many variables as there are candidates. Members
with the least weight are then left out, one after the other, until few are left.

**Labels** are predicted right or wrong, and no smooth loss counts errors: the machine with the
least log loss may be far from the one with the fewest errors. But errors are few, and the best of
many candidates is best by luck. So candidates are weighted by the evidence that they make more
errors than the best one, as in McNemar's test: with b rows that only candidate j has wrong, and c
that only the best one has,

.. math:: w_j \propto \exp\Bigl(-\tfrac32\, \frac{b - c}{\sqrt{b + c + 1}}\Bigr) .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.quality.predictive import PredictiveLoss
from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.typing import Array, Indices

# Weights below this share are those of an interior point that ends near a bound.
_NOTHING = 1e-4
_MAX_STEPS = 30
# The weight falls to a fifth where a candidate is worse by one standard error.
_PER_ERROR = 1.5
_TOL = 1e-8


@dataclass(frozen=True, eq=False)
class Mixing:
    """The problem."""

    loss: PredictiveLoss  # Loss of the mixture's predictions
    # Predictions of m candidates for n rows that did not train them, of shape (m, n, k)
    held_out: Array
    prior: float  # κ

    def weights(self, max_members: int) -> Array:
        """Weights of at most `max_members` candidates at their best scale, of sum one."""
        scaled = np.stack([self.loss.scale(F) * F for F in self.held_out])
        kept = np.arange(len(scaled))
        while True:
            w = self._minimised(scaled[kept])
            alive = w > _NOTHING * w.sum()
            n_alive = int(alive.sum())
            if n_alive <= max_members:
                break
            # A quarter of those too many at a time: the others take over what these had.
            n_dropped = max(1, (n_alive - max_members) // 4)
            kept = np.sort(kept[np.argsort(-w, kind="stable")[: n_alive - n_dropped]])
        weights = np.zeros(len(scaled))
        weights[kept[alive]] = w[alive] / w[alive].sum()
        return weights

    def _minimised(self, F: Array) -> Array:
        """The weights of all of these candidates."""
        m = len(F)
        if m == 1:
            return np.ones(1)
        spread = 2.0 * self.prior / len(self.loss.Y) * (np.eye(m) - 1.0 / m)
        sums_to_one = self.loss.sums_to_one
        unit = 1.0
        if sums_to_one:
            unit = 2.0 * min(float(self.loss.share @ self.loss.rows(f)) for f in F) or 1.0
        w = np.full(m, 1.0 / m)

        def value(w: Array) -> float:
            mean = float(self.loss.share @ self.loss.rows(np.tensordot(w, F, axes=1)))
            return mean / unit + 0.5 * float(w @ spread @ w)

        now = value(w)
        for _ in range(_MAX_STEPS):
            first, second = self.loss.slopes(np.tensordot(w, F, axes=1))
            weighted = self.loss.share[:, None] / unit
            gradient = np.einsum("ink,nk->i", F, weighted * first) + spread @ w
            curved = F * np.sqrt(weighted * second)
            flat = curved.reshape(m, -1)
            step = _step(flat @ flat.T + spread, gradient, w, sums_to_one)
            if step is None:
                break
            decrease = float(gradient @ step)
            length = 1.0
            while value(w + length * step) > now + 1e-4 * length * decrease and length > 1e-6:
                length *= 0.5
            w = np.maximum(w + length * step, 0.0)
            before, now = now, value(w)
            if before - now <= _TOL * max(abs(now), _TOL):
                break
        return w


def weights_by_errors(
    loss: PredictiveLoss, held_out: Array, max_members: int, groups: Indices | None = None
) -> Array:
    """Weights, of sum one, of the candidates that predict labels of held-out rows best.

    They belong to the candidates at their best scale; `held_out` has the shape (m, n, k). Rows of
    one number in `groups` are one observation.
    """
    wrong = np.stack([loss.wrong(F) for F in held_out]).astype(float)
    rows = loss.share * len(loss.share)
    # Equal numbers of errors are equal sums only up to rounding.
    known: dict[int, float] = {}
    best = _least(np.round(wrong @ rows, 9), 1, loss, held_out, known)[0]
    apart = rows * (wrong - wrong[best])
    if groups is not None:
        apart = np.array([np.bincount(groups, one) for one in apart])
    excess = np.round(apart.sum(axis=1) / np.sqrt((apart**2).sum(axis=1) + 1.0), 9)
    kept = _least(excess, max_members, loss, held_out, known)
    weights = np.zeros(len(held_out))
    weights[kept] = np.exp(-_PER_ERROR * excess[kept])
    return np.asarray(weights / weights.sum())


def _least(
    values: Array, count: int, loss: PredictiveLoss, held_out: Array, known: dict[int, float]
) -> Indices:
    """At most `count` candidates with the least values; of several at the edge, by their losses.

    Losses are computed for these alone, and kept in `known`.
    """
    if count >= len(values):
        return np.arange(len(values))
    edge = np.partition(values, count - 1)[count - 1]
    inside, tied = np.flatnonzero(values < edge), np.flatnonzero(values == edge)
    n_left = count - len(inside)
    if n_left < len(tied):
        for i in tied.tolist():
            if i not in known:
                known[i] = loss.value(held_out[i])
        losses = np.array([known[i] for i in tied.tolist()])
        tied = tied[np.argsort(losses, kind="stable")[:n_left]]
    return np.concatenate([inside, tied])


def _step(H: Array, gradient: Array, w: Array, sums_to_one: bool) -> Array | None:
    """Newton's step within w ≥ 0."""
    m = len(w)
    A = np.ones((1 if sums_to_one else 0, m))
    H = H + 1e-12 * np.trace(H) / m * np.eye(m)
    solution = quadratic_program(
        H, gradient, A, np.zeros(len(A)), -w, np.full(m, np.inf if not sums_to_one else 1.0)
    )
    return None if solution is None else solution.x
