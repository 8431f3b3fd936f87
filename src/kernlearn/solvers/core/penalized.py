"""A quality plus a penalty on the weights, whatever computes the quality."""

from __future__ import annotations

from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from kernlearn.numerics.sums import EPS
from kernlearn.solvers.core.oracle import Evaluation, Objective, Penalty, Plane, penalized_plane
from kernlearn.typing import Array, Indices

Kind = TypeVar("Kind", bound=Evaluation)


class PenalizedObjective:
    """The sum of an objective and a penalty, which is λΩ(k) as a function of the weights."""

    def __init__(self, objective: Objective, penalty: Penalty, normaliser: Array) -> None:
        self.objective, self.penalty, self.normaliser = objective, penalty, normaliser

    @property
    def n_solves(self) -> int:
        """Machines solved so far."""
        return self.objective.n_solves

    @n_solves.setter
    def n_solves(self, count: int) -> None:
        self.objective.n_solves = count

    def evaluate(
        self, weights: Array, warm: Evaluation | None, tol: float
    ) -> PenalizedEvaluation[Evaluation] | None:
        """Evaluate both at ``weights``."""
        found = self.objective.evaluate(weights, without_penalty(warm), tol)
        return None if found is None else PenalizedEvaluation(self, found)


class PlaneObjective:
    """A plane as an objective: with a penalty, what coefficients prove of all weights."""

    n_solves = 0

    def __init__(self, plane: Plane) -> None:
        self.plane = plane

    def evaluate(self, weights: Array, warm: Evaluation | None, tol: float) -> PlaneEvaluation:
        """The value of the plane."""
        return PlaneEvaluation(self.plane, weights)


class PlaneEvaluation:
    """A plane at some weights."""

    noise, vanishing = 0.0, np.inf

    def __init__(self, plane: Plane, weights: Array) -> None:
        self.plane, self.weights = plane, weights
        self.upper = plane.constant + float(plane.gradient @ weights)
        self.resolution = float((plane.noise * np.abs(weights)).sum()) + EPS * abs(self.upper)

    @property
    def hessian(self) -> Array:
        """Zero, as a plane is flat."""
        return np.zeros((len(self.weights), len(self.weights)))

    def predicted_plane(self, step: Array) -> Plane:
        """The plane itself."""
        return self.plane


class PenalizedEvaluation(Generic[Kind]):
    """An evaluation of the quality, with the penalty at its weights."""

    vanishing = np.inf

    def __init__(self, objective: PenalizedObjective, quality: Kind) -> None:
        self.objective, self.quality, self.weights = objective, quality, quality.weights
        value = objective.penalty.value(quality.weights)
        self.upper, self.noise = quality.upper + value, quality.noise
        self.plane = self._plane(quality.plane, quality.weights)
        self.resolution = quality.resolution + 2.0 * EPS * abs(value)

    def _plane(self, plane: Plane, weights: Array) -> Plane:
        return penalized_plane(plane, self.objective.penalty, weights, self.objective.normaliser)

    @cached_property
    def hessian(self) -> Array:
        """The curvature of both."""
        return np.asarray(self.quality.hessian + self.objective.penalty.hessian(self.weights))

    def predicted_plane(self, step: Array) -> Plane | None:
        """A plane that touches the objective at ``weights + step``, to first order."""
        plane = self.quality.predicted_plane(step)
        return None if plane is None else self._plane(plane, self.weights + step)


def without_penalty(found: Evaluation | None) -> Evaluation | None:
    """The evaluation of the quality alone."""
    return found.quality if isinstance(found, PenalizedEvaluation) else found


class PenaltyOnSome:
    """A penalty as a function of the weights of some kernels, all others being zero."""

    def __init__(self, penalty: Penalty, active: Indices, n_weights: int) -> None:
        self.penalty, self.active, self.n_weights = penalty, active, n_weights

    def _all(self, weights: Array) -> Array:
        every = np.zeros(self.n_weights)
        every[self.active] = weights
        return every

    def value(self, weights: Array) -> float:
        """Value at ``weights``."""
        return self.penalty.value(self._all(weights))

    def gradient(self, weights: Array) -> Array:
        """Gradient at ``weights``."""
        return np.asarray(self.penalty.gradient(self._all(weights))[self.active])

    def hessian(self, weights: Array) -> Array:
        """Hessian at ``weights``."""
        H = self.penalty.hessian(self._all(weights))
        return np.asarray(H[np.ix_(self.active, self.active)])


def on_some(penalty: Penalty | None, active: Indices, n_weights: int) -> Penalty | None:
    """The penalty of the weights of some kernels, if there is one."""
    return None if penalty is None else PenaltyOnSome(penalty, active, n_weights)
