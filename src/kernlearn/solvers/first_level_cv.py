r"""The cross-validated loss of first-level learning as a function of log λ and log μ.

Every fold learns its own θ. Its derivatives by log λ and log μ, which the slope of the loss needs
anyway, tell where to start at neighbouring values: usually one or two Newton steps away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.first_level import FirstLevelProblem
from kernlearn.solvers.first_level_held_out import HeldOut, held_out_loss

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# What a predicted start may be multiplied or divided by, as a logarithm.
_FAR = 2.0
# The share of its usual size below which a parameter counts as zero there.
_SMALL = 1e-3


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The loss at one place.

    Attributes
    ----------
    x : ndarray of shape (2,)
        log λ and log μ.
    loss : float
        The mean of ½(y - f)² over all points, each held out once; infinite where nothing could
        be trained.
    slope : ndarray of shape (2,)
        Its derivatives.
    folds : tuple of HeldOut
        What each fold learned.
    n_points : int
        Machines trained, over all folds.
    """

    x: Array
    loss: float
    slope: Array
    folds: tuple[HeldOut, ...]
    n_points: int


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """A first-level problem and the folds on which λ and μ are judged.

    Parameters
    ----------
    problem : FirstLevelProblem
        All data.
    folds : sequence of ndarray
        The rows held out together; every row is in one fold.
    tol : float
        Relative decrease of the training criterion at which a fold stops.
    max_iter : int
        Limit on the machines trained in a fold.
    check : callable, optional
        Called before every machine; may raise to end the evaluation.
    """

    problem: FirstLevelProblem
    folds: Sequence[Rows]
    tol: float
    max_iter: int
    check: Callable[[], None] | None = None

    def at(self, x: Array, start: Array) -> Evaluation:
        """Evaluate from one θ; every fold starts where the one before it ended."""
        return self._evaluate(x, lambda number, before: before.theta if before else start)

    def near(self, x: Array, known: Evaluation) -> Evaluation:
        """Evaluate from the θ that a known place predicts for this one, fold by fold."""
        moved = x - known.x
        return self._evaluate(x, lambda number, before: self._predicted(known, number, moved))

    def _evaluate(self, x: Array, start: Callable[[int, HeldOut | None], Array]) -> Evaluation:
        lam, mu = np.exp(x)
        results: list[HeldOut] = []
        n_points = 0
        for number, rows in enumerate(self.folds):
            training = self.problem.rows(np.setdiff1d(np.arange(len(self.problem.X)), rows))
            theta = start(number, results[-1] if results else None)
            descent = training.minimise(theta, lam, mu, self.tol, self.max_iter, check=self.check)
            if descent is None:
                return Evaluation(x, np.inf, np.zeros(2), (), n_points)
            results.append(held_out_loss(descent, self.problem.rows(rows)))
            n_points += descent.n_points
        total = float(self.problem.weight.sum())
        loss = sum(result.loss for result in results) / total
        slope = np.sum([result.slope for result in results], axis=0) / total
        return Evaluation(x, loss, slope, tuple(results), n_points)

    def _predicted(self, known: Evaluation, number: int, moved: Array) -> Array:
        """θ of a fold at a place this far away, by its logarithmic derivatives."""
        fold = known.folds[number]
        size = np.maximum(fold.theta, _SMALL * self.problem.scale)
        factor = np.exp(np.clip(fold.drift @ moved / size, -_FAR, _FAR))
        return np.asarray(fold.theta * factor)
