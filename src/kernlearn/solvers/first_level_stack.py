"""Machines of first-level learning trained together, as stacks of matrices on a device.

The members of a stack are problems of one size: the folds of one table, or of a hundred. Each has
its own θ, λ and μ. Rows go to the device once; what comes back for a machine has the size of θ,
apart from its coefficients. The derivatives are those of
:class:`kernlearn.solvers.first_level_point.FirstLevelPoint`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import (
    Place,
    beside,
    eye_beside,
    give_back,
    is_out_of_memory,
    lower_factors,
    namespace,
    take,
    to_host,
)
from kernlearn.families.parametric import ParametricKernel
from kernlearn.solvers.bordered import Bordered
from kernlearn.solvers.bounded_newton import QuadraticModel
from kernlearn.solvers.first_level import LEAST_RIDGES, Ask, FirstLevelProblem, Trained
from kernlearn.solvers.first_level_point import FirstLevelPoint, Outside

Array = NDArray[np.float64]

# Matrices of the size of the kernel's that a machine has at most in a stack, and columns of pairs
# of parameters that exist together; and the part of the free memory that they may take.
_MATRICES, _PAIRS, _PART = 10, 4 * 512, 0.5
# What a stack may take on the host: there it saves nothing to have a large one.
_ON_HOST = 2.0**28


@dataclass(frozen=True, eq=False)
class Member:
    """One machine of a stack, on the host."""

    problem: FirstLevelProblem
    theta: Array
    lam: float
    mu: float
    objective: float
    gradient: Array
    hessian: Array
    model: QuadraticModel
    dual_coef: Array
    intercept: Array
    judged: Outside | None

    @property
    def K(self) -> Array:
        """The kernel matrix, made again."""
        return self.problem.family.matrix(self.problem.X, None, self.theta)

    def outside(self, others: FirstLevelProblem) -> Outside:
        """The loss on the points that were named when it was asked for."""
        if self.judged is None:
            raise ValueError("expected the points when the machine was asked for, got them now")
        return self.judged


@dataclass(eq=False)
class _Shelf:
    """Problems of one size on a device: each is moved there once and found by its place."""

    put: Callable[[Any], Any]
    found: dict[int, int] = field(default_factory=dict)
    problems: list[FirstLevelProblem] = field(default_factory=list)
    arrays: tuple[Any, Any, Any] | None = None

    def stack(self, problems: Sequence[FirstLevelProblem]) -> tuple[Any, Any, Any]:
        """X, Y and the weights of these problems."""
        # The identity of an object is its own as long as the object lives, as here it does.
        new = {id(problem): problem for problem in problems if id(problem) not in self.found}
        if new:
            self._add(list(new.values()))
        rows = np.array([self.found[id(problem)] for problem in problems])
        assert self.arrays is not None
        X, Y, weight = (take(array, rows) for array in self.arrays)
        return X, Y, weight

    def _add(self, new: list[FirstLevelProblem]) -> None:
        for problem in new:
            self.found[id(problem)] = len(self.problems)
            self.problems.append(problem)
        X, Y, weight = (
            self.put(np.stack([getattr(problem, name) for problem in new]))
            for name in ("X", "Y", "weight")
        )
        if self.arrays is not None:
            concat = namespace(X).concat
            X, Y, weight = map(concat, zip(self.arrays, (X, Y, weight), strict=True))
        self.arrays = X, Y, weight


class FirstLevelStacks:
    """Answers the questions of searches for machines by training them in stacks.

    Machines that cannot be stacked, since their family is for single tables, and those that a stack
    cannot train, since they need a larger ridge, are trained alone on the host.

    Parameters
    ----------
    place : Place or None
        Where to; None for NumPy on the host.
    """

    def __init__(self, place: Place | None) -> None:
        self.place = place
        self._shelves: dict[Any, _Shelf] = {}

    def __call__(self, asks: Sequence[Ask]) -> list[Trained | None]:
        """A machine for every question, or None."""
        groups: dict[Any, list[int]] = defaultdict(list)
        for number, ask in enumerate(asks):
            groups[_size(ask)].append(number)
        answers: list[Trained | None] = [None] * len(asks)
        for numbers in groups.values():
            for number, answer in zip(
                numbers, self._trained([asks[i] for i in numbers]), strict=True
            ):
                answers[number] = answer
        return answers

    def _trained(self, asks: list[Ask]) -> list[Trained | None]:
        """The machines of one size."""
        family = asks[0].problem.family.stack([ask.problem.family for ask in asks])
        if family is None:
            return [ask.alone() for ask in asks]
        step = max(1, int(self._room() / _bytes_of(asks[0])))
        if len(asks) > step:
            parts = [self._trained(asks[i : i + step]) for i in range(0, len(asks), step)]
            return [answer for part in parts for answer in part]
        try:
            # Where one machine cannot be trained, its numbers are undefined.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return self._stacked(asks, family)
        except Exception as error:
            if len(asks) == 1 or not is_out_of_memory(error):
                raise
        # Outside of the clause, which would keep what the arrays of the attempt are held by.
        give_back(self._stack_of([asks[0].problem])[0])
        half = len(asks) // 2
        return self._trained(asks[:half]) + self._trained(asks[half:])

    def _stacked(self, asks: list[Ask], family: ParametricKernel) -> list[Trained | None]:
        theta = np.stack([ask.theta for ask in asks])
        lam, mu = np.array([[ask.lam, ask.mu] for ask in asks]).T
        X, Y, weight = self._stack_of([ask.problem for ask in asks])
        scale = np.stack([ask.problem.scale for ask in asks])
        problem = FirstLevelProblem(family, X, Y, weight, scale)
        K = family.matrix(X, None, theta)
        mean = to_host(namespace(K).mean(namespace(K).linalg.diagonal(K), axis=-1))
        used = np.fmax(lam, LEAST_RIDGES[0] * mean)
        ridge = beside(used[:, None], weight) / weight
        n = K.shape[-1]
        factors, fine = lower_factors(K + ridge[:, None, :] * eye_beside(n, n, K))
        factor = Bordered(factors)
        dual_coef, intercept = factor.solve(Y)
        point = FirstLevelPoint(problem, theta, used, mu, K, factor, dual_coef, intercept)
        others = [ask.others for ask in asks if ask.others is not None]
        judged = None
        if others:
            parts = self._stack_of(others)
            judged = point.outside(FirstLevelProblem(family, *parts, scale))
        return _members(asks, point, judged, fine)

    def _stack_of(self, problems: list[FirstLevelProblem]) -> tuple[Any, Any, Any]:
        size = (problems[0].X.shape, problems[0].Y.shape)
        if size not in self._shelves:
            self._shelves[size] = _Shelf(np.asarray if self.place is None else self.place.put)
        return self._shelves[size].stack(problems)

    def _room(self) -> float:
        free = None if self.place is None else self.place.free_bytes()
        return _ON_HOST if free is None else _PART * free


def _members(
    asks: list[Ask], point: FirstLevelPoint, judged: Outside | None, fine: NDArray[np.bool_]
) -> list[Trained | None]:
    """The machines of a stack one by one; those that are none are trained alone."""
    objective, gradient, hessian = point.objective, point.gradient, point.hessian
    fine = fine & np.isfinite(objective) & np.isfinite(hessian).all(axis=(1, 2))
    scale = point.problem.scale
    models = QuadraticModel.of(
        np.where(fine[:, None], point.theta, scale),
        np.where(fine, objective, 1.0),
        np.where(fine[:, None], gradient, 0.0),
        np.where(fine[:, None, None], hessian, np.eye(hessian.shape[-1])),
        scale,
    )
    dual_coef, intercept = to_host(point.dual_coef), to_host(point.intercept)
    return [
        Member(
            ask.problem,
            ask.theta,
            float(point.lam[i]),
            ask.mu,
            float(objective[i]),
            gradient[i],
            hessian[i],
            models[i],
            dual_coef[i].copy(),  # a fitted model is not to keep those of others
            intercept[i],
            None if judged is None else judged[i],
        )
        if fine[i]
        else ask.alone()
        for i, ask in enumerate(asks)
    ]


def _size(ask: Ask) -> Any:
    """What machines have in common that can be in one stack."""
    problem, others = ask.problem, ask.others
    return (
        type(problem.family),
        problem.X.shape,
        problem.Y.shape,
        len(ask.theta),
        None if others is None else others.X.shape,
    )


def _bytes_of(ask: Ask) -> float:
    """What a machine takes in a stack."""
    n = len(ask.problem.X)
    n_others = 0 if ask.others is None else len(ask.others.X)
    return 8.0 * n * (_MATRICES * n + _PAIRS + 4 * n_others)
