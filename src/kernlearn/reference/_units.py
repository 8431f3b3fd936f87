"""
Natural units for the margin programs.

Definition (20) is homogeneous: ω_{C,τ}(K) = s · ω_{C/s, sτ}(sK) for every s > 0, with α = s α'.
Solvers stop at absolute tolerances, so at C = 1e-3, where everything is a thousandth, they would
lose three digits. Each program is therefore solved as printed, but in units in which α is of the
order of one, and its kernels too; the solution is given back in the user's units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernlearn.reference.solution import ReferenceSolution


@dataclass(frozen=True, eq=False)
class Units:
    """The unit s of α, and one unit for each kernel matrix."""

    alpha: float
    kernels: NDArray[np.float64]

    def restore(self, solution: ReferenceSolution) -> ReferenceSolution:
        """Return the solution in the user's units."""
        if solution.alpha is None or solution.weights is None:
            return solution
        return replace(
            solution,
            value=self.alpha * solution.value,
            weights=solution.weights / (self.alpha * self.kernels),
            alpha=self.alpha * solution.alpha,
            tau=None if solution.tau is None else solution.tau / self.alpha,
        )


def alpha_unit(mean_diagonal: float, C: float, tau: float) -> float:
    """
    The size of α to expect: 1 / (K_ii + τ) for the margin, but not above C.

    Their harmonic sum is as good as the smaller one, and has no case to tell apart.
    """
    return 1.0 / (mean_diagonal + tau + 1.0 / C)
