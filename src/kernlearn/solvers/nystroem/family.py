"""From a table of any number of rows and a family of any number of kernels to learned weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.kernel_pool import KernelPool
from kernlearn.families.landmark_pool import LandmarkPool, shared_landmarks
from kernlearn.kernels import Kernel
from kernlearn.quality.registry import QUALITIES
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import relative_gap
from kernlearn.solvers.nystroem.column_master import FactorMaster
from kernlearn.solvers.nystroem.learn import learn_through_landmarks
from kernlearn.solvers.nystroem.learned import Learned
from kernlearn.solvers.nystroem.request import Request
from kernlearn.solvers.weights.column_generation import ColumnGeneration, MasterStopping
from kernlearn.typing import Array

RANK = 64  # of rank="auto"
# Of the tolerance: what the search may leave, and what the last look at its kernels may add.
SEARCH, LAST = 0.7, 0.3


@dataclass(frozen=True, eq=False)
class FamilyLearned(Learned):
    """What was learned of a family: weights of all kernels, all else of those with weight.

    Attributes
    ----------
    active : ndarray of integers
        Which kernels these are.
    kernels : list of Kernel
        They themselves.
    """

    active: NDArray[np.intp]
    kernels: list[Kernel]


def learn_family_through_landmarks(
    source: Any,
    kernels: KernelPool,
    targets: Sequence[Array],
    request: Request,
    control: Control,
) -> FamilyLearned:
    """Find the kernels with weight by column generation, then learn from them as from a list.

    All kernels are seen through the same landmarks, rows drawn at random.
    """
    rank = RANK if request.rank == "auto" else request.rank
    pool = LandmarkPool(kernels, shared_landmarks(kernels.points, rank, request.random_state))
    weight_set = request.weight_set(np.array([pool.traces, pool.traces]))
    settings = request.settings
    machines = [QUALITIES[request.quality].build(y, settings) for y in targets]
    least_squares = request.quality == "least_squares"
    master = FactorMaster(pool, source, targets, machines, settings, least_squares)
    search = replace(control, tol=SEARCH * control.tol)
    found = ColumnGeneration(pool, master, machines, weight_set, search).run()
    active = np.flatnonzero(found.weights)
    known = replace(
        request,
        rank=rank,
        total=weight_set.total,
        start=found.weights[active],
        maps=[pool.map(int(i)) for i in active],
        near=found,
    )
    made = [pool.pool.kernel(int(i)) for i in active]
    stopping = MasterStopping(control.stopping, found.lower_bound)
    last = replace(control, tol=LAST * control.tol, stopping=stopping)
    learned = learn_through_landmarks(source, made, targets, known, last)
    solution = learned.solution
    weights = np.zeros(pool.n_matrices)
    weights[active] = solution.weights
    bound = min(found.lower_bound - solution.rounding, solution.objective)
    solution = replace(
        solution,
        weights=weights,
        lower_bound=bound,
        gap=relative_gap(solution.objective, bound),
        status=certified_status(solution.objective, bound, control.tol, found.status),
        n_machine_solves=found.n_machine_solves + solution.n_machine_solves,
        history=found.history,
    )
    parts = {each.name: getattr(learned, each.name) for each in fields(Learned)}
    return FamilyLearned(**{**parts, "solution": solution}, active=active, kernels=made)
