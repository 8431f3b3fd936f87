"""First-level kernel learning for given λ and μ: the problem, and searches that train machines.

The criterion and its derivatives are in :mod:`kernlearn.solvers.first_level.point`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.parametric import ParametricKernel
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.first_level.point import FirstLevelPoint, Trained
from kernlearn.solvers.machine.bordered import Bordered
from kernlearn.solvers.optimize.bounded_newton import Descent, bounded_newton
from kernlearn.solvers.optimize.coroutines import drive
from kernlearn.typing import Array

# Ridges below these shares of the mean diagonal of K drown in rounding; the next one is tried
# where a factorisation fails, which happens with duplicated points and nearly constant kernels.
LEAST_RIDGES = (1e-11, 1e-9, 1e-7, 1e-5)


@dataclass(frozen=True, eq=False)
class FirstLevelProblem:
    """Data and family; λ, μ and θ are still free."""

    family: ParametricKernel  # The kernels to choose from
    X: Array  # Points, of shape (n, d)
    Y: Array  # Targets, one column for each machine; of shape (n, k)
    weight: Array  # Positive sample weights, of shape (n,)
    # The usual size of every parameter: the family's start for all data, of shape (p,)
    scale: Array

    @property
    def low(self) -> Array:
        """The least θ allowed."""
        return self.family.floor * self.scale

    def rows(self, chosen: NDArray[np.intp]) -> FirstLevelProblem:
        """The same problem on some of the points."""
        return replace(self, X=self.X[chosen], Y=self.Y[chosen], weight=self.weight[chosen])

    def along(self, direction: Array) -> FirstLevelProblem:
        """The same problem with θ = c · direction, and so ‖θ‖ = c where that has length one."""
        family = self.family.along(direction)
        return replace(self, family=family, scale=family.start(self.X))

    def minimise(
        self,
        start: Array,
        lam: float,
        mu: float,
        tol: float,
        max_iter: int,
        stopping: StoppingControl | None = None,
    ) -> Descent[Trained] | None:
        """Minimise J from a start, by itself; see `descent`."""
        return alone(self.descent(start, lam, mu, tol, max_iter, stopping))

    def descent(
        self,
        start: Array,
        lam: float,
        mu: float,
        tol: float,
        max_iter: int,
        stopping: StoppingControl | None = None,
        check: Callable[[], None] | None = None,
        others: FirstLevelProblem | None = None,
    ) -> Asking[Descent[Trained] | None]:
        """Minimise J from a start, or from the usual size where no machine can be trained there.

        None if none can be trained at either. `stopping` may end it early with the best point;
        `check` is called before every machine, and what it raises passes through. The loss on
        `others` will be asked for at the end.
        """

        def ask(theta: Array) -> Asking[Trained | None]:
            (point,) = yield [Ask(self, theta, lam, mu, others)]
            return point

        def evaluate(theta: Array) -> Asking[Trained | None]:
            if check is not None:
                check()
            return (yield from ask(theta))

        first = yield from ask(np.maximum(start, self.low))
        if first is None:
            first = yield from ask(self.scale)
        if first is None:
            return None
        newton = bounded_newton(evaluate, first, self.low, tol, max_iter, stopping)
        return (yield from newton)

    def at(self, theta: Array, lam: float, mu: float) -> FirstLevelPoint | None:
        """Train the machine at θ; None where the kernel overflows or no ridge would do."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                K = self.family.matrix(self.X, None, theta)
        except BREAKDOWNS:
            # Kernels of the library refuse to overflow: a step that was too long.
            return None
        mean = float(K.diagonal().mean())
        if not np.isfinite(mean):
            return None
        for share in LEAST_RIDGES:
            used = max(lam, share * mean)
            factor = Bordered.of(K, used / self.weight)
            if factor is not None:
                return self._trained(theta, used, mu, K, factor)
        return None

    def _trained(
        self, theta: Array, lam: float, mu: float, K: Array, factor: Bordered
    ) -> FirstLevelPoint | None:
        dual_coef, intercept = factor.solve(self.Y)
        point = FirstLevelPoint(self, theta, lam, mu, K, factor, dual_coef, intercept)
        return point if np.isfinite(point.objective) else None


@dataclass(frozen=True, eq=False)
class Ask:
    """A machine that is to be trained at θ, and the points it will be judged on, if any."""

    problem: FirstLevelProblem
    theta: Array
    lam: float
    mu: float
    others: FirstLevelProblem | None = None

    def alone(self) -> FirstLevelPoint | None:
        """Train it by itself."""
        return self.problem.at(self.theta, self.lam, self.mu)


R = TypeVar("R")
# A search that asks for machines, as in `kernlearn.solvers.optimize.coroutines`.
Asking: TypeAlias = Generator[list[Ask], list[Trained | None], R]


def train_alone(asks: Sequence[Ask]) -> list[Trained | None]:
    """The machines that are asked for, each by itself."""
    return [ask.alone() for ask in asks]


def alone(search: Asking[R]) -> R:
    """The result of a search that is run by itself."""
    return drive(search, train_alone)
