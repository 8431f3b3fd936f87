"""The search for λ and μ: one stage for each family, by descent or by simplex.

The descent asks for its machines, as in :mod:`kernlearn.solvers.optimize.coroutines`; the simplex,
which is not written here, trains them alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.first_level.cross_validation import CrossValidatedLoss, CrossValidation
from kernlearn.solvers.first_level.problem import FirstLevelProblem, TrainingSearch, alone
from kernlearn.solvers.optimize.capped_bfgs import capped_bfgs
from kernlearn.solvers.selection.objective import SelectionOptions
from kernlearn.typing import Array, Indices

STRATEGIES = ("gradient", "nelder-mead")

# Descents stay within these factors of where λ and μ start.
_WITHIN = np.log([1e6, 1e10])
# Folds stop early, since the loss is corrected for the last step.
_FOLD_TOL = 1e-5


@dataclass(frozen=True)
class FirstLevelControl:
    """How λ and μ are chosen."""

    strategy: str  # Descent with the exact slope, or the simplex of the paper
    # The slope of the logarithm of the loss, by log λ and log μ, at which the descent ends; for the
    # simplex, how far apart its corners may be
    tol: float
    max_iter: int  # Limit on evaluations of the loss, and on the machines trained for each θ
    # Told of every evaluation; may end the search early
    stopping: StoppingControl = field(default_factory=StoppingControl)
    # Whether folds ask for their machines together, which are then kept together, too
    together: bool = False
    several: bool = False  # Whether other starts than equal scales are looked at, where μ is chosen
    options: SelectionOptions = field(default_factory=SelectionOptions)  # Of the LS-SVM to beat


class FirstLevelSearch:
    """Chooses λ and μ stage by stage, from one family to the next, and counts."""

    def __init__(
        self,
        folds: Sequence[Indices],
        x: Array,
        free: NDArray[np.bool_],
        control: FirstLevelControl,
    ) -> None:
        self.folds, self.x, self.free, self.control = folds, x, free, control
        self.low, self.high = x - _WITHIN, x + _WITHIN
        self.n_evaluations = self.n_points = 0
        self.converged = True
        self.loss: float | None = None
        self.best: CrossValidatedLoss | None = None

    @property
    def least(self) -> float:
        """The loss that was found; infinite if there is none."""
        return np.inf if self.loss is None else self.loss

    def add_counts(self, other: FirstLevelSearch) -> None:
        """Count what another search has evaluated."""
        self.n_evaluations += other.n_evaluations
        self.n_points += other.n_points

    def stage(
        self, problem: FirstLevelProblem, start: Array, rougher: float, below: float = np.inf
    ) -> TrainingSearch[Array]:
        """Learn in one family; a search for a θ to go on from, soon if it is time to end.

        Nothing is descended from a start whose loss is not below a given one.
        """
        stopping = self.control.stopping
        if stopping.stopped is not None:
            return start
        if not self.free.any():
            return (yield from self._given(problem, start))
        cv = CrossValidation(
            problem,
            self.folds,
            _FOLD_TOL,
            self.control.max_iter,
            stopping.check,
            self.control.together,
        )
        best = self.best = None
        try:
            best = yield from self._searched(cv, start, rougher, below)
        except (Stopped, KeyboardInterrupt) as stop:
            stopping.accept(stop)
            best = self.best
        if best is None:  # λ, μ and θ stay those of the stage before, or where that started
            return start
        self.x, self.loss = best.x, best.loss
        return np.asarray(np.mean([fold.theta for fold in best.folds], axis=0))

    def _searched(
        self, cv: CrossValidation, start: Array, rougher: float, below: float
    ) -> TrainingSearch[CrossValidatedLoss]:
        def near(x: Array, known: CrossValidatedLoss) -> TrainingSearch[CrossValidatedLoss]:
            return self._counted((yield from cv.near(x, known)))

        first = self._counted((yield from cv.at(self.x, start)))
        if not np.isfinite(first.loss):
            raise np.linalg.LinAlgError("no machine could be trained")
        if first.loss >= below:
            return first
        if self.control.strategy != "gradient":
            return self._simplex(cv, first, rougher)
        result = yield from capped_bfgs(
            near,
            first,
            self.free,
            self.low,
            self.high,
            rougher * self.control.options.rougher * self.control.tol,
            self.control.max_iter,
        )
        self.converged = result.converged
        return result.best

    def _given(self, problem: FirstLevelProblem, start: Array) -> TrainingSearch[Array]:
        lam, mu = np.exp(self.x)
        descent = yield from problem.descent(
            start, lam, mu, _FOLD_TOL, self.control.max_iter, self.control.stopping
        )
        if descent is None:
            return start
        self.n_points += descent.n_points
        return descent.point.theta

    def _simplex(
        self, cv: CrossValidation, first: CrossValidatedLoss, rougher: float
    ) -> CrossValidatedLoss:
        best = first
        unit = first.loss or 1.0

        def loss(variables: Array) -> float:
            nonlocal best
            x = self.x.copy()
            x[self.free] = variables
            place = self._counted(alone(cv.near(np.clip(x, self.low, self.high), best)))
            best = place if place.loss < best.loss else best
            return place.loss / unit

        options = {
            "xatol": rougher * self.control.tol,
            "fatol": rougher * self.control.tol,
            "maxfev": self.control.max_iter,
        }
        ended = minimize(loss, self.x[self.free], method="Nelder-Mead", options=options)
        self.converged = bool(ended.success)
        return best

    def _counted(self, place: CrossValidatedLoss) -> CrossValidatedLoss:
        self.n_evaluations += 1
        self.n_points += place.n_points
        if np.isfinite(place.loss) and (self.best is None or place.loss < self.best.loss):
            self.best = place
        if self.best is not None:
            self.control.stopping.tell(_in_words(place), self.best.loss)
        return place


def _in_words(place: CrossValidatedLoss) -> str:
    lam, mu = np.exp(place.x)
    kind = "common scale" if place.folds and len(place.folds[0].theta) == 1 else "all scales"
    return f"{kind}, lam {lam:.3g}, mu {mu:.3g}, cross-validated loss {place.loss:.6g}"
