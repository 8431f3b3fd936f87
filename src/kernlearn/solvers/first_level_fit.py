r"""First-level kernel learning from beginning to end.

λ and μ minimise the cross-validated squared loss, either by descent with the exact slope or by
the Nelder-Mead simplex of Cawley and Talbot (2014), section 2.2. As advised there, families of
several parameters are first learned with a common scale, θ = c times the start, which for ARD on
standardised data is the RBF kernel, and all parameters start from that solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.first_level import Ask, Asking, FirstLevelProblem, Trained
from kernlearn.solvers.first_level_search import FirstLevelControl, Search
from kernlearn.solvers.status import Status

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

# λ starts at this share of the kernel's mean diagonal.
_FIRST_LAM = 0.3
_FINAL_TOL = 1e-12
# The common scale is only a start.
_ROUGHER = 5.0


@dataclass(frozen=True, eq=False)
class FirstLevelSolution:
    """What was learned.

    Attributes
    ----------
    point : Trained
        The machine on all data.
    lam, mu : float
        λ and μ as chosen or given.
    cv_loss : float or None
        The mean of ½(y - f)² over held-out points, where λ or μ was chosen by it.
    n_iter : int
        Machines trained for the final θ.
    n_evaluations : int
        Evaluations of the cross-validated loss.
    n_machine_solves : int
        All machines trained.
    status : Status
        How it ended.
    """

    point: Trained
    lam: float
    mu: float
    cv_loss: float | None
    n_iter: int
    n_evaluations: int
    n_machine_solves: int
    status: Status


def learn_first_level(
    problem: FirstLevelProblem,
    folds: Sequence[Rows],
    lam: float | None,
    mu: float | None,
    control: FirstLevelControl,
) -> Asking[FirstLevelSolution]:
    """Learn θ and the machine; λ and μ too where they are None.

    A search that asks for machines, as in :mod:`kernlearn.solvers.asking`. When it is time to end,
    the best λ and μ so far are taken, and a machine on all data with the θ that the folds have
    learned for them.

    Raises
    ------
    numpy.linalg.LinAlgError
        If no machine can be trained at all: the kernel overflows, or is not positive semidefinite.
    """
    direction = problem.scale / np.linalg.norm(problem.scale)
    line = problem.along(direction)
    x = np.log((yield from first_values(line, lam, mu)))
    search = Search(folds, x, np.array([lam is None, mu is None]), control)
    if len(problem.scale) > 1:
        length = yield from search.stage(line, line.scale, _ROUGHER)
        start = length[0] * direction
    else:
        start = problem.scale
    theta = yield from search.stage(problem, start, 1.0)
    # A number that was given is used as it is, not as the exponential of its logarithm.
    lam = float(np.exp(search.x[0])) if lam is None else lam
    mu = float(np.exp(search.x[1])) if mu is None else mu
    patience = control.patience
    descent = yield from problem.descent(theta, lam, mu, _FINAL_TOL, control.max_iter, patience)
    if descent is None:
        raise np.linalg.LinAlgError("no machine could be trained")
    status = patience.stopped or Status.CONVERGED
    if patience.stopped is None and not (descent.converged and search.converged):
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


def first_values(line: FirstLevelProblem, lam: float | None, mu: float | None) -> Asking[Array]:
    """λ and μ where the search starts: the μ for which the usual scale is a stationary point."""
    if lam is None:
        first = line.family.kernel(line.scale).diag(line.X)
        lam = _FIRST_LAM * float(np.abs(first).mean())
    if mu is None:
        (point,) = yield [Ask(line, line.scale, lam, 0.0)]
        if point is None:
            raise np.linalg.LinAlgError("no machine could be trained")
        balanced = float(-point.gradient[0] / line.scale[0])
        # Where nothing is to be learned the criterion has no slope to be balanced.
        fallback = (point.objective or 1.0) / float(line.scale[0] ** 2)
        mu = balanced if balanced > 1e-6 * fallback else fallback
    return np.array([lam, mu])
