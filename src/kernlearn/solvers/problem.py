"""A stated problem, brought to units of one, solved, and brought back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn._patience import Patience
from kernlearn.families.base import Family
from kernlearn.families.identity import WithIdentity
from kernlearn.families.weights import Domain, free_weights, positive_weights
from kernlearn.quality.alignment import Alignment
from kernlearn.quality.machine import Array, Machine
from kernlearn.solvers.active_set import MachineSolution
from kernlearn.solvers.newton import Newton, Outcome, Step
from kernlearn.solvers.oracle import MachineEvaluation, MachineObjective, Penalty
from kernlearn.solvers.psd_cuts import PsdCuts
from kernlearn.solvers.quadratic_objective import QuadraticObjective
from kernlearn.solvers.solution import Solution, relative_gap
from kernlearn.solvers.status import Status
from kernlearn.solvers.telling import telling

NO_SHARE = 1e-9
LARGEST = 1e151  # its square is still a number, in both directions
POSITIVE_FIRST = 1e-2  # relative gap of the positive weights that free ones start from
# From this size on, a first guess from a sample of points saves more than it costs.
LARGE, COARSE, COARSE_TOL = 1000, 400, 1e-2
# Share of the usual start in any other one.
TRACE = 1e-3


@dataclass(frozen=True)
class Control:
    """When to stop, and whom to tell.

    Parameters
    ----------
    tol : float
        Relative duality gap to reach.
    max_iter : int
        Limit on evaluations of the objective.
    patience : Patience
        Told of each of them; may end it early.
    """

    tol: float = 1e-6
    max_iter: int = 200
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, eq=False)
class WeightSet:
    """Which weights are allowed: Σ wᵢrᵢ = total, and their sign.

    Parameters
    ----------
    normaliser : ndarray of shape (m,)
        The rᵢ.
    total : float
        The c.
    free_sign : bool
        K(w) ⪰ 0 instead of w ≥ 0.
    start : ndarray of shape (m,), optional
        Weights to begin near, in any scale; those below zero count as zero.
    """

    normaliser: Array
    total: float
    free_sign: bool
    start: Array | None = None

    def kernel_size(self, family: Family) -> float:
        """Mean diagonal entry that K(w) has if every matrix takes an equal share."""
        used = self.normaliser > 0
        ratios = family.traces[used] / self.normaliser[used]
        return float(self.total * np.mean(ratios)) / family.n_points


def learn_with_machines(
    family: Family,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    control: Control,
    penalty: Penalty | None = None,
) -> Solution:
    """Minimise the machines' values over the weights (inputs are checked)."""
    units = _Units.of(family, machines, weight_set)
    scaled = [machine.rescaled(units.kernel, units.target) for machine in machines]
    total = weight_set.total / units.kernel
    domain = _domain(family, weight_set.normaliser, total, weight_set.free_sign)
    objective = MachineObjective(family, scaled, penalty and _Rescaled(penalty, units))
    cuts = PsdCuts(family, domain) if domain.free_sign else None
    patience = control.patience
    if weight_set.start is not None and not domain.free_sign:
        domain.start = _inside(domain, weight_set.start)
    elif family.n_labelled > LARGE and penalty is None and not domain.free_sign:
        domain.start, objective.n_solves = _coarse_start(family, scaled, domain, patience)
    tell = telling(patience, units.step)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, patience, tell)
    if domain.free_sign:
        newton.start_from(_positive_start(objective, weight_set, control, units))
    outcome = newton.run()
    return _solution(family, outcome, objective.n_solves, units)


def _positive_start(
    objective: MachineObjective, weight_set: WeightSet, control: Control, units: _Units
) -> Newton:
    """A few steps with positive weights: they need no cuts, and end near where free ones do."""
    domain = positive_weights(weight_set.normaliser, weight_set.total / units.kernel)
    if weight_set.start is not None:
        domain.start = _inside(domain, weight_set.start)

    def translate(step: Step) -> Step:
        # The bound of positive weights says nothing of free ones.
        return replace(units.step(step), lower_bound=-np.inf)

    newton = Newton(
        objective,
        domain,
        None,
        POSITIVE_FIRST,
        min(20, control.max_iter),
        control.patience,
        telling(control.patience, translate),
    )
    newton.run()
    return newton


def _coarse_start(
    family: Family, machines: Sequence[Machine], domain: Domain, patience: Patience
) -> tuple[Array, int]:
    """Weights learned from a sample of the points, and how many machines that took."""
    order = np.lexsort([machine.linear for machine in machines])
    rows = np.sort(order[np.linspace(0, len(order) - 1, COARSE).astype(int)])
    objective = MachineObjective(family.subset(rows), [m.subset(rows) for m in machines])
    outcome = Newton(objective, replace(domain), None, COARSE_TOL, 20, patience).run()
    if outcome.best is None:
        return domain.start, objective.n_solves
    return _inside(domain, outcome.best.weights), objective.n_solves


def _inside(domain: Domain, weights: Array) -> Array:
    """The point of a set of positive weights that is nearest to these in direction.

    A trace of the usual start keeps it where every machine has a value that has one anywhere.
    """
    x = np.maximum(domain.coordinates(weights), 0.0)
    size = float(domain.equality @ x)
    return domain.start if size == 0.0 else (1.0 - TRACE) * x / size + TRACE * domain.start


def learn_by_alignment(
    family: Family, alignment: Alignment, weight_set: WeightSet, control: Control
) -> Solution:
    """Maximise the alignment over the weights (inputs are checked)."""
    if not (alignment.agreement > 0).any():
        raise ValueError(
            "expected a kernel that agrees with the labels, got none: yᵀKy is zero for all; "
            "add a kernel, or use quality='soft_margin'"
        )
    # Only ratios matter, so that any size of the kernels is brought to one.
    unit = float(np.sqrt(np.diagonal(alignment.inner_products).max()))
    if not 0 < unit < np.inf:
        raise ValueError(
            f"expected kernels whose squares are numbers, got a largest norm of {unit:.3g}; "
            "rescale the data, or normalise the kernels"
        )
    S, q = alignment.inner_products / unit / unit, alignment.agreement / unit
    even = np.where(q > 0, 1.0 / np.where(q > 0, q, 1.0), 0.0) / max((q > 0).sum(), 1)
    length = float(np.sqrt(even @ S @ even))
    if weight_set.free_sign and not family.psd_means_positive:
        domain = free_weights(lambda B: B.T @ S @ B, q, 1.0, len(q), length)
    else:
        domain = positive_weights(q, 1.0)
    cuts = PsdCuts(family, domain) if domain.free_sign else None

    def aligned(half_square: float) -> float:
        # ½wᵀSw over qᵀw = 1 is 1/(2‖YYᵀ‖²Â²): bounds carry over through this decreasing map.
        return -1.0 / (alignment.target_norm * float(np.sqrt(2.0 * max(half_square, 1e-300))))

    def translate(step: Step) -> Step:
        return Step(0, aligned(step.objective), max(aligned(step.lower_bound), -1.0))

    tell = telling(control.patience, translate)
    objective = QuadraticObjective(S)
    newton = Newton(objective, domain, cuts, control.tol, control.max_iter, control.patience, tell)
    result = newton.run()
    assert result.best is not None
    weights = result.best.weights
    bound = max(aligned(result.lower), -1.0)  # no alignment exceeds one
    value = -alignment.value(weights)
    weights = weights * (weight_set.total / float(weight_set.normaliser @ weights))
    return Solution(
        weights=weights,
        objective=value,
        lower_bound=min(bound, value),
        gap=relative_gap(value, bound),
        dual_coef=None,
        intercept=None,
        n_machine_solves=0,
        status=result.status,
    )


def _domain(family: Family, normaliser: Array, total: float, free_sign: bool) -> Domain:
    if not free_sign or family.psd_means_positive:
        return positive_weights(normaliser, total)
    n_signed = family.n_matrices - isinstance(family, WithIdentity)
    # K ⪰ 0 and tr K = c bound the length; with Σwᵢ fixed, equal traces fix tr K as well.
    length = total * float(family.traces.max() / normaliser[family.traces.argmax()])
    return free_weights(family.inner_products, normaliser, total, n_signed, length)


@dataclass(frozen=True)
class _Units:
    """Sizes of the kernel, the targets and the objective."""

    kernel: float
    target: float

    @property
    def value(self) -> float:
        return self.target**2 / self.kernel

    @property
    def coef(self) -> float:
        return self.target / self.kernel

    @classmethod
    def of(cls, family: Family, machines: Sequence[Machine], weight_set: WeightSet) -> _Units:
        kernel = weight_set.kernel_size(family)
        target = max(float(np.abs(machine.linear).max()) for machine in machines)
        for name, size in (("kernels", kernel), ("targets", target)):
            if size > LARGEST or 0 < size < 1.0 / LARGEST or not np.isfinite(size):
                raise ValueError(
                    f"expected {name} of a size between {1.0 / LARGEST:g} and {LARGEST:g}, got "
                    f"{size:.3g}; rescale the data, or normalise the kernels"
                )
        # Machines without a linear term keep their coefficients: only values and f scale with K.
        return cls(kernel, target if target > 0 else kernel)

    def step(self, step: Step) -> Step:
        v = self.value
        return Step(step.n_machine_solves, step.objective * v, step.lower_bound * v)


class _Rescaled:
    """A penalty in the solver's units."""

    def __init__(self, penalty: Penalty, units: _Units) -> None:
        self.penalty, self.unit, self.scale = penalty, units.kernel, 1.0 / units.value

    def value(self, weights: Array) -> float:
        return self.scale * self.penalty.value(self.unit * weights)

    def gradient(self, weights: Array) -> Array:
        return self.scale * self.unit * self.penalty.gradient(self.unit * weights)

    def hessian(self, weights: Array) -> Array:
        return self.scale * self.unit**2 * self.penalty.hessian(self.unit * weights)


def _solution(family: Family, outcome: Outcome, n_solves: int, units: _Units) -> Solution:
    learns_C = isinstance(family, WithIdentity)
    m = family.n_matrices - learns_C
    if outcome.best is None:
        nan = float("nan")
        return Solution(np.full(m, nan), nan, nan, nan, None, None, n_solves, Status.NO_SOLUTION)
    best = outcome.best
    assert isinstance(best, MachineEvaluation)
    weights = _without_crumbs(best.weights * units.kernel, family.traces)
    objective = best.upper * units.value
    bound = min(outcome.lower, best.upper) * units.value
    coefs = np.array([s.coef for s in best.solutions]) * units.coef
    machines = best.objective.machines
    pairs = zip(best.solutions, machines, strict=True)
    intercepts = np.array([_intercept(s, m) for s, m in pairs]) * units.target
    single = len(best.solutions) == 1
    learned_C = None
    if learns_C:
        learned_C = 1.0 / float(weights[-1]) if weights[-1] > 0 else np.inf
    return Solution(
        weights=weights[:m],
        objective=objective,
        lower_bound=bound,
        gap=relative_gap(objective, bound, best.resolution * units.value),
        dual_coef=coefs[0] if single else coefs,
        intercept=float(intercepts[0]) if single else intercepts,
        n_machine_solves=n_solves,
        status=outcome.status,
        learned_C=learned_C,
        history=tuple(units.step(step) for step in outcome.history),
    )


def _without_crumbs(weights: Array, traces: Array) -> Array:
    """Exact zeros where free signs leave shares of the trace that are rounding."""
    shares = weights * traces
    kept = np.abs(shares) > NO_SHARE * np.abs(shares).sum()
    if kept.all() or not kept.any():
        return weights
    return np.asarray(np.where(kept, weights, 0.0) * (shares.sum() / shares[kept].sum()))


def _intercept(solution: MachineSolution, machine: Machine) -> float:
    """The multiplier of 1ᵀa, or what a regularised intercept comes to."""
    if len(machine.rows) == 0:
        return machine.offset * float(solution.coef.sum())
    return float(solution.multipliers.rows[0])
