r"""Other starts of first-level learning, and the machine of one bandwidth that it has to beat.

From equal scales, and a λ that suits a smooth function, every descent ends where λ explains all if
the function changes quickly, or if few of many columns matter. Two more starts are therefore looked
at, both by leave-one-out, which has a closed form:

- λ and the one bandwidth of the LS-SVM (:func:`kernlearn.solvers.selection.select.tied`);
- scales by which columns count differently (:mod:`kernlearn.solvers.selection.column_starts`).

The search for λ and μ is made again from each that promises less than what is known. The μ of a
start is the one for which it is a stationary point along its direction. The LS-SVM itself is a
candidate too: its loss on the same folds is the one that first-level learning may not exceed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernlearn.quality.held_out import KFoldLoss, LeaveOneOut
from kernlearn.quality.selection_criterion import SelectionCriterion
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.first_level.problem import FirstLevelProblem, TrainingRequest, TrainingSearch
from kernlearn.solvers.first_level.search import FirstLevelControl
from kernlearn.solvers.selection.descent import DescentLimits
from kernlearn.solvers.selection.objective import SelectionObjective
from kernlearn.solvers.selection.select import tied
from kernlearn.solvers.selection.starts import best_other_start
from kernlearn.typing import Array, Indices

# λ starts at this share of the kernel's mean diagonal.
_FIRST_LAM = 0.3
# Held-out errors of a millionth of the targets' spread are as good as none.
_NEGLIGIBLE = 1e-12
# The slope of the logarithm of the loss at which the search for one bandwidth ends: it changes by
# less than a thousandth from there on.
_TOL, _STEPS = 3e-2, 100


@dataclass(frozen=True, eq=False)
class Start:
    """Where to start."""

    lam: float  # λ
    theta: Array  # θ, of shape (p,)
    cv_loss: float  # The mean of ½(y - f)² of the machine with them over held-out folds


@dataclass(frozen=True, eq=False)
class OtherStarts:
    """What is looked at beside equal scales."""

    problem: FirstLevelProblem  # All data
    folds: Sequence[Indices]  # The rows held out together
    lam: float | None  # A λ to be kept
    control: FirstLevelControl  # When it is time to end, and how the LS-SVM is selected

    def one_bandwidth(self) -> Start | None:
        """The LS-SVM with a common factor of all θ; None where there is none in time."""
        objective = self._objective()
        try:
            z = tied(objective, DescentLimits(_TOL, _STEPS, objective.stopping), self.lam).z
            return self._start(z)
        except (Stopped, np.linalg.LinAlgError):
            return None

    def columns(self, lam: float, theta: Array) -> Start | None:
        """The start that tells columns apart; None where λ and θ are better already."""
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
        lam, fit = self._objective().trained(lam, np.exp(z[1:]))
        loss = KFoldLoss(problem.weight, list(self.folds)).value(fit)
        return Start(lam, np.exp(z[1:]), 0.5 * loss / float(problem.weight.sum()))

    def _objective(self) -> SelectionObjective:
        problem, left = self.problem, self.control.stopping.seconds_left
        spread = float(problem.weight @ (problem.Y**2).sum(axis=1))
        negligible = max(_NEGLIGIBLE * spread, np.finfo(float).tiny)
        criterion = SelectionCriterion(LeaveOneOut(problem.weight), False, negligible)
        # Nothing is told of these machines, but the time they take counts.
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
        balanced = float(-point.gradient[0] / line.scale[0])
        # Where nothing is to be learned the criterion has no slope to be balanced.
        fallback = (point.objective or 1.0) / float(line.scale[0] ** 2)
        mu = balanced if balanced > 1e-6 * fallback else fallback
    return np.array([lam, mu])


def values_at(problem: FirstLevelProblem, start: Start) -> TrainingSearch[Array]:
    """λ and μ of a start, likewise along its own direction."""
    size = float(np.linalg.norm(start.theta))
    line = replace(problem.along(start.theta / size), scale=np.array([size]))
    return (yield from first_values(line, start.lam, None))


def _usual_lam(problem: FirstLevelProblem, theta: Array) -> float:
    """λ where a search starts by default."""
    diagonal = problem.family.kernel(theta).diag(problem.X)
    return _FIRST_LAM * float(np.abs(diagonal).mean())
