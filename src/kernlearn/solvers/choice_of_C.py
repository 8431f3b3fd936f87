"""C by what it predicts for rows held out, along one warm-started path.

The weights are learned from all rows for every C, from the last one's solution, to a few digits;
whoever knows the rows says what is lost on those held out, at that kernel. The best C is then
learned with all the digits that were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.problem import Control
from kernlearn.solvers.solution import Solution

Array = NDArray[np.float64]
Found = TypeVar("Found", bound=Solution)

# In units of one over the kernel's mean diagonal: from mostly bounded to mostly free coefficients.
FACTORS = (0.1, 0.5, 2.0, 10.0, 50.0, 250.0)
# Relative duality gap along the path; only the last solution has to be exact.
PATH_TOL = 1e-3


@dataclass(frozen=True, eq=False)
class Choice(Generic[Found]):
    """The C that was chosen, its solution, and what the others would have cost.

    Attributes
    ----------
    C : float
        The C of the smallest loss; the smallest of several.
    solution : Solution
        Learned with it; it counts the machines of the whole path.
    losses : ndarray of shape (n_tried, 2)
        Every C and its loss on rows held out.
    """

    C: float
    solution: Found
    losses: Array


def choose_C(
    Cs: Sequence[float],
    learn: Callable[[float, Array | None, Control], Found],
    loss: Callable[[float, Found], float],
    control: Control,
) -> Choice[Found]:
    """Learn with every C, from the last one's weights, and learn the best one to the end.

    Parameters
    ----------
    Cs : sequence of float
        In increasing order: the machines are then easiest first.
    learn : callable
        ``learn(C, start, control)``.
    loss : callable
        ``loss(C, solution)`` on rows held out, NaN where there is none.
    control : Control
        When to stop. Once its patience has ended, no further C is tried.
    """
    rough, patience = replace(control, tol=max(control.tol, PATH_TOL)), control.patience
    tried: list[tuple[float, Found, float]] = []
    n_solves, start = 0, None
    for C in Cs:
        solution = learn(C, start, rough)
        n_solves += solution.n_machine_solves
        if np.isfinite(solution.weights).all():
            tried.append((C, solution, loss(C, solution)))
            start = solution.weights
        if patience.stopped is not None:
            break
    losses = np.array([(C, value) for C, _, value in tried]).reshape(-1, 2)
    if tried:
        best = int(np.where(np.isnan(losses[:, 1]), np.inf, losses[:, 1]).argmin())
        C, solution, _ = tried[best]
    if patience.stopped is None and tried:
        solution = learn(C, solution.weights, control)
        n_solves += solution.n_machine_solves
    elif solution.status.is_optimal and patience.stopped is not None:
        # It was good enough for the path, which ended before it could be made exact.
        solution = replace(solution, status=patience.stopped)
    return Choice(C, replace(solution, n_machine_solves=n_solves), losses)
