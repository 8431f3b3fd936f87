r"""First-level kernel learning from beginning to end.

λ and μ minimise the cross-validated squared loss, either by descent with the exact slope or by
the Nelder-Mead simplex of Cawley and Talbot (2014), section 2.2. As advised there, families of
several parameters are first learned with a common scale, θ = c times the start, which for ARD on
standardised data is the RBF kernel, and all parameters start from that solution.

From equal scales, and a λ that suits a smooth function, every descent ends where λ explains all if
the function changes quickly, or if few of many columns matter. If λ and μ are both chosen, two
more starts are therefore looked at, both by leave-one-out, which has a closed form:

- λ and the one bandwidth of the LS-SVM (:func:`kernlearn.solvers.selection.select.tied`);
- scales by which columns count differently (:mod:`kernlearn.solvers.selection.column_starts`).

The search for λ and μ is made again from each that promises less than what is known. The μ of a
start is the one for which it is a stationary point along its direction. The LS-SVM itself is a
candidate too: what is returned predicts held-out folds no worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.numerics.rounding import is_less, usual_weight
from kernlearn.quality.held_out import KFoldLoss, SelectionCriterion
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.first_level.evidence import LaplaceEvidence, evidence_at
from kernlearn.solvers.first_level.loss_point import LossPoint
from kernlearn.solvers.first_level.problem import (
    FirstLevelPoint,
    FirstLevelProblem,
    Trained,
    TrainingRequest,
    TrainingSearch,
)
from kernlearn.solvers.first_level.search import FirstLevelControl, FirstLevelSearch
from kernlearn.solvers.selection.objective import DescentLimits, SelectionObjective
from kernlearn.solvers.selection.select import PROMISING, best_other_start, tied
from kernlearn.typing import Array, Indices

_FINAL_TOL = 1e-12
# λ starts at this share of the kernel's mean diagonal.
_FIRST_LAM = 0.3
# The slope of the logarithm of the loss at which the search for one bandwidth ends: it changes by
# less than a thousandth from there on.
_TOL, _STEPS = 3e-2, 100
# The common scale is only a start.
_ROUGHER = 5.0


@dataclass(frozen=True, eq=False)
class FirstLevelSolution:
    """The learned θ, λ and μ, and the machine."""

    point: Trained  # The machine on all data
    lam: float  # λ and μ as chosen or given
    mu: float
    # A bound from below of the criterion over all θ, for these λ and μ, where one is known
    lower_bound: float | None
    # The mean of ½(y - f)² over held-out points, where λ or μ was chosen by it
    cv_loss: float | None
    evidence: LaplaceEvidence | None  # The evidence, where λ or μ was chosen by it
    n_iter: int  # Machines trained for the final θ
    n_evaluations: int  # Evaluations of the cross-validated loss
    n_machine_solves: int  # All machines trained
    status: Status  # Status of the ended fit


def learn_first_level(
    problem: FirstLevelProblem,
    folds: Sequence[Indices],
    lam: float | None,
    mu: float | None,
    control: FirstLevelControl,
) -> TrainingSearch[FirstLevelSolution]:
    """Learn θ and the machine; λ and μ too where they are None.

    A search that asks for machines, as in :mod:`kernlearn.solvers.optimize.coroutines`. When time
    is up, the best λ and μ so far are taken, with the θ that the folds have learned for them.
    LinAlgError: no machine can be trained at all.
    """
    starts = FirstLevelStarts(problem, folds, lam, mu, control)
    stopping, bandwidth = control.stopping, None
    search, theta = yield from starts.equal_scales()
    # Both are kinds of positive scales.
    several = control.several and not problem.family.signed
    if several and mu is None and stopping.stopped is None:
        bandwidth = None if control.by_evidence else starts.one_bandwidth()
        for start in (bandwidth, starts.columns(float(np.exp(search.x[0])), theta)):
            if start is not None and starts.is_promising(start, search.least):
                again, found = yield from starts.searched(start, search.least)
                if again.least < search.least:
                    search, again, theta = again, search, found
                search.n_evaluations += again.n_evaluations
                search.n_points += again.n_points
    if bandwidth is not None and is_less(bandwidth.cv_loss, search.least):
        return (yield from _of_one_bandwidth(problem, bandwidth, search, stopping))
    # A number that was given is used as it is, not as the exponential of its logarithm.
    lam = float(np.exp(search.x[0])) if lam is None else lam
    mu = float(np.exp(search.x[1])) if mu is None else mu
    descent = yield from problem.descent(theta, lam, mu, _FINAL_TOL, control.max_iter, stopping)
    if descent is None:
        raise np.linalg.LinAlgError("no machine could be trained")
    status = stopping.stopped or Status.CONVERGED
    if stopping.stopped is None and not (descent.converged and search.converged):
        stopped = max(descent.n_points, search.n_evaluations) >= control.max_iter
        status = Status.ITERATION_LIMIT if stopped else Status.STALLED
    return FirstLevelSolution(
        descent.point,
        lam,
        mu,
        descent.point.lower_bound if isinstance(descent.point, FirstLevelPoint) else None,
        None if control.by_evidence else search.loss,
        _evidence(descent.point) if control.by_evidence else None,
        descent.n_points,
        search.n_evaluations,
        search.n_points + descent.n_points,
        status,
    )


def _of_one_bandwidth(
    problem: FirstLevelProblem, start: Start, search: FirstLevelSearch, stopping: StoppingControl
) -> TrainingSearch[FirstLevelSolution]:
    """The LS-SVM with one bandwidth: θ was selected and not learned, so that μ is zero."""
    (point,) = yield [TrainingRequest(problem, start.theta, start.lam, 0.0)]
    if point is None:
        raise np.linalg.LinAlgError("no machine could be trained")
    n_points = search.n_points + 1
    status = stopping.stopped or Status.CONVERGED
    return FirstLevelSolution(
        point, start.lam, 0.0, None, start.cv_loss, None, 1, search.n_evaluations, n_points, status
    )


def _evidence(point: Trained) -> LaplaceEvidence | None:
    return evidence_at(point) if isinstance(point, FirstLevelPoint | LossPoint) else None


@dataclass(frozen=True, eq=False)
class Start:
    """A start of the search."""

    lam: float  # λ
    theta: Array  # θ, of shape (p,)
    # The mean of ½(y - f)² of the machine with them over held-out folds; infinite if another loss
    # is to be minimised
    cv_loss: float


@dataclass(frozen=True, eq=False)
class FirstLevelStarts:
    """Equal scales, and other starts of a search."""

    problem: FirstLevelProblem  # All data
    folds: Sequence[Indices]  # The rows held out together
    lam: float | None  # λ and μ that are to be kept
    mu: float | None
    control: FirstLevelControl  # When it is time to end, and how the LS-SVM is selected

    def equal_scales(self) -> TrainingSearch[tuple[FirstLevelSearch, Array]]:
        """λ, μ and θ from the family's start: the common scale first, then all of them."""
        problem, start = self.problem, self.problem.start
        direction = start / np.linalg.norm(start)
        line = problem.along(direction)
        search = self._search((yield from first_values(line, self.lam, self.mu)))
        if len(start) > 1:
            length = yield from search.stage(line, line.scale, _ROUGHER)
            start = length[0] * direction
        theta = yield from search.stage(problem, start, 1.0)
        return search, theta

    def searched(
        self, start: Start, below: float
    ) -> TrainingSearch[tuple[FirstLevelSearch, Array]]:
        """A search from another start, all scales at once, if its loss is below the best known."""
        size = float(np.linalg.norm(start.theta))
        line = replace(self.problem.along(start.theta / size), scale=np.array([size]))
        search = self._search((yield from first_values(line, start.lam, None)))
        theta = yield from search.stage(self.problem, start.theta, 1.0, below)
        return search, theta

    def is_promising(self, start: Start, least: float) -> bool:
        """Whether to search from it; the evidence is only known where a training has ended."""
        unknown = self.control.by_evidence or self.problem.loss is not None
        return unknown or start.cv_loss < PROMISING * least

    def _search(self, values: Array) -> FirstLevelSearch:
        free = np.array([self.lam is None, self.mu is None])
        return FirstLevelSearch(self.folds, np.log(values), free, self.control)

    def one_bandwidth(self) -> Start | None:
        """The LS-SVM with a common factor of all θ; None where there is none in time."""
        objective = self._objective()
        try:
            z = tied(objective, DescentLimits(_TOL, _STEPS, objective.stopping), self.lam).z
            return self._start(z)
        except (Stopped, np.linalg.LinAlgError):
            return None

    def columns(self, lam: float, theta: Array) -> Start | None:
        """The start with unequal column scales; None if λ and θ have a smaller loss already."""
        objective = self._objective()
        try:
            z = best_other_start(objective, lam, theta, self.lam)
            start = None if z is None else self._start(z)
        except (Stopped, np.linalg.LinAlgError):
            return None
        if start is None or self.lam is not None:
            return start
        # With less λ, θ learned in training uses the other columns too, to follow the noise.
        return replace(start, lam=max(start.lam, _usual_lam(self.problem, start.theta)))

    def _start(self, z: Array) -> Start:
        problem = self.problem
        lam = float(np.exp(z[0])) if self.lam is None else self.lam
        theta = np.exp(z[1:])
        lam, fit = self._objective().trained(lam, theta)
        if self.control.by_evidence or problem.loss is not None:
            return Start(lam, theta, np.inf)
        held_out = SelectionCriterion(KFoldLoss(problem.weight, list(self.folds)))
        loss = held_out.value(fit, theta)
        return Start(lam, theta, 0.5 * loss / float(problem.weight.sum()))

    def _objective(self) -> SelectionObjective:
        problem, left = self.problem, self.control.stopping.seconds_left
        spread = float(problem.weight @ (problem.Y**2).sum(axis=1))
        criterion = SelectionCriterion.leave_one_out(problem.weight, spread)
        # These machines are not reported, but their time counts.
        silent = StoppingControl(time_limit=None if np.isinf(left) else left)
        return SelectionObjective(
            problem.family, problem.X, problem.Y, criterion, silent, options=self.control.options
        )


def first_values(
    line: FirstLevelProblem, lam: float | None, mu: float | None
) -> TrainingSearch[Array]:
    """λ and μ where a search starts: the μ for which the usual scale is a stationary point."""
    if lam is None:
        lam = _usual_lam(line, line.scale)
    if mu is None:
        (point,) = yield [TrainingRequest(line, line.scale, lam, 0.0)]
        if point is None:
            raise np.linalg.LinAlgError("no machine could be trained")
        slope = float(line.penalty.gradient(line.scale)[0])
        balanced = float(-point.gradient[0]) / slope if slope > 0 else 0.0
        # Without anything to learn, the criterion has no slope.
        size = 2.0 * float(line.penalty.value(line.scale))
        fallback = (point.objective or 1.0) / (size if size > 0 else float(line.scale[0] ** 2))
        mu = balanced if balanced > 1e-6 * fallback else fallback
    return np.array([lam, mu])


def _usual_lam(problem: FirstLevelProblem, theta: Array) -> float:
    """λ where a search starts by default."""
    diagonal = problem.family.diag(problem.X, theta)
    return _FIRST_LAM * float(np.abs(diagonal).mean()) * usual_weight(problem.weight)
