r"""The search for λ and μ: one stage for each family, by descent or by simplex.

The descent requests its machines, as in :mod:`kernlearn.solvers.optimize.coroutines`; the simplex,
which is not written here, trains them alone. Both minimise the cross-validated loss. Every fold
learns its own θ. Its derivatives by log λ and log μ, which the slope of the loss needs anyway, tell
where to start at neighbouring values: usually one or two Newton steps away. The loss E of a fold
has slopes by λ and θ (`FirstLevelPoint.outside`), and θ moves as

.. math::

    \mathrm{d}\theta/\mathrm{d}\log\mu = -H^{-1}\mu\nabla\Omega, \qquad
    \mathrm{d}\theta/\mathrm{d}\log\lambda = -\lambda H^{-1} \partial_\lambda\nabla J,

by implicit differentiation of ∂J/∂θ = 0, H being the Hessian of J over the parameters that are
not at their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from kernlearn.numerics.positions import complement
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.first_level.evidence import LaplaceEvidence, evidence_at
from kernlearn.solvers.first_level.loss_point import LossPoint
from kernlearn.solvers.first_level.problem import (
    FirstLevelPoint,
    FirstLevelProblem,
    Trained,
    TrainingSearch,
    alone,
)
from kernlearn.solvers.optimize.coroutines import gather, in_turn
from kernlearn.solvers.optimize.descent import Descent, capped_bfgs
from kernlearn.solvers.selection.objective import SelectionOptions
from kernlearn.typing import Array, Indices, Mask

# Logarithm of the largest factor by which a predicted start may change.
_FAR = 2.0
# The share of its usual size below which a parameter counts as zero there.
_SMALL = 1e-3
# A step in log λ and log μ for the slope of the evidence.
_DIFFERENCE = 1e-4


@dataclass(frozen=True, eq=False)
class FoldLoss:
    """The loss of one fold."""

    # The sum over the held-out points, corrected to first order for the last Newton step
    loss: float
    slope: Array  # Derivatives of the loss by log λ and log μ, of shape (2,)
    theta: Array  # The fold's parameters, of shape (p,)
    drift: Array  # Derivatives of θ by log λ and log μ, of shape (p, 2)


# The machine of a fold, and the number of machines trained for it.
FoldResult: TypeAlias = tuple[FoldLoss, int]


@dataclass(frozen=True, eq=False)
class CrossValidatedLoss:
    """The loss at one place."""

    x: Array  # log λ and log μ, of shape (2,)
    # The mean of ½(y - f)² over all points, each held out once; infinite where nothing could be
    # trained
    loss: float
    slope: Array  # Derivatives of the loss, of shape (2,)
    folds: tuple[FoldLoss, ...]  # The machine of each fold
    n_points: int  # Machines trained, over all folds

    def predicted(self, x: Array, scale: Array, signed: bool = False) -> list[Array]:
        """θ of every fold at another place, by its logarithmic derivatives unless it is signed."""
        starts = []
        for fold in self.folds:
            moved = fold.drift @ (x - self.x)
            if signed:
                starts.append(fold.theta + np.clip(moved, -scale, scale))
                continue
            size = np.maximum(fold.theta, _SMALL * scale)
            factor = np.exp(np.clip(moved / size, -_FAR, _FAR))
            starts.append(np.asarray(fold.theta * factor))
        return starts


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """A first-level problem and the folds on which λ and μ are judged."""

    problem: FirstLevelProblem  # All data
    folds: Sequence[Indices]  # The rows held out together; every row is in one fold
    tol: float  # Relative decrease of the training criterion at which a fold stops
    max_iter: int  # Limit on the machines trained in a fold
    # Called before every machine; may raise to end the evaluation
    check: Callable[[], None] | None = None
    # Whether the requests of the folds form one batch if their starts are known
    together: bool = False

    @cached_property
    def parts(self) -> list[tuple[FirstLevelProblem, FirstLevelProblem]]:
        """For every fold the problem without its rows, and with no others."""
        n = len(self.problem.X)
        rows = [(complement(n, held_out), held_out) for held_out in self.folds]
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
        starts = known.predicted(x, self.problem.scale, self.problem.family.signed)
        searches = [self._fold(number, x, start) for number, start in enumerate(starts)]
        run = gather if self.together else in_turn
        return self._evaluation(x, (yield from run(searches)))

    def _fold(self, number: int, x: Array, start: Array) -> TrainingSearch[FoldResult | None]:
        """The θ of a fold and the number of its machines; None if no machine could be trained."""
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


@dataclass(frozen=True, eq=False)
class EvidenceSearch:
    """A first-level problem whose λ and μ are judged by their evidence: nothing is held out."""

    problem: FirstLevelProblem  # All data
    tol: float  # Relative decrease of the training criterion at which a training stops
    max_iter: int  # Limit on the machines trained in a training
    check: Callable[[], None] | None = None  # Called before every machine; may raise

    def at(self, x: Array, start: Array) -> TrainingSearch[CrossValidatedLoss]:
        """Evaluate from one θ."""
        lam, mu = np.exp(x)
        descent = yield from self.problem.descent(
            start, lam, mu, self.tol, self.max_iter, check=self.check
        )
        point = None if descent is None else descent.point
        found = evidence_at(point) if isinstance(point, FirstLevelPoint | LossPoint) else None
        n_points = 0 if descent is None else descent.n_points
        if found is None or not isinstance(point, FirstLevelPoint | LossPoint):
            return CrossValidatedLoss(x, np.inf, np.zeros(2), (), n_points)
        right = np.column_stack([lam * point.mixed, mu * point.theta])
        drift = _drift(point, right, point.theta > self.problem.low)
        slope = found.loss * 2.0 / found.size * self._slope(point, found, drift)
        fold = FoldLoss(found.loss, slope, point.theta, drift)
        return CrossValidatedLoss(x, found.loss, slope, (fold,), n_points)

    def near(self, x: Array, known: CrossValidatedLoss) -> TrainingSearch[CrossValidatedLoss]:
        """Evaluate from the θ that a known place predicts for this one."""
        (start,) = known.predicted(x, self.problem.scale)
        return (yield from self.at(x, start))

    def _slope(
        self, point: FirstLevelPoint | LossPoint, found: LaplaceEvidence, drift: Array
    ) -> Array:
        """The derivatives of −log Z by log λ and log μ, while θ moves with them."""
        slope = np.zeros(2)
        for i, factors in enumerate(np.exp(_DIFFERENCE * np.eye(2))):
            theta = np.maximum(point.theta + _DIFFERENCE * drift[:, i], self.problem.low)
            lam, mu = np.array([float(point.lam), float(point.mu)]) * factors
            moved = self.problem.at(theta, lam, mu)
            there = None if moved is None else evidence_at(moved)
            if there is not None:
                slope[i] = (there.value - found.value) / _DIFFERENCE
        return slope


def held_out_loss(descent: Descent[Trained], others: FirstLevelProblem) -> FoldLoss:
    """The loss on other points of the machine that the descent ended with."""
    point, step = descent.point, descent.step
    outside = point.outside(others)
    by_mu = point.mu * point.problem.penalty.gradient(point.theta)
    right = np.column_stack([point.lam * outside.mixed, by_mu])
    drift = _drift(point, right, point.theta + step > others.low)
    slope = outside.by_theta @ drift + np.array([point.lam * outside.by_lam, 0.0])
    loss = float(outside.loss) + float(outside.by_theta @ step)
    return FoldLoss(loss, slope, np.maximum(point.theta + step, others.low), drift)


def _drift(point: Trained, right: Array, free: Mask) -> Array:
    """dθ by (log λ, log μ)."""
    drift = np.zeros_like(right)
    if free.any():
        # In units of their usual size, since parameters may differ by many orders of magnitude.
        size = np.maximum(np.abs(point.theta), point.problem.scale)[free]
        H = point.hessian[np.ix_(free, free)] * np.outer(size, size)
        scaled_drift = np.linalg.lstsq(H, size[:, None] * right[free], rcond=None)[0]
        drift[free] = -size[:, None] * scaled_drift
    return drift


# Criterion of λ and μ.
Judge: TypeAlias = CrossValidation | EvidenceSearch

STRATEGIES = ("gradient", "nelder-mead")

# Descents stay within these factors of where λ and μ start.
_WITHIN = np.log([1e6, 1e10])
# Folds stop early, since the loss is corrected for the last step.
_FOLD_TOL = 1e-5
# The evidence is that of a minimum.
_TRAINING_TOL = 1e-9


@dataclass(frozen=True)
class FirstLevelControl:
    """Method and limits of the choice of λ and μ."""

    strategy: str  # Descent with the exact slope, or the simplex of the paper
    # The slope of the logarithm of the loss, by log λ and log μ, at which the descent ends; for the
    # simplex, how far apart its corners may be
    tol: float
    max_iter: int  # Limit on evaluations of the loss, and on the machines trained for each θ
    # Reports every evaluation; may end the search early
    stopping: StoppingControl = field(default_factory=StoppingControl)
    # Whether the requests of the folds form one batch, whose machines are kept together
    together: bool = False
    by_evidence: bool = False  # Whether λ and μ are judged by the evidence, not on folds
    several: bool = False  # Whether other starts than equal scales are looked at, where μ is chosen
    options: SelectionOptions = field(
        default_factory=SelectionOptions
    )  # Options of the LS-SVM to beat


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
        cv = self._judge(problem)
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

    def _judge(self, problem: FirstLevelProblem) -> Judge:
        limit, check = self.control.max_iter, self.control.stopping.check
        if self.control.by_evidence:
            return EvidenceSearch(problem, _TRAINING_TOL, limit, check)
        together = self.control.together
        return CrossValidation(problem, self.folds, _FOLD_TOL, limit, check, together)

    def _searched(
        self, cv: Judge, start: Array, rougher: float, below: float
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

    def _simplex(self, cv: Judge, first: CrossValidatedLoss, rougher: float) -> CrossValidatedLoss:
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
            name = "evidence as a loss" if self.control.by_evidence else "cross-validated loss"
            self.control.stopping.report(
                f"{_in_words(place)}, {name} {place.loss:.6g}", self.best.loss
            )
        return place


def _in_words(place: CrossValidatedLoss) -> str:
    lam, mu = np.exp(place.x)
    kind = "common scale" if place.folds and len(place.folds[0].theta) == 1 else "all scales"
    return f"{kind}, lam {lam:.3g}, mu {mu:.3g}"
