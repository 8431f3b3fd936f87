"""Minimise the objective over the weights by Newton steps on a bundle of planes.

Each step minimises a model of the objective: the largest of all planes that the machine solves so
far have taught (each lies below the objective everywhere), plus the curvature at the best point.
With the newest plane alone this is Newton's method, and near a smooth solution the other planes are
slack; where the objective has kinks, as with kernels of low rank, they shorten the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.weights import Domain
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.core.certificate import in_coordinates, lowest_point
from kernlearn.solvers.core.oracle import Evaluation, Objective, Plane
from kernlearn.solvers.core.solution import Step
from kernlearn.solvers.weights.bundle import (
    MAX_CUT_ROUNDS,
    MAX_FULL_CHECKS,
    ModelMinimum,
    PlaneBundle,
    minimise_model,
    reach,
)
from kernlearn.solvers.weights.psd_cuts import PsdCuts
from kernlearn.typing import Array


@dataclass(frozen=True)
class NewtonOptions:
    """Choice of steps over the weights, and conditions that end them."""

    max_null_steps: int = 3
    max_programs: int = 600  # quadratic programs that must halve the gap: others go on for long
    max_stalled: int = 8  # steps without progress, and one more for each coordinate,
    most_counted: int = 30  # of at most this many coordinates
    max_slow: int = 30  # steps that must halve a gap,
    far: float = 1e6  # if the gap is more than this multiple of the value
    shrink: float = 0.4
    grow: float = 4.0
    enough: float = 0.9  # share of the tolerance: what is returned is evaluated once more
    probes: tuple[float, ...] = (1e-2, 1e-4, 1e-6, 1e-8)  # shares of another kernel, when stalled
    loose: float = 5e-3  # relative accuracy of a machine in the first steps
    lagging: float = (
        0.01  # share of the gap; a smaller predicted decrease means that the bound is loose
    )
    moved: float = (
        0.01  # share of the predicted decrease that a move into the cone may cost, instead of a cut
    )
    moved_outside: float = 0.001  # the same of the predicted increase, from outside of the cone
    moved_of_tol: float = 0.05  # or this share of the tolerance
    near: float = 1e-5  # relative gap from which on free signs require that


OPTIONS = NewtonOptions()


@dataclass(frozen=True, eq=False)
class NewtonOutcome:
    """The end of the method."""

    best: Evaluation | None  # the best point; None if there is no solution
    lower: float  # no feasible weights have a smaller objective
    ended: Status  # why the search ended; the certificate judges the result
    history: tuple[Step, ...]
    transform: Array | None = None  # from weights of combinations, if searched, to the matrices'
    safe: Array | None = None  # positive weights that have a value, to fall back on
    proof: Plane | None = None  # with positive weights, the plane that the lower bound is of


class Newton:
    """The state of one minimisation to a relative duality gap of `tol`.

    `cuts` keep K(w) ⪰ 0 for free-sign weights, `max_iter` limits the evaluations, and `stopping`
    may end early with the best point so far. `report` passes every step on to `stopping`, which
    otherwise only looks at its clock.
    """

    def __init__(
        self,
        objective: Objective,
        domain: Domain,
        cuts: PsdCuts | None,
        tol: float,
        max_iter: int,
        stopping: StoppingControl | None = None,
        report: Callable[[Step], None] | None = None,
    ) -> None:
        self.objective, self.domain, self.cuts = objective, domain, cuts
        self.tol, self.max_iter = tol, max_iter
        self.stopping = StoppingControl() if stopping is None else stopping
        self.report = (lambda _: self.stopping.check()) if report is None else report
        self.bundle = PlaneBundle(domain, cuts)
        self.history: list[Step] = []
        self.damping = 1.0
        self.n_infinite = 0
        self.predicted = -np.inf
        self.radius = np.inf
        self.first: Evaluation | None = None
        self.looked: Evaluation | None = None
        self.best: Evaluation | None = None

    def start_from(self, other: Newton, same_family: bool = True) -> None:
        """Begin where a minimisation over fewer weights ended, with all that it has learned.

        Its planes hold here too and its evaluations count; its lower bounds are of another problem.
        With another family, only the number of its steps can be taken over.
        """
        self.history = [replace(step, lower_bound=-np.inf) for step in other.history]
        if other.best is None or not same_family:
            return
        self.first = other.best
        kept = [plane for plane in other.bundle.planes if plane is not other.best.plane]
        self.bundle.planes = kept
        self.history = [replace(step, lower_bound=-np.inf) for step in other.history[:-1]]

    def run(self) -> NewtonOutcome:
        """Iterate until the gap closes, or until it is time to end."""
        if self.first is not None:
            self.domain.start = self.domain.coordinates(self.first.weights)
        x = self.domain.start
        # At a corner, a rough solution only decides whether to leave it.
        tol = OPTIONS.loose if np.count_nonzero(x) > 1 else 0.5 * self.tol
        first = self.first or self.objective.evaluate(self.domain.weights(x), None, tol)
        if first is None and not self.domain.free_sign and self.domain.limits is None:
            # Beside a matrix of a large trace the others do not show, though they may separate.
            x = np.full(len(x), 1.0 / float(self.domain.equality.sum()))
            first = self.objective.evaluate(self.domain.weights(x), None, OPTIONS.loose)
        if first is None:
            return NewtonOutcome(None, np.inf, Status.NO_SOLUTION, ())
        # From here on there is a solution with a bound to be kept.
        self.best = self._learn(first, first)
        try:
            status = self._descend(first, x)
        except (Stopped, KeyboardInterrupt) as stop:
            status = self.stopping.accept(stop)
        if self._closed(self.best):
            status = Status.OPTIMAL
        lower, proof = self.bundle.lower, self.bundle.proof
        return NewtonOutcome(self.best, lower, status, tuple(self.history), proof=proof)

    def ahead(self) -> Array:
        """The point of the next step, after a run that ended before the gap was closed."""
        assert self.best is not None
        x = self.domain.coordinates(self.best.weights)
        return x if self._closed(self.best) else self._propose(self.best, x)

    def _descend(self, best: Evaluation, x: Array) -> Status:
        centre, x_best = best, x
        stalled = null_steps = 0
        self.report(self.history[-1])
        while not self._closed(best):
            if self.bundle.lower >= best.vanishing:
                return Status.TRIVIAL
            n_evaluations = len(self.history) + self.n_infinite
            in_vain = self.bundle.programs_in_vain(best.upper)
            if n_evaluations >= self.max_iter or in_vain >= OPTIONS.max_programs:
                return Status.ITERATION_LIMIT
            if self._gap(best) <= best.resolution:
                return Status.INACCURATE  # steps are below rounding
            proposal = self._propose(centre, x)
            self._predict(centre, best, proposal)
            if self._closed(best):
                break
            trial, x_trial = self._evaluate(proposal, x, centre)
            previous = self.bundle.lower, best.upper
            if trial is None:
                return Status.INACCURATE
            if trial.upper < best.upper:
                best, x_best = trial, x_trial
            if self._trust(centre, trial, x, x_trial):
                centre, x, null_steps = trial, x_trial, 0
            elif null_steps == OPTIONS.max_null_steps:
                centre, x, null_steps = best, x_best, 0
            else:
                null_steps += 1
            self.best = self._learn(trial, best)
            self.report(self.history[-1])
            progress = max(self.bundle.lower - previous[0], previous[1] - best.upper)
            stalled = stalled + 1 if progress <= 1e-3 * self._gap(best) else 0
            if 0 < stalled <= len(OPTIONS.probes) and not self._closed(best):
                found, x_found = self._probe(best, x_best, OPTIONS.probes[stalled - 1])
                if found is not None and found.upper < best.upper:
                    best, x_best, stalled = found, x_found, 0
                    centre, x, self.radius = found, x_found, np.inf
                    self.best = best
            if stalled >= OPTIONS.max_stalled + min(len(x), OPTIONS.most_counted):
                return Status.INACCURATE
            if self._gap(best) > OPTIONS.far * abs(best.upper) and _is_slow(self.history):
                return Status.INACCURATE
        return Status.OPTIMAL

    def _probe(self, best: Evaluation, x: Array, share: float) -> tuple[Evaluation | None, Array]:
        """Look a little way from the best point, for the plane that proves it to be the best.

        If kernels of low rank have no weight, many coefficients are optimal, and only some of
        them make a plane that is flat enough towards those kernels: the ones that a small weight
        would ask for.
        """
        target = self.domain.start
        if not self.domain.free_sign:
            target = lowest_point(in_coordinates(best.plane, self.domain)[0], self.domain)
        near = (1.0 - share) * x + share * target
        # From the last look: from the best point, the coefficients would stay what they are.
        found = self.objective.evaluate(
            self.domain.weights(near), self.looked, self._inner_tol(best)
        )
        if found is not None:
            self.looked = found
            self._learn(found, min(best, found, key=lambda one: one.upper))
        return found, near

    def _inner_tol(self, best: Evaluation) -> float:
        """Relative accuracy of the next machine: tightened as the gap closes."""
        relative = self._gap(best) / max(abs(best.upper), 1e-300)
        return float(np.clip(0.005 * relative, 0.25 * self.tol, OPTIONS.loose))

    def _gap(self, best: Evaluation) -> float:
        return best.upper - self.bundle.lower

    def _closed(self, best: Evaluation) -> bool:
        return self._gap(best) <= _enough(best, self.tol)

    def _learn(self, evaluation: Evaluation, best: Evaluation) -> Evaluation:
        """Keep the plane and its bound; return the best evaluation so far."""
        self.bundle.add(evaluation.plane)
        self.bundle.raise_by(evaluation.plane, best.upper, _enough(best, self.tol), self.predicted)
        self.history.append(Step(self.objective.n_solves, best.upper, self.bundle.lower))
        return best

    def _predict(self, centre: Evaluation, best: Evaluation, proposal: Array) -> None:
        """Bound from coefficients moved to the proposal: often spares the last machine solve."""
        # The model's predicted decrease is the gap that the best of bounds would leave: little of
        # the gap, at the end or where the bound lags far behind.
        size = abs(centre.upper)
        gap = self._gap(best)
        if self.cuts is not None:
            gap = min(gap, OPTIONS.near * size)
        little = max(self.tol * size, OPTIONS.lagging * gap)
        if centre.upper - self.predicted > little + centre.noise:
            return
        plane = centre.predicted_plane(self.domain.weights(proposal) - centre.weights)
        if plane is not None:
            self.bundle.raise_by(plane, best.upper, _enough(best, self.tol), self.predicted)

    def _trust(self, centre: Evaluation, trial: Evaluation, x0: Array, x: Array) -> bool:
        """Whether the decrease matches the model's prediction, so that its centre may move.

        The objective rises like a barrier where K(w) loses rank. A step that comes too close gains
        less than predicted, and the curvature there would make the next ones short; the old centre
        with one more plane does better. A step that loses was too long, but a loss within the
        accuracy of the machines does not count.
        """
        promised = centre.upper - self.predicted
        gained = centre.upper - trial.upper + max(centre.noise, trial.noise)
        self.damping = 0.25 * self.damping if gained > 2.0 * promised else 1.0
        if gained < 0:
            length = float((np.abs(x - x0) / reach(x0, self.domain)).max())
            self.radius = OPTIONS.shrink * min(self.radius, length)
        elif gained >= 0.5 * promised:
            self.radius *= OPTIONS.grow
        return gained >= 0.5 * promised

    def _propose(self, centre: Evaluation, x0: Array) -> Array:
        """Minimise the model over the domain; halve the step if the cone is not reached."""
        x, is_inside = self.minimum_in_cone(centre, x0)
        if is_inside:
            return x
        for _ in range(30):  # halve the step until K(w) ⪰ 0
            x = 0.5 * (x + x0)
            if self.cuts is None or not self.cuts.cut_in_full(x):
                return x
        return x0

    def minimum_in_cone(self, centre: Evaluation, x0: Array) -> tuple[Array, bool]:
        """Minimiser of the model over the domain, cut until K(w) ⪰ 0; whether it is.

        Without a minimum the coordinates are those of the centre.
        """
        x, full_checks = x0, 0
        for _ in range(MAX_CUT_ROUNDS):
            self.bundle.n_programs += 1
            planes = self.bundle.planes
            minimum = minimise_model(centre, planes, x0, self.domain, self.damping, self.radius)
            if minimum is None:
                return x0, self.best is not None
            x, self.predicted = minimum.x, minimum.value
            if self.cuts is not None:
                outside = self.best is None
                moved = _inside_subspace(self.cuts, centre, minimum, self.tol, outside)
                if moved is None:
                    continue
                x = moved
            full_checks += 1
            if self.cuts is None or not self.cuts.cut_in_full(x):
                self.bundle.raise_by_mixture(minimum)
                return x, True
            if full_checks == MAX_FULL_CHECKS:
                break
            if x is not minimum.x:  # what the whole matrix has shown is not all that cuts it off
                self.cuts.cut_in_subspace(minimum.x)
        return x, False

    def _evaluate(self, x: Array, x0: Array, warm: Evaluation) -> tuple[Evaluation | None, Array]:
        """Evaluate at ``x``; where the objective is infinite, halve the step."""
        for _ in range(30):
            trial = self.objective.evaluate(self.domain.weights(x), warm, self._inner_tol(warm))
            if trial is not None:
                return trial, x
            self.n_infinite += 1
            x = 0.5 * (x + x0)
        return None, x0


def _enough(best: Evaluation, tol: float) -> float:
    """The gap that closes the search: slightly less than the tolerance."""
    return OPTIONS.enough * tol * abs(best.upper)


def _inside_subspace(
    cuts: PsdCuts, centre: Evaluation, minimum: ModelMinimum, tol: float, is_outside: bool
) -> Array | None:
    """The minimum moved into the cone of the known cuts; None after a cut, if that costs much.

    Near the end of a search the predicted decrease is rounding, and no cut improves on it. A first
    step from outside of the cone predicts an increase.
    """
    promised = centre.upper - minimum.value
    share = -OPTIONS.moved_outside if is_outside else OPTIONS.moved
    little = max(share * promised, OPTIONS.moved_of_tol * tol * abs(centre.upper))

    def is_cheap(x: Array) -> bool:
        cost = minimum.value_at(x) - minimum.value
        return cost <= little or (promised <= 0.0 and not is_outside)

    return cuts.moved_into_subspace(minimum.x, is_cheap)


def _is_slow(history: Sequence[Step]) -> bool:
    """Whether the last steps, which are many, have not halved the gap."""
    if len(history) <= OPTIONS.max_slow:
        return False
    before, now = history[-1 - OPTIONS.max_slow], history[-1]
    return now.objective - now.lower_bound > 0.5 * (before.objective - before.lower_bound)
