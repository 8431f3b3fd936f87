"""A stated problem: its matrices, machines and weights, its units, and when to stop.

Units scale kernels, targets and values to about one for the solvers. Units are powers of two, so
that scaling is exact and a certificate in the solver's units holds in the user's units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.matrices import GramStack, WithIdentity
from kernlearn.families.weight_limits import WeightLimits
from kernlearn.families.weights import Domain, even_weights, positive_weights
from kernlearn.quality.machine import Machine
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.core.oracle import MachineObjective, Penalty, Plane
from kernlearn.solvers.core.solution import Step
from kernlearn.solvers.optimize.quadratic import QuadraticSolution, quadratic_program
from kernlearn.typing import Array

LARGEST = 1e151  # its square is still a number, in both directions


@dataclass(frozen=True)
class Units:
    """Sizes of the kernel, the targets and the objective."""

    kernel: float
    target: float

    @property
    def value(self) -> float:
        """Unit of the objective."""
        return self.target**2 / self.kernel

    @property
    def coef(self) -> float:
        """Unit of the dual coefficients."""
        return self.target / self.kernel

    @classmethod
    def of(cls, kernel: float, machines: Sequence[Machine]) -> Units:
        """Units for kernels of this mean diagonal entry."""
        sizes = [np.maximum(np.abs(m.linear), m.temperature) for m in machines]
        largest = max(float(size.max()) for size in sizes)
        # A typical target: beside one outlier the others must not pass for rounding.
        typical = max(float(np.median(size)) for size in sizes)
        return cls.near(kernel, largest, typical if typical > 1e-8 * largest else largest)

    @classmethod
    def near(cls, kernel: float, largest: float, typical: float | None = None) -> Units:
        """The powers of two next to the size of a kernel and to that of targets, both checked.

        `kernel` is the mean diagonal entry; the typical target, or the largest, has size one.
        """
        check_kernel_size(kernel)
        _check_size("targets", largest)
        target = largest if typical is None else typical
        # Machines without a linear term keep their coefficients: only values and f scale with K.
        return cls(_power_of_two(kernel), _power_of_two(target if target > 0 else kernel))

    def step(self, step: Step) -> Step:
        """A line of the history in the user's units."""
        v = self.value
        return Step(step.n_machine_solves, step.objective * v, step.lower_bound * v)


def check_kernel_size(size: float) -> None:
    """Refuse kernels of a mean diagonal entry whose square is no number."""
    _check_size("kernels", size)


def _check_size(name: str, size: float) -> None:
    if size > LARGEST or 0 < size < 1.0 / LARGEST or not np.isfinite(size):
        raise ValueError(
            f"expected {name} of a size between {1.0 / LARGEST:g} and {LARGEST:g}, got "
            f"{size:.3g}; rescale the data, or normalise the kernels"
        )


def _power_of_two(size: float) -> float:
    return float(2.0 ** np.round(np.log2(size)))


class RescaledPenalty:
    """A penalty in the solver's units, of weights in the solver's family.

    The user's weights are ``w = unit · T u`` for the solver's u; T is the identity by default.
    """

    def __init__(self, penalty: Penalty, units: Units, transform: Array | None = None) -> None:
        self.penalty, self.unit, self.scale = penalty, units.kernel, 1.0 / units.value
        self.transform = transform

    def composed(self, transform: Array) -> RescaledPenalty:
        """The penalty as a function of the weights of combinations."""
        units = Units(self.unit, 1.0)
        other = RescaledPenalty(self.penalty, units, transform)
        other.scale = self.scale
        return other

    def _weights(self, weights: Array) -> Array:
        own = weights if self.transform is None else self.transform @ weights
        return np.asarray(self.unit * own)

    def value(self, weights: Array) -> float:
        """Value at ``weights``."""
        return self.scale * self.penalty.value(self._weights(weights))

    def gradient(self, weights: Array) -> Array:
        """Gradient at ``weights``."""
        g = self.scale * self.unit * self.penalty.gradient(self._weights(weights))
        return g if self.transform is None else np.asarray(self.transform.T @ g)

    def hessian(self, weights: Array) -> Array:
        """Hessian at ``weights``."""
        H = self.scale * self.unit**2 * self.penalty.hessian(self._weights(weights))
        return H if self.transform is None else np.asarray(self.transform.T @ H @ self.transform)

    def touching(self, weights: Array, slopes: Array) -> Array:
        """Weights close to these whose slopes have at least the required size, if there are any."""
        own = getattr(self.penalty, "with_slopes", None)
        if own is None or self.transform is not None:
            return weights
        found = own(self._weights(weights), slopes / (self.scale * self.unit))
        return np.asarray(found / self.unit)

    def sublevel(self, level: float, n_weights: int) -> tuple[Array, float] | None:
        """A matrix M and a radius with ‖M w‖ ≤ radius wherever the penalty is at most ``level``."""
        own = getattr(self.penalty, "sublevel", None)
        if own is None:
            return None
        matrix, radius = own(level / self.scale, n_weights)
        matrix = self.unit * matrix
        return (matrix if self.transform is None else matrix @ self.transform), radius


# Share of the usual start in any other one.
TRACE = 1e-3
VIOLATED = 1e-9  # of the total: the most by which weights may miss their limits
NEGLIGIBLE = 1e-12  # shares that are rounding
# Part of the trace below which an identity to be learned starts with as much as all the others.
VISIBLE = 1e-6


@dataclass(frozen=True)
class Control:
    """Tolerance, iteration limit and progress reports."""

    tol: float = 1e-6  # relative duality gap to reach
    max_iter: int = 200  # evaluations of the objective
    stopping: StoppingControl = field(default_factory=StoppingControl)  # reports each step
    lower: float | None = None  # bound of a larger problem, reported in place of this one's


@dataclass(frozen=True, eq=False)
class WeightSet:
    """Set of allowed weights: Σ wᵢrᵢ = total, and their sign."""

    normaliser: Array  # the rᵢ
    total: float
    free_sign: bool  # K(w) ⪰ 0 instead of w ≥ 0
    start: Array | None = None  # weights to begin near, in any scale; negative ones count as zero
    least: Array | None = None  # shares of the total that positive weights have at least
    limits: WeightLimits | None = None  # further ones, in any unit

    def allows(self, weights: Array) -> bool:
        """Whether weights are within the limits, but for what a quadratic program leaves."""
        limits = self.limits
        return limits is None or limits.violation(weights, self.normaliser) <= VIOLATED

    def moved_within(self, weights: Array, inner: Array) -> Array:
        """The weights, a little nearer to those well inside where they miss a limit."""
        limits = self.limits
        return weights if limits is None else limits.moved_within(weights, inner, self.normaliser)

    def positive_domain(self, unit: float = 1.0) -> Domain:
        """The domain of non-negative weights, for kernels in units of this size."""
        domain = positive_weights(
            self.normaliser, self.total / unit, least=self.least, limits=self.limits
        )
        if self.start is not None:
            domain.start = inside(domain, self.start)
        return domain

    def kernel_size(self, family: Family) -> float:
        """Mean diagonal entry that K(w) has if every matrix takes an equal share."""
        return self.mean_diagonal(family.traces, family.n_points)

    def mean_diagonal(self, traces: Array, n_points: float) -> float:
        """The same for matrices of these traces, on `n_points` points."""
        used = self.normaliser > 0
        return float(self.total * np.mean(traces[used] / self.normaliser[used])) / n_points


@dataclass(frozen=True, eq=False)
class Proof:
    """Coefficients whose planes together make the lower bound."""

    shares: Array  # of the s planes, which add up to one
    coefs: Array  # (s, k, n): feasible dual coefficients of the k machines
    rounding: float  # what is not known of the objective, and taken off the bound

    @classmethod
    def of(cls, plane: Plane | None, unit: float, rounding: float) -> Proof | None:
        """The coefficients that prove the bound, in the user's units."""
        if plane is None or not plane.coefs:
            return None
        shares = np.array([share for share, _ in plane.coefs])
        return cls(shares, np.array([parts for _, parts in plane.coefs]) * unit, rounding)


@dataclass(frozen=True, eq=False)
class WeightProblem:
    """The problem to solve, in the solver's units."""

    family: Family
    machines: Sequence[Machine]
    weight_set: WeightSet
    penalty: RescaledPenalty | None
    rows: GramStack | None = None  # the matrices with rows that came later, on which K(w) ⪰ 0 too

    @classmethod
    def in_units(
        cls,
        family: Family,
        machines: Sequence[Machine],
        weight_set: WeightSet,
        penalty: Penalty | None,
        rows: GramStack | None = None,
    ) -> tuple[WeightProblem, Units]:
        """The problem from what is in the user's units, and these."""
        units = Units.of(weight_set.kernel_size(family), machines)
        rescaled = [machine.rescaled(units.kernel, units.target) for machine in machines]
        within = replace(weight_set, total=weight_set.total / units.kernel)
        cost = None if penalty is None else RescaledPenalty(penalty, units)
        return cls(family, rescaled, within, cost, rows), units

    @property
    def cone(self) -> Family:
        """The matrices on all rows on which K(w) ⪰ 0."""
        return self.family if self.rows is None else self.rows

    @property
    def objective(self) -> MachineObjective:
        """A new objective."""
        normaliser = self.weight_set.normaliser
        return MachineObjective(self.family, self.machines, self.penalty, normaliser)

    @property
    def positive_domain(self) -> Domain:
        """The domain of non-negative weights."""
        weight_set = self.weight_set
        domain = positive_weights(
            weight_set.normaliser,
            weight_set.total,
            self.family.traces,
            weight_set.least,
            weight_set.limits,
        )
        if isinstance(self.family, WithIdentity) and weight_set.limits is None:
            domain.start = _visible_identity(domain, self.family.traces)
        if weight_set.start is not None:
            domain.start = inside(domain, weight_set.start)
        return domain

    @property
    def share_of_all(self) -> float:
        """The part of a start that all kernels get: without a loss, few may not separate."""
        return TRACE if any(machine.homogeneous for machine in self.machines) else 0.0

    @cached_property
    def even(self) -> Array:
        """Equal shares of the total, or positive weights well inside of its limits."""
        if self.weight_set.limits is not None:
            domain = self.positive_domain
            return domain.weights(domain.start)
        return even_weights(self.weight_set.normaliser, self.weight_set.total)

    @property
    def trace(self) -> float:
        """The trace that every K(w) of the set has."""
        return float(self.even @ self.family.traces)


def _visible_identity(domain: Domain, traces: Array) -> Array:
    """A start where large kernels do not hide the identity, by which all points are separated."""
    terms = traces * domain.weights(domain.start)
    if float(terms[-1]) > VISIBLE * float(terms.sum()):
        return domain.start
    corner = np.zeros(len(domain.start))
    corner[-1] = domain.high[-1]
    alone = float(traces[-1] * domain.weights(corner)[-1])
    share = alone / (alone + float(terms[:-1].sum()))
    return (1.0 - share) * corner + share * domain.start


def inside(domain: Domain, weights: Array, trace: float = TRACE) -> Array:
    """The point of a set of positive weights that is nearest to these in direction.

    A trace of the usual start keeps it where every machine has a value that has one anywhere.
    """
    x = np.maximum(domain.coordinates(weights), 0.0)
    x[x * domain.equality < NEGLIGIBLE * float(domain.equality @ x)] = 0.0
    size = float(domain.equality @ x)
    if size == 0.0:
        return domain.start
    x = x / size if domain.limits is None else _nearest_within(x / size, domain)
    return (1.0 - trace) * x + trace * domain.start


def program_within(domain: Domain, P: Array, q: Array, rows: Array) -> QuadraticSolution | None:
    """Minimise ½xᵀPx + qᵀx over the coordinates of a domain on which no row is negative."""
    ties = domain.step_rows[0]
    A, b = np.zeros((1 + len(ties), len(q))), np.zeros(1 + len(ties))
    A[0], A[1:], b[0] = domain.equality, ties, 1.0
    return quadratic_program(P, q, A, b, domain.low, domain.high, -rows, np.zeros(len(rows)))


def _nearest_within(x: Array, domain: Domain) -> Array:
    """The coordinates within the limits that are nearest to x, by shares of the total."""
    size = domain.equality**2
    solution = program_within(domain, np.diag(size), -size * x, domain.step_rows[1])
    return domain.start if solution is None else solution.x
