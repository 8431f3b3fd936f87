"""The pairwise hinge program, and what solving it returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kernlearn.runtime.status import Status
from kernlearn.solvers.pairs.spaces import DenseSpace, Space
from kernlearn.typing import Array

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

    Parameters
    ----------
    space : Space
        The kernel on pairs, by its matrix or by a factor.
    labels : ndarray of shape (n_pairs,)
        t, +1 for pairs that belong together and −1 for those that do not.
    C : float
        The weight of the loss, above zero.
    conic : bool
        Whether α ≥ 0.
    """

    space: Space
    labels: Array
    C: float
    conic: bool

    @cached_property
    def interior(self) -> Array:
        """The mean e of all sections, which is positive where K has no negative entries."""
        return self.space.lift(np.full(self.space.n_pairs, 1.0 / self.space.n_pairs))

    @cached_property
    def reach(self) -> Array:
        """The values of e: the mean of every section over all pairs."""
        return self.space.values(self.interior)

    @cached_property
    def generators(self) -> NDArray[np.bool_]:
        """The pairs that may have a coefficient in a conic program.

        Left out are those whose sections vanish at all pairs, and those that an incomplete factor
        has left with a mean that is not positive.
        """
        return self.reach > _VANISHING * float(self.reach.max())

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """The pairs that the bound of a conic program speaks of.

        With the whole matrix all that do not vanish, with a factor the generators.
        """
        if isinstance(self.space, DenseSpace):
            return self.space.lengths > 0
        return self.generators


@dataclass(frozen=True, eq=False)
class PairSolution:
    """Coefficients of the pairs, and the certificate.

    Attributes
    ----------
    coef : ndarray of shape (n_pairs,)
        α: few of them are not zero when conic, and those of the pivots when not.
    intercept : float
        b.
    dual_coef : ndarray of shape (n_pairs,)
        The multipliers a of the classification constraints, 0 ≤ a ≤ C and tᵀa = 0 up to rounding.
    objective, lower_bound, gap : float
        The value at α, rounded up; what no other α can go below; their relative difference.
    whole_lower_bound : float
        What no α can go below in the program of the whole matrix, where a factor has left a part
        of it out.
    status : Status
        How it ended.
    n_iter : int
        Rounds of sifting and Newton steps.
    """

    coef: Array
    intercept: float
    dual_coef: Array
    objective: float
    lower_bound: float
    whole_lower_bound: float
    gap: float
    status: Status
    n_iter: int
