"""Any machine over factors, for the outer method: value, plane and curvature."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn.families.factor_rows import FactorRows
from kernlearn.families.factors import root as root_of
from kernlearn.numerics.sums import EPS
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.oracle import VANISHING, Evaluation, Plane, factor_plane
from kernlearn.solvers.nystroem.nearby import NearbySystems
from kernlearn.solvers.nystroem.proximal import (
    FactorSolution,
    ProximalNewton,
    Responses,
    with_sum,
)
from kernlearn.solvers.nystroem.systems import Root
from kernlearn.typing import Array

# Beside a K of size one: with less, rounding of a function changes coefficients.
SMALL_RIDGE = 1e-7
WARM = 0.1  # of the first δ, from a solution near by


class FactorObjective:
    """The sum of the values of machines that share one kernel, kept as factors."""

    def __init__(
        self,
        rows: FactorRows,  # Z
        machines: Sequence[Machine],  # one, or one per class of a one-against-rest problem
        # (q, R): the triangular factor of Z, for weights of both signs
        triangle: Array | None = None,
    ) -> None:
        self.rows, self.machines, self._triangle = rows, machines, triangle
        self.membership = rows.factors.membership
        self.n_solves = self.n_steps = 0
        self.start: list[FactorSolution] = []
        self._systems: dict[int, NearbySystems] = {}

    def evaluate(
        self, weights: Array, warm: Evaluation | None, tol: float
    ) -> FactorEvaluation | None:
        """Solve every machine at K(w)."""
        root = self.root(weights)
        earlier = warm.solutions if isinstance(warm, FactorEvaluation) else self.start
        solutions = []
        for i, machine in enumerate(self.machines):
            self.n_solves += 1
            newton = ProximalNewton(machine, self.systems(i), root)
            last = earlier[i] if earlier else None
            solutions.append(newton.solve(*start_of(machine, self.rows, last), tol=tol))
            self.n_steps += newton.n_steps
        return FactorEvaluation(self, weights, root, solutions)

    def systems(self, machine: int) -> NearbySystems:
        """The systems of a machine so far.

        Of several machines no more numbers are kept than Z has: two for each pair of columns.
        """
        if machine not in self._systems:
            if len(self._systems) >= self.rows.n_rows // (2 * self.rows.n_columns):
                self._systems.clear()
            self._systems[machine] = NearbySystems(self.rows)
        return self._systems[machine]

    def plane(self, coefs: Sequence[Array], cs: Sequence[Array]) -> Plane:
        """The plane below the objective that feasible coefficients define; see `Objective`."""
        return factor_plane(self.machines, coefs, cs, self.membership, self._lengths)

    @cached_property
    def _lengths(self) -> Array:
        """Lengths of the columns of Z."""
        return np.sqrt(self.rows.squared_lengths())

    @cached_property
    def _basis(self) -> Array:
        assert self._triangle is not None
        return root_of(self._triangle)

    def root(self, weights: Array) -> Root:
        """T with K(w) = Z T Tᵀ Zᵀ."""
        diagonal = self.membership @ weights
        if weights.min() >= 0:
            return Root(diagonal)
        # With Z = QFᵀ the kernel is Q(FᵀDF)Qᵀ; and ZDF is Q(FᵀDF).
        F = self._basis
        values, vectors = np.linalg.eigh((F.T * diagonal) @ F)
        # A difference below the rounding of cancelling terms is noise.
        kept = values > 4.0 * EPS * float(np.abs(diagonal) @ (F**2).sum(axis=1))
        half = vectors[:, kept] / np.sqrt(values[kept])
        return Root(diagonal, diagonal[:, None] * (F @ half))


def first_delta(machine: Machine) -> float:
    """A δ that is felt all over the box, and beside a K of size one.

    Zero where the machine has a ridge of its own that is.
    """
    if machine.temperature or machine.ridge.min() > SMALL_RIDGE:
        return 0.0
    width = machine.breakpoints[:, -1] - machine.breakpoints[:, 0]
    # Rows count by their boxes: beside others that are orders of magnitude wider, they are zero.
    largest = float(width.max())
    if not 0.0 < largest < np.inf:
        return 1.0
    share = width / largest
    return max(1.0, float(share.sum()) / (largest * float(share @ share)))


def start_of(
    machine: Machine, rows: FactorRows, last: FactorSolution | None
) -> tuple[Array, Array, float, float]:
    """Coefficients, Zᵀ times them, intercept and δ to start from."""
    delta = first_delta(machine)
    if last is not None:
        return last.coef, last.c, last.intercept, WARM * delta
    zero = np.zeros(machine.n_points)
    total = float(machine.rhs[0])
    a = zero if total == 0 else with_sum(machine, zero, zero == 0, total)
    c = np.zeros(rows.n_columns) if total == 0 else rows.transposed_times(a)
    return a, c, 0.0, delta


def extended_start(machine: Machine, rows: FactorRows, sample: FactorSolution) -> FactorSolution:
    """A start on all rows, from the function learned on a few of them."""
    f = rows.times(sample.columns) + sample.intercept
    responses = Responses(machine, np.zeros(machine.n_points), WARM * first_delta(machine))
    guess = responses.at(f)
    return replace(sample, coef=guess.a, curvature=guess.curvature)


class FactorEvaluation:
    """Machines solved at K(w)."""

    def __init__(
        self,
        objective: FactorObjective,
        weights: Array,
        root: Root,
        solutions: list[FactorSolution],
    ) -> None:
        self.objective, self.weights, self.solutions = objective, weights, solutions
        self._root = root
        self.upper = sum(s.upper for s in solutions)
        self.plane = objective.plane([s.coef for s in solutions], [s.c for s in solutions])
        noise = float(np.abs(weights) @ np.asarray(self.plane.noise))
        self.resolution = noise + EPS * abs(self.upper)
        self.noise = sum(s.gap for s in solutions)
        self.vanishing = np.inf
        if all(machine.may_vanish for machine in objective.machines):
            # In units of the mean diagonal entry.
            terms = 0.5 * sum(float(np.abs(s.coef).sum()) ** 2 for s in solutions)
            self.vanishing = -VANISHING * terms

    @cached_property
    def _curved(self) -> list[_Curvature]:
        objective, root = self.objective, self._root
        return [
            _Curvature(objective.systems(i), root, solution)
            for i, solution in enumerate(self.solutions)
        ]

    @cached_property
    def hessian(self) -> Array:
        """Sum of the machines' curvatures."""
        m = len(self.weights)
        return sum((each.hessian for each in self._curved), start=np.zeros((m, m)))

    def predicted_plane(self, step: Array) -> Plane | None:
        """The plane of the coefficients moved along the solution path."""
        coefs, cs = [], []
        for machine, curved in zip(self.objective.machines, self._curved, strict=True):
            coef = curved.moved(machine, step)
            coefs.append(coef)
            cs.append(self.objective.rows.transposed_times(coef))
        return self.objective.plane(coefs, cs)


class _Curvature:
    r"""Derivative of one machine's solution by the weights.

    With :math:`q_j = (K_j a)_S` on the rows S inside a segment,
    :math:`\partial a_S/\partial w_j = -P q_j` (:mod:`kernlearn.solvers.nystroem.systems`).
    """

    def __init__(self, systems: NearbySystems, root: Root, solution: FactorSolution) -> None:
        self.solution, self.inside = solution, solution.curvature.inside
        images = systems.rows.images(solution.c, self.inside)
        self.answers = np.zeros_like(images)
        if len(self.inside):
            with suppress(LinAlgError):
                self.answers = systems.project(root, solution.curvature, images)
        curvature = images.T @ self.answers
        self.hessian = 0.5 * (curvature + curvature.T)

    def moved(self, machine: Machine, step: Array) -> Array:
        """Feasible coefficients near the solution at the weights after ``step``."""
        a = self.solution.coef.copy()
        a[self.inside] -= self.answers @ step
        np.clip(a, machine.breakpoints[:, 0], machine.breakpoints[:, -1], out=a)
        return with_sum(machine, a, self.solution.curvature.movable, float(machine.rhs[0]))
