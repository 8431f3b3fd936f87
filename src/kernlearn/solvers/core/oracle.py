"""Value, gradient and curvature of the objective as a function of the weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Protocol

import numpy as np

from kernlearn.families.base import Family
from kernlearn.numerics.sums import EPS, blocked_product, rounding
from kernlearn.quality.machine import FEASIBLE, Machine, curvature_of, steepness
from kernlearn.solvers.machine.active_set import MachineSolution
from kernlearn.solvers.machine.sensitivity import curvature, displaced, factorised
from kernlearn.solvers.machine.solve import solution_near, solve_machine
from kernlearn.typing import Array

# A machine's value counts as zero from here on, relative to the size of the terms of ½aᵀKa: the
# function is then a millionth of the points' lengths in feature space, or less.
VANISHING = 1e-12


@dataclass(frozen=True, eq=False)
class Plane:
    """An affine function ``constant + gradient @ w`` that nowhere exceeds the objective."""

    constant: float  # less what rounding may have added to it
    gradient: Array
    noise: Array | float = 0.0  # bound on the rounding of every slope
    weight: float = 0.0  # ½Σ‖a‖²: a change of K by E moves the plane by at most this times ‖E‖
    # Shares, and the coefficients of every machine: what makes the plane, where that is known.
    coefs: tuple[tuple[float, tuple[Array, ...]], ...] = ()

    @staticmethod
    def mixture(shares: Array, planes: Sequence[Plane]) -> Plane:
        """The planes weighted by shares of one: below the largest of them, so below all above."""
        shares = shares / shares.sum()
        off = (len(planes) + 4) * EPS
        return Plane(
            float(shares @ [plane.constant for plane in planes])
            - off * float(shares @ [abs(plane.constant) for plane in planes]),
            shares @ np.array([plane.gradient for plane in planes]),
            shares @ np.array([plane.noise + off * abs(plane.gradient) for plane in planes]),
            float(shares @ [plane.weight for plane in planes]),
            tuple(
                (float(share) * part, coefs)
                for share, plane in zip(shares, planes, strict=True)
                for part, coefs in plane.coefs
                if share > 0
            ),
        )


class Evaluation(Protocol):
    """The objective at one choice of weights: an upper bound, a plane, the curvature."""

    weights: Array
    upper: float
    plane: Plane
    resolution: float
    noise: float
    vanishing: float

    @property
    def hessian(self) -> Array:
        """Curvature with respect to the weights; computed at its first use."""

    def predicted_plane(self, step: Array) -> Plane | None:
        """A plane that touches the objective at ``weights + step``, to first order."""


class Penalty(Protocol):
    """A convex, smooth function of the weights that is added to the quality."""

    def value(self, weights: Array) -> float:
        """Value at ``weights``."""

    def gradient(self, weights: Array) -> Array:
        """Gradient at ``weights``."""

    def hessian(self, weights: Array) -> Array:
        """Hessian at ``weights``."""


class Objective(Protocol):
    """The objective that the outer method minimises."""

    n_solves: int

    def evaluate(self, weights: Array, warm: Evaluation | None, tol: float) -> Evaluation | None:
        """Evaluate at ``weights`` to relative accuracy ``tol``; None where it is infinite."""


class MachineObjective:
    r"""The sum of the values of machines that share one kernel, plus a penalty.

    For any feasible coefficients, :math:`\ell(a) - \tfrac12\sum_i w_i a^\top K_i a` is a plane
    below V, whatever the accuracy of the machine's solution.

    There are several machines for one-against-rest. `normaliser` holds the rᵢ of positive weights.
    With `in_cone`, for free signs, the value is infinite where K(w) turns out not to be positive
    semidefinite; positive weights take the matrices as they are.
    """

    def __init__(
        self,
        family: Family,
        machines: Sequence[Machine],
        penalty: Penalty | None = None,
        normaliser: Array | None = None,
        in_cone: bool = False,
    ) -> None:
        self.family, self.machines, self.penalty = family, machines, penalty
        self.normaliser = normaliser
        self.in_cone, self.n_solves = in_cone, 0

    def evaluate(
        self, weights: Array, warm: Evaluation | None, tol: float
    ) -> MachineEvaluation | None:
        """Solve every machine at K(w)."""
        if not np.isfinite(weights).all():
            return None  # a step that went out of the range of numbers
        if isinstance(warm, MachineEvaluation):
            warm.release()
        earlier = warm.solutions if isinstance(warm, MachineEvaluation) else []
        return self._solved(weights, self._kernel(weights), earlier, tol)

    def evaluate_near(
        self, weights: Array, coefs: Sequence[Array], tol: float
    ) -> MachineEvaluation | None:
        """The same from the coefficients of every machine at a neighbouring kernel."""
        K = self._kernel(weights)
        pairs = zip(self.machines, coefs, strict=True)
        return self._solved(weights, K, [solution_near(K, *pair) for pair in pairs], tol)

    def _kernel(self, weights: Array) -> Array:
        """K(w), with the offset that machines of one kernel share."""
        K = self.family.combine(weights)
        if self.machines[0].offset:
            K += self.machines[0].offset
        return K

    def _solved(
        self,
        weights: Array,
        K: Array,
        earlier: Sequence[MachineSolution | None],
        tol: float,
    ) -> MachineEvaluation | None:
        """Every machine at K, from earlier solutions; None where one has no value."""
        solutions: list[MachineSolution] = []
        for machine, last in zip_longest(self.machines, earlier):
            self.n_solves += 1
            solution = solve_machine(K, machine, last, tol)
            if solution is None or (self.in_cone and _shows_indefinite(K, solution)):
                return None
            solutions.append(solution)
        return MachineEvaluation(self, weights, K, solutions)

    def plane(self, coefs: Sequence[Array], K_i_coefs: Sequence[Array], weights: Array) -> Plane:
        """The plane below the objective that feasible coefficients define, rounding allowed for.

        If the coefficients are infeasible, the plane lies at −∞.
        """
        m = self.family.n_matrices
        products = zip(K_i_coefs, coefs, strict=True)
        gradient = sum((-0.5 * blocked_product(*pair) for pair in products), start=np.zeros(m))
        plane, missed = _without_kernels(self.machines, coefs, gradient, FEASIBLE)
        if plane.constant == -np.inf:
            return plane
        # |a|ᵀ|Kᵢ||a| is at most ‖a‖² times the Frobenius norm of Kᵢ.
        size = sum(_length(a) * _error(a, off, 0.5) for a, off in zip(coefs, missed, strict=True))
        noise = size * self.family.norms + len(coefs) * EPS * np.abs(gradient)
        plane = Plane(plane.constant, gradient, noise, plane.weight, plane.coefs)
        if self.penalty is None:
            return plane
        return penalized_plane(plane, self.penalty, weights, self.normaliser)


def penalized_plane(
    plane: Plane, penalty: Penalty, weights: Array, normaliser: Array | None = None
) -> Plane:
    """The plane of a quality and the tangent of a penalty at these weights, rounding allowed for.

    `normaliser` holds the rᵢ of positive weights. The tangent is then taken next to them, where it
    bounds best: at the optimum the slopes of all terms are those of the kernels with weight, or
    more.
    """
    at, touching = weights, getattr(penalty, "touching", None)
    if normaliser is not None and touching is not None and weights.min() >= 0:
        size = float(weights @ normaliser)
        if size > 0:
            level = float(weights @ (plane.gradient + penalty.gradient(weights))) / size
            at = np.asarray(touching(weights, level * normaliser - plane.gradient))
    slope = penalty.gradient(at)
    value, product = penalty.value(at), slope * at
    slack = (len(at) + 8) * EPS * (abs(value) + float(np.abs(product).sum()))
    return replace(
        plane,
        constant=plane.constant + value - float(product.sum()) - slack,
        gradient=plane.gradient + slope,
        noise=plane.noise + 8 * EPS * np.abs(slope),
    )


def _shows_indefinite(K: Array, solution: MachineSolution) -> bool:
    """Whether aᵀKa is negative beyond rounding: K is not positive semidefinite, V not a value."""
    a = solution.coef
    size = float(a @ a) * float(np.abs(K.diagonal()).max()) * len(a)
    return float(a @ solution.K_coef) < -rounding(len(a)) * size


class MachineEvaluation:
    """Machines solved at K(w)."""

    def __init__(
        self,
        objective: MachineObjective,
        weights: Array,
        K: Array,
        solutions: list[MachineSolution],
    ) -> None:
        self.objective, self.weights, self.solutions = objective, weights, solutions
        self._K: Array | None = K  # until the curvature is known and another kernel is made
        self._factorised = False
        penalty = objective.penalty
        self.upper = sum(s.upper for s in solutions)
        if penalty is not None:
            self.upper += penalty.value(weights)
        coefs = [s.coef for s in solutions]
        self._K_i_coefs = [objective.family.apply(coef) for coef in coefs]
        self.plane = objective.plane(coefs, self._K_i_coefs, weights)
        # The gap is known only up to the rounding of its two sides.
        noise = float((self.plane.noise * np.abs(weights)).sum())
        self.resolution = noise + EPS * abs(self.upper)
        self.noise = sum(s.gap for s in solutions)
        # A bound above this proves that only zero weights have a value.
        self.vanishing = np.inf
        if penalty is None and all(machine.may_vanish for machine in objective.machines):
            lengths = np.sqrt(np.abs(K.diagonal()))
            self.vanishing = -VANISHING * 0.5 * sum(float(np.abs(a) @ lengths) ** 2 for a in coefs)

    @property
    def kernel(self) -> Array | None:
        """The matrix K(w), if it is still at hand as the family makes it."""
        return None if self.objective.machines[0].offset else self._K

    @cached_property
    def hessian(self) -> Array:
        """Sum of the machines' curvatures, and the penalty's."""
        self._factorise()
        pairs = zip(self.solutions, self._K_i_coefs, strict=True)
        H = sum((curvature(s, K_i_coef) for s, K_i_coef in pairs), start=np.zeros(()))
        penalty = self.objective.penalty
        return H if penalty is None else H + penalty.hessian(self.weights)

    def predicted_plane(self, step: Array) -> Plane | None:
        """The plane of the coefficients moved along the solution path."""
        self._factorise()
        moved = []
        rows = zip(self.solutions, self.objective.machines, self._K_i_coefs, strict=True)
        for solution, machine, K_i_coef in rows:
            coef = displaced(solution, machine, step @ K_i_coef)
            if coef is None:
                return None
            moved.append(coef)
        applied = [self.objective.family.apply(coef) for coef in moved]
        return self.objective.plane(moved, applied, self.weights + step)

    def _factorise(self) -> None:
        if self._factorised:
            return
        assert self._K is not None
        pairs = zip(self.solutions, self.objective.machines, strict=True)
        self.solutions = [
            factorised(s, self._K, curvature_of(machine, s.coef)) for s, machine in pairs
        ]
        self._factorised = True
        if self.objective.in_cone:  # what is returned is made anew, inside of the cone
            self.release()

    def release(self) -> None:
        """Make room for another kernel, if this one has served for the curvature."""
        if self._factorised:
            self._K = None


NEAR = 1e-9  # relative violation of the constraints that is carried; beyond it there is no plane


def coefficient_plane(
    machines: Sequence[Machine], coefs: Sequence[Array], gradient: Array, trace: float
) -> Plane:
    """The plane of coefficients that are feasible, or so nearly that the difference is carried.

    Each machine has its coefficients, the gradient is −½ Σ aᵀKᵢa, and `trace` bounds that of K(w).
    """
    plane, missed = _without_kernels(machines, coefs, gradient)
    quadratic = sum(_length(a) * _error(a, off) for a, off in zip(coefs, missed, strict=True))
    noise = 4 * EPS * np.abs(gradient)
    return replace(plane, constant=plane.constant - quadratic * trace, noise=noise)


def factor_plane(
    machines: Sequence[Machine],
    coefs: Sequence[Array],
    cs: Sequence[Array],
    membership: Array,
    lengths: Array,
) -> Plane:
    """The same from Zᵀa: where coefficients are large and cancel there, much less is rounding.

    `cs` holds Zᵀa of each machine, `membership` (R, m) ones where a column of Z belongs to a
    kernel, and `lengths` the lengths of the columns.
    """
    gradient = -0.5 * (membership.T @ np.sum([c**2 for c in cs], axis=0))
    plane, missed = _without_kernels(machines, coefs, gradient)
    noise = np.zeros(len(lengths))
    for a, c, off in zip(coefs, cs, missed, strict=True):
        error = _error(a, off) * lengths  # of c
        noise += error * (np.abs(c) + 0.5 * error)
    return replace(plane, noise=membership.T @ noise + 4 * EPS * np.abs(gradient))


def _without_kernels(
    machines: Sequence[Machine], coefs: Sequence[Array], gradient: Array, near: float = NEAR
) -> tuple[Plane, list[float]]:
    """The plane less the rounding of the part that is free of the kernels; or one at −∞.

    With it comes how far the nearest point of each polytope may be, on which a plane is exact.
    """
    constant = slack = weight = 0.0
    missed = [0.0] * len(coefs)
    for i, (machine, coef) in enumerate(zip(machines, coefs, strict=True)):
        off = machine.infeasibility(coef)
        if off > near:
            return Plane(-np.inf, 0.0 * gradient), missed
        missed[i] = (off + EPS) * float(np.abs(coef).sum())
        constant += machine.linear_value(coef)
        slack += rounding(len(coef)) * machine.linear_size(coef)
        slack += missed[i] * steepness(machine, missed[i])
        weight += 0.5 * float(coef @ coef)
    return Plane(constant - slack, gradient, 0.0, weight, ((1.0, tuple(coefs)),)), missed


def _length(coef: Array) -> float:
    return math.sqrt(coef @ coef)


def _error(coef: Array, missed: float, share: float = 1.0) -> float:
    """Error of a product with a unit vector, by rounding and by the nearest point."""
    return share * rounding(len(coef)) * _length(coef) + missed
