r"""The cross-validated loss of first-level learning as a function of log λ and log μ.

Every fold learns its own θ. Its derivatives by log λ and log μ, which the slope of the loss needs
anyway, tell where to start at neighbouring values: usually one or two Newton steps away. An
evaluation is a search that asks for machines, as in :mod:`kernlearn.solvers.optimize.coroutines`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from kernlearn.solvers.first_level.held_out import FoldLoss, held_out_loss
from kernlearn.solvers.first_level.problem import Asking, FirstLevelProblem
from kernlearn.solvers.optimize.coroutines import gather, in_turn
from kernlearn.typing import Array, Indices

# What a fold has learned, and how many machines that took.
FoldResult: TypeAlias = tuple[FoldLoss, int]

# What a predicted start may be multiplied or divided by, as a logarithm.
_FAR = 2.0
# The share of its usual size below which a parameter counts as zero there.
_SMALL = 1e-3


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

    def at(self, x: Array, start: Array) -> Asking[CrossValidatedLoss]:
        """Evaluate from one θ; every fold starts where the one before it ended."""
        results: list[FoldResult | None] = []
        for number in range(len(self.folds)):
            judged = yield from self._fold(number, x, start)
            results.append(judged)
            if judged is None:
                break
            start = judged[0].theta
        return self._evaluation(x, results)

    def near(self, x: Array, known: CrossValidatedLoss) -> Asking[CrossValidatedLoss]:
        """Evaluate from the θ that a known place predicts for this one, fold by fold."""
        moved = x - known.x
        searches = [
            self._fold(number, x, self._predicted(known, number, moved))
            for number in range(len(self.folds))
        ]
        run = gather if self.together else in_turn
        return self._evaluation(x, (yield from run(searches)))

    def _fold(self, number: int, x: Array, start: Array) -> Asking[FoldResult | None]:
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
