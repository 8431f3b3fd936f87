"""What is known at the end of learning through factors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.solvers.nystroem.refits import FoldMachines
from kernlearn.solvers.nystroem.solution import LowRankSolution
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned through landmarks.

    Attributes
    ----------
    solution : LowRankSolution
        Weights, functions and certificate.
    ranks, losses : ndarray
        Held-out loss by rank.
    held_out : FoldMachines or None
        Machines trained without each fold.
    exact_bound : float or None
        No weights of the exact kernels have a smaller objective.
    C : float
        The settings' C, or the one that was chosen.
    loss_by_C : ndarray of shape (n_tried, 2)
        Every C that it was chosen from, and its loss on rows held out.
    """

    solution: LowRankSolution
    ranks: NDArray[np.intp]
    losses: Array
    held_out: FoldMachines | None
    exact_bound: float | None
    C: float
    loss_by_C: Array
