"""What learning through factors returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.families.factors import Factors
from kernlearn.solvers.solution import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LowRankSolution(Solution):
    """Learned weights and the machine through landmarks; ``dual_coef`` is None.

    Attributes
    ----------
    factors : Factors
        The maps to the factors.
    coef : ndarray of shape (R, k)
        The function is ``factors(X) @ coef + intercept``.
    residual_trace : ndarray of shape (m,)
        The part of each kernel's trace that its factor leaves out.
    """

    factors: Factors | None = None
    coef: Array | None = None
    residual_trace: Array | None = None
