"""What learning through factors returns."""

from __future__ import annotations

from dataclasses import dataclass

from kernlearn.families.factors import Factors
from kernlearn.solvers.core.problem import Proof
from kernlearn.solvers.core.solution import Solution
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class LowRankSolution(Solution):
    """Learned weights and machines; ``dual_coef`` (k, n) is None for least squares."""

    factors: Factors  # the maps to the factors
    coef: Array  # (R, k): the function is ``factors(X) @ coef + intercept``
    residual_trace: Array  # (m,): the part of each kernel's trace that its factor leaves out
    rounding: float = 0.0  # what is not known of the objective, and taken off the bound
    # What the lower bound is proved by: dual coefficients, or for least squares coefficients of the
    # columns, of shape (s, 1, R, k), whose residuals are the dual ones
    proof: Proof | None = None
