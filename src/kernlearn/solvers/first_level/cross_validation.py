r"""The cross-validated loss of first-level learning as a function of log λ and log μ.

Every fold learns its own θ. Its derivatives by log λ and log μ, which the slope of the loss needs
anyway, tell where to start at neighbouring values: usually one or two Newton steps away. An
evaluation is a search that asks for machines, as in :mod:`kernlearn.solvers.optimize.coroutines`.
The loss E of a fold has slopes by λ and θ (`FirstLevelPoint.outside`), and θ moves as

.. math::

    \mathrm{d}\theta/\mathrm{d}\log\mu = -H^{-1}\mu\theta, \qquad
    \mathrm{d}\theta/\mathrm{d}\log\lambda = -\lambda H^{-1} \partial_\lambda\nabla J,

by implicit differentiation of ∂J/∂θ = 0, H being the Hessian of J over the parameters that are
not at their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from kernlearn.solvers.first_level.problem import FirstLevelProblem, Trained, TrainingSearch
from kernlearn.solvers.optimize.bounded_newton import Descent
from kernlearn.solvers.optimize.coroutines import gather, in_turn
from kernlearn.typing import Array, Indices, Mask

# What a predicted start may be multiplied or divided by, as a logarithm.
_FAR = 2.0
# The share of its usual size below which a parameter counts as zero there.
_SMALL = 1e-3


@dataclass(frozen=True, eq=False)
class FoldLoss:
    """The loss of one fold."""

    # The sum over the held-out points, corrected to first order for the last Newton step
    loss: float
    slope: Array  # Its derivatives by log λ and log μ, of shape (2,)
    theta: Array  # The fold's parameters, of shape (p,)
    drift: Array  # Their derivatives by log λ and log μ, of shape (p, 2)


# What a fold has learned, and how many machines that took.
FoldResult: TypeAlias = tuple[FoldLoss, int]


@dataclass(frozen=True, eq=False)
class CrossValidatedLoss:
    """The loss at one place."""

    x: Array  # log λ and log μ, of shape (2,)
    # The mean of ½(y - f)² over all points, each held out once; infinite where nothing could be
    # trained
    loss: float
    slope: Array  # Its derivatives, of shape (2,)
    folds: tuple[FoldLoss, ...]  # What each fold learned
    n_points: int  # Machines trained, over all folds


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """A first-level problem and the folds on which λ and μ are judged."""

    problem: FirstLevelProblem  # All data
    folds: Sequence[Indices]  # The rows held out together; every row is in one fold
    tol: float  # Relative decrease of the training criterion at which a fold stops
    max_iter: int  # Limit on the machines trained in a fold
    # Called before every machine; may raise to end the evaluation
    check: Callable[[], None] | None = None
    # Whether folds ask for their machines together, where their starts are known
    together: bool = False

    @cached_property
    def parts(self) -> list[tuple[FirstLevelProblem, FirstLevelProblem]]:
        """For every fold the problem without its rows, and with no others."""
        everything = np.arange(len(self.problem.X))
        rows = [(np.setdiff1d(everything, held_out), held_out) for held_out in self.folds]
        return [(self.problem.rows(kept), self.problem.rows(out)) for kept, out in rows]

    def at(self, x: Array, start: Array) -> TrainingSearch[CrossValidatedLoss]:
        """Evaluate from one θ; every fold starts where the one before it ended."""
        results: list[FoldResult | None] = []
        for number in range(len(self.folds)):
            judged = yield from self._fold(number, x, start)
            results.append(judged)
            if judged is None:
                break
            start = judged[0].theta
        return self._evaluation(x, results)

    def near(self, x: Array, known: CrossValidatedLoss) -> TrainingSearch[CrossValidatedLoss]:
        """Evaluate from the θ that a known place predicts for this one, fold by fold."""
        moved = x - known.x
        searches = [
            self._fold(number, x, self._predicted(known, number, moved))
            for number in range(len(self.folds))
        ]
        run = gather if self.together else in_turn
        return self._evaluation(x, (yield from run(searches)))

    def _fold(self, number: int, x: Array, start: Array) -> TrainingSearch[FoldResult | None]:
        """What a fold learns, and the machines trained for it; None if none could be."""
        lam, mu = np.exp(x)
        training, others = self.parts[number]
        descent = yield from training.descent(
            start, lam, mu, self.tol, self.max_iter, check=self.check, others=others
        )
        if descent is None:
            return None
        return held_out_loss(descent, others), descent.n_points

    def _evaluation(self, x: Array, results: Sequence[FoldResult | None]) -> CrossValidatedLoss:
        judged = [each for each in results if each is not None]
        folds, n_points = [each[0] for each in judged], sum(each[1] for each in judged)
        if len(judged) < len(results):
            return CrossValidatedLoss(x, np.inf, np.zeros(2), (), n_points)
        total = float(self.problem.weight.sum())
        loss = sum(fold.loss for fold in folds) / total
        slope = np.sum([fold.slope for fold in folds], axis=0) / total
        return CrossValidatedLoss(x, loss, slope, tuple(folds), n_points)

    def _predicted(self, known: CrossValidatedLoss, number: int, moved: Array) -> Array:
        """θ of a fold at a place this far away, by its logarithmic derivatives."""
        fold = known.folds[number]
        size = np.maximum(fold.theta, _SMALL * self.problem.scale)
        factor = np.exp(np.clip(fold.drift @ moved / size, -_FAR, _FAR))
        return np.asarray(fold.theta * factor)


def held_out_loss(descent: Descent[Trained], others: FirstLevelProblem) -> FoldLoss:
    """The loss on other points of the machine that the descent ended with."""
    point, step = descent.point, descent.step
    outside = point.outside(others)
    right = np.column_stack([point.lam * outside.mixed, point.mu * point.theta])
    drift = _drift(point, right, point.theta + step > others.low)
    slope = outside.by_theta @ drift + np.array([point.lam * outside.by_lam, 0.0])
    loss = float(outside.loss) + float(outside.by_theta @ step)
    return FoldLoss(loss, slope, np.maximum(point.theta + step, others.low), drift)


def _drift(point: Trained, right: Array, free: Mask) -> Array:
    """dθ by (log λ, log μ)."""
    drift = np.zeros_like(right)
    if free.any():
        # In units of their usual size, since parameters may differ by many orders of magnitude.
        size = np.maximum(point.theta, point.problem.scale)[free]
        H = point.hessian[np.ix_(free, free)] * np.outer(size, size)
        scaled_drift = np.linalg.lstsq(H, size[:, None] * right[free], rcond=None)[0]
        drift[free] = -size[:, None] * scaled_drift
    return drift
