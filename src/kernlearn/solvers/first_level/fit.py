r"""First-level kernel learning from beginning to end.

λ and μ minimise the cross-validated squared loss, either by descent with the exact slope or by
the Nelder-Mead simplex of Cawley and Talbot (2014), section 2.2. As advised there, families of
several parameters are first learned with a common scale, θ = c times the start, which for ARD on
standardised data is the RBF kernel, and all parameters start from that solution. Where λ and μ are
both chosen, other starts are looked at too (:mod:`kernlearn.solvers.first_level.starts`), and what
is returned predicts held-out folds no worse than the LS-SVM with one bandwidth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.numerics.rounding import is_less
from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.first_level.problem import (
    FirstLevelProblem,
    Trained,
    TrainingRequest,
    TrainingSearch,
)
from kernlearn.solvers.first_level.search import FirstLevelControl, FirstLevelSearch
from kernlearn.solvers.first_level.starts import OtherStarts, Start, first_values, values_at
from kernlearn.solvers.selection.starts import PROMISING
from kernlearn.typing import Array, Indices

_FINAL_TOL = 1e-12
# The common scale is only a start.
_ROUGHER = 5.0


@dataclass(frozen=True, eq=False)
class FirstLevelSolution:
    """What was learned."""

    point: Trained  # The machine on all data
    lam: float  # λ and μ as chosen or given
    mu: float
    # The mean of ½(y - f)² over held-out points, where λ or μ was chosen by it
    cv_loss: float | None
    n_iter: int  # Machines trained for the final θ
    n_evaluations: int  # Evaluations of the cross-validated loss
    n_machine_solves: int  # All machines trained
    status: Status  # How it ended


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
    free = np.array([lam is None, mu is None])
    search, theta = yield from _from_equal_scales(problem, folds, lam, mu, free, control)
    stopping, bandwidth = control.stopping, None
    if control.several and mu is None and stopping.stopped is None:
        others = OtherStarts(problem, folds, lam, control)
        bandwidth = others.one_bandwidth()
        for start in (bandwidth, others.columns(float(np.exp(search.x[0])), theta)):
            if start is not None and start.cv_loss < PROMISING * search.least:
                again, found = yield from _from_start(
                    problem, folds, start, free, control, search.least
                )
                if again.least < search.least:
                    search, again, theta = again, search, found
                search.add_counts(again)
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
        search.loss,
        descent.n_points,
        search.n_evaluations,
        search.n_points + descent.n_points,
        status,
    )


def _from_equal_scales(
    problem: FirstLevelProblem,
    folds: Sequence[Indices],
    lam: float | None,
    mu: float | None,
    free: NDArray[np.bool_],
    control: FirstLevelControl,
) -> TrainingSearch[tuple[FirstLevelSearch, Array]]:
    """λ, μ and θ from the family's start: the common scale first, then all of them."""
    direction = problem.scale / np.linalg.norm(problem.scale)
    line = problem.along(direction)
    x = np.log((yield from first_values(line, lam, mu)))
    search = FirstLevelSearch(folds, x, free, control)
    start = problem.scale
    if len(problem.scale) > 1:
        length = yield from search.stage(line, line.scale, _ROUGHER)
        start = length[0] * direction
    theta = yield from search.stage(problem, start, 1.0)
    return search, theta


def _from_start(
    problem: FirstLevelProblem,
    folds: Sequence[Indices],
    start: Start,
    free: NDArray[np.bool_],
    control: FirstLevelControl,
    below: float,
) -> TrainingSearch[tuple[FirstLevelSearch, Array]]:
    """The same from another start, all scales at once, if its loss is below what is known."""
    x = np.log((yield from values_at(problem, start)))
    search = FirstLevelSearch(folds, x, free, control)
    theta = yield from search.stage(problem, start.theta, 1.0, below)
    return search, theta


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
        point, start.lam, 0.0, start.cv_loss, 1, search.n_evaluations, n_points, status
    )
