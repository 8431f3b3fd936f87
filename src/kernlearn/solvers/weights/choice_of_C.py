"""Choice of C by the held-out loss, along one warm-started path.

The weights are learned from all rows at a C, from those of the nearest C before, to a few digits;
the caller computes the held-out loss at that kernel. The search begins in the
middle and goes on next to the best C so far, until both its neighbours are worse: machines with a
large C take long, and mostly nothing asks for them. The best C is then learned with all the digits
that were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from kernlearn.numerics.rounding import first_least
from kernlearn.solvers.core.problem import Control
from kernlearn.solvers.core.solution import Solution
from kernlearn.typing import Array

SolutionT = TypeVar("SolutionT", bound=Solution)

# Relative duality gap along the path; only the last solution has to be exact.
PATH_TOL = 1e-3


@dataclass(frozen=True, eq=False)
class Choice(Generic[SolutionT]):
    """The C that was chosen, its solution, and the losses of all C tried."""

    C: float  # of the smallest loss; the smallest of several
    solution: SolutionT  # it counts the machines of the whole path
    losses: Array  # (n_tried, 2): every C and its loss on rows held out


def middle_of(Cs: Sequence[float]) -> int:
    """Position of the C at which the search begins."""
    return (len(Cs) - 1) // 2


def choose_C(
    Cs: Sequence[float],
    learn: Callable[[float, Array | None, Control], SolutionT],
    loss: Callable[[float, SolutionT], float],
    control: Control,
) -> Choice[SolutionT]:
    """Learn with one C after the other, from known weights, and learn the best one to the end.

    The Cs are in increasing order, so near to each other that the loss falls and then rises along
    them. ``learn(C, start, control)`` finds a solution, and ``loss(C, solution)`` its loss on rows
    held out, NaN where there is none. Once the stopping has ended, no further C is tried.
    """
    rough, stopping = replace(control, tol=max(control.tol, PATH_TOL)), control.stopping
    tried: dict[int, tuple[SolutionT, float]] = {}
    n_solves, left, place = 0, set(range(len(Cs))), middle_of(Cs)
    while True:
        left.remove(place)
        near = min(tried, key=lambda other: abs(other - place), default=None)
        solution = learn(Cs[place], None if near is None else tried[near][0].weights, rough)
        n_solves += solution.n_machine_solves
        if np.isfinite(solution.weights).all():
            tried[place] = solution, loss(Cs[place], solution)
        best = _best({k: value for k, (_, value) in tried.items()}, place)
        around = (best + 1, best - 1) if tried else sorted(left)
        places = [k for k in around if k in left]
        if not places or stopping.stopped is not None:
            break
        place = places[0]
    if tried:
        solution = tried[best][0]
    if stopping.stopped is None and tried:
        solution = learn(Cs[best], solution.weights, control)
        n_solves += solution.n_machine_solves
    elif solution.status.is_optimal and stopping.stopped is not None:
        # It was good enough for the path, which ended before it could be made exact.
        solution = replace(solution, status=stopping.stopped)
    losses = np.array([(Cs[k], tried[k][1]) for k in sorted(tried)]).reshape(-1, 2)
    return Choice(Cs[best], replace(solution, n_machine_solves=n_solves), losses)


def lowest(loss: Callable[[int], float], n_places: int) -> int:
    """The place of the least loss, which falls and then rises along the places.

    The search begins in the middle and goes on next to the best place so far, until both its
    neighbours are worse.

    >>> lowest(lambda k: (k - 3.2) ** 2, 6)
    3
    """
    losses: dict[int, float] = {}
    places = [(n_places - 1) // 2]
    while places:
        losses[places[0]] = loss(places[0])
        best = _best(losses, places[0])
        around = (best + 1, best - 1)
        places = [k for k in around if 0 <= k < n_places and k not in losses]
    return best


def _best(losses: dict[int, float], otherwise: int) -> int:
    """The place of the least loss, the first of several; NaN is more than any number."""
    places = sorted(losses)
    return places[first_least(losses[k] for k in places)] if places else otherwise
