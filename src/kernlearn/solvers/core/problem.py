"""A stated problem: its matrices, machines and weights, and when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.identity import WithIdentity
from kernlearn.families.weights import Domain, even_weights, positive_weights
from kernlearn.quality.machine import Machine
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.core.oracle import MachineObjective, Plane
from kernlearn.solvers.core.units import RescaledPenalty
from kernlearn.typing import Array

# Share of the usual start in any other one.
TRACE = 1e-3
NEGLIGIBLE = 1e-12  # shares that are rounding
# Part of the trace below which an identity to be learned starts with as much as all the others.
SEEN = 1e-6


@dataclass(frozen=True)
class Control:
    """When to stop, and whom to tell."""

    tol: float = 1e-6  # relative duality gap to reach
    max_iter: int = 200  # evaluations of the objective
    stopping: StoppingControl = field(default_factory=StoppingControl)  # is told of each of them
    lower: float | None = None  # the bound of a larger problem, told in place of this one's


@dataclass(frozen=True, eq=False)
class WeightSet:
    """Which weights are allowed: Σ wᵢrᵢ = total, and their sign."""

    normaliser: Array  # the rᵢ
    total: float
    free_sign: bool  # K(w) ⪰ 0 instead of w ≥ 0
    start: Array | None = None  # weights to begin near, in any scale; negative ones count as zero
    least: Array | None = None  # shares of the total that positive weights have at least

    def positive_domain(self, unit: float = 1.0) -> Domain:
        """Where weights without sign may lie, for kernels in units of this size."""
        domain = positive_weights(self.normaliser, self.total / unit, least=self.least)
        if self.start is not None:
            domain.start = inside(domain, self.start)
        return domain

    def kernel_size(self, family: Family) -> float:
        """Mean diagonal entry that K(w) has if every matrix takes an equal share."""
        return self.mean_diagonal(family.traces, family.n_points)

    def mean_diagonal(self, traces: Array, n_points: float) -> float:
        """The same for matrices of these traces on so many points."""
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
        """What a bound is proved by, in the user's units of the coefficients."""
        if plane is None or not plane.coefs:
            return None
        shares = np.array([share for share, _ in plane.coefs])
        return cls(shares, np.array([parts for _, parts in plane.coefs]) * unit, rounding)


@dataclass(frozen=True, eq=False)
class WeightProblem:
    """What is to be solved, in the solver's units."""

    family: Family
    machines: Sequence[Machine]
    weight_set: WeightSet
    penalty: RescaledPenalty | None

    @property
    def objective(self) -> MachineObjective:
        """What is minimised, afresh."""
        normaliser = self.weight_set.normaliser
        return MachineObjective(self.family, self.machines, self.penalty, normaliser)

    @property
    def positive_domain(self) -> Domain:
        """Where weights without sign may lie."""
        given = self.weight_set
        domain = positive_weights(given.normaliser, given.total, self.family.traces, given.least)
        if isinstance(self.family, WithIdentity):
            domain.start = _seen_identity(domain, self.family.traces)
        if given.start is not None:
            domain.start = inside(domain, given.start)
        return domain

    @property
    def share_of_all(self) -> float:
        """The part of a start that all kernels get: without a loss, few may not separate."""
        return TRACE if any(machine.homogeneous for machine in self.machines) else 0.0

    @property
    def even(self) -> Array:
        """Equal shares of the total."""
        return even_weights(self.weight_set.normaliser, self.weight_set.total)

    @property
    def trace(self) -> float:
        """The trace that every K(w) of the set has."""
        return float(self.even @ self.family.traces)


def _seen_identity(domain: Domain, traces: Array) -> Array:
    """A start where large kernels do not hide the identity, by which all points are separated."""
    terms = traces * domain.weights(domain.start)
    if float(terms[-1]) > SEEN * float(terms.sum()):
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
    return domain.start if size == 0.0 else (1.0 - trace) * x / size + trace * domain.start
