"""The pairwise hinge program, and what solving it returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernlearn.runtime.status import Status
from kernlearn.solvers.pairs.pair_kernel import DensePairKernel, PairKernel
from kernlearn.typing import Array, Mask

# A section that is smaller than this part of the largest cannot be told from zero.
_VANISHING = 1e-100


@dataclass(frozen=True, eq=False)
class PairProgram:
    r"""Learn which pairs belong together (Kondor and Jebara 2007, section 5).

    .. math::

        \min_{\alpha, b, \xi}\ \tfrac12 \alpha^\top K \alpha + C \sum_p \xi_p
        \quad\text{s.t.}\quad t_p ((K\alpha)_p + b) \ge 1 - \xi_p,\ \xi \ge 0,\ \alpha \ge 0

    and without :math:`\alpha \ge 0` when not conic. In terms of :math:`w = \sum_p \alpha_p K_p`
    the objective is :math:`\tfrac12\|w\|^2 + C\sum_p [1 - t_p(w_p + b)]_+`, with w in the cone of
    the sections, or anywhere in their span.
    """

    kernel: PairKernel
    labels: Array  # t, +1 for pairs that belong together and −1 for those that do not
    C: float  # the weight of the loss, above zero
    conic: bool  # whether α ≥ 0

    @cached_property
    def interior(self) -> Array:
        """The mean e of all sections, which is positive where K has no negative entries."""
        return self.kernel.lift(np.full(self.kernel.n_pairs, 1.0 / self.kernel.n_pairs))

    @cached_property
    def reach(self) -> Array:
        """The values of e: the mean of every section over all pairs."""
        return self.kernel.values(self.interior)

    @cached_property
    def generators(self) -> Mask:
        """The pairs that may have a coefficient in a conic program.

        Left out are those whose sections vanish at all pairs, and those that an incomplete factor
        has left with a mean that is not positive.
        """
        return self.reach > _VANISHING * float(self.reach.max())

    @cached_property
    def allowed(self) -> Mask:
        """The pairs that enter the bound of a conic program.

        With the whole matrix all that do not vanish, with a factor the generators.
        """
        if isinstance(self.kernel, DensePairKernel):
            return self.kernel.lengths > 0
        return self.generators


@dataclass(frozen=True, eq=False)
class PairSolution:
    """Coefficients of the pairs, and the certificate."""

    coef: Array  # α: few of them are not zero when conic, and those of the pivots when not
    intercept: float
    dual_coef: Array  # multipliers of the classification constraints, 0 ≤ a ≤ C and tᵀa = 0
    objective: float  # the value at α, rounded up
    lower_bound: float  # what no other α can go below
    whole_lower_bound: float  # and with what a factor has left out of the matrix
    gap: float  # relative difference of objective and lower_bound
    status: Status
    n_iter: int  # working-set rounds and Newton steps
