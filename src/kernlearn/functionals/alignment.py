"""Kernel-target alignment: Ong et al. (2005), Example 3; Lanckriet et al. (2004), section 4.7."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.families.matrices import GramStack
from kernlearn.functionals.base import QualityFunctional, Target, one_vs_rest
from kernlearn.quality.alignment import alignment
from kernlearn.typing import Array


@dataclass(frozen=True, repr=False)
class Alignment(QualityFunctional):
    r"""One minus the alignment of the kernel with the labels, eq. (4).

    .. math::

        Q(k; X, y) = 1 - \frac{\langle K, YY^\top \rangle_F}
            {\lVert K \rVert_F \, \lVert YY^\top \rVert_F} \in [0, 1]

    Y is the vector of labels −1 and +1 for two classes, so that
    :math:`\lVert YY^\top\rVert_F = \lVert y\rVert^2`, and has one such column for each class
    against the rest for more. The scale of the kernel does not matter. Zero is reached by
    :math:`K = YY^\top`.

    Parameters
    ----------
    centered : bool, default=False
        Use HKH and HY in place of K and Y, H = I − 11ᵀ/n (Cortes, Mohri and Rostamizadeh 2012):
        constants added to the kernel do not matter then, nor do classes of unequal size.

    Examples
    --------
    >>> from kernlearn.functionals import Alignment
    >>> from kernlearn.kernels import Linear
    >>> round(Alignment()(Linear(), [[1.0], [2.0], [-1.0], [-2.0]], ["a", "a", "b", "b"]), 3)
    0.1
    """

    centered: bool = False

    def _check_parameters(self) -> None:
        if not isinstance(self.centered, bool | np.bool_):
            raise ValueError(
                f"expected centered to be True or False, got {self.centered!r}; choose one of them"
            )

    def _evaluate(self, K: Array, y: Target) -> float:
        # Entries of size one: only ratios matter, and squares of large ones are no numbers.
        unit = np.ascontiguousarray(K / np.abs(K).max())
        found = alignment(GramStack(unit[None]), np.column_stack(one_vs_rest(y)), self.centered)
        if not found.inner_products[0, 0] > 0:
            raise ValueError(
                "expected a kernel that tells points apart, got one that is constant on these "
                "points, which is zero once centred; use another kernel, or centered=False"
            )
        return 1.0 - found.value(np.ones(1))
