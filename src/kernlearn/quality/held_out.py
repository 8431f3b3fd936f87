r"""Squared loss on held-out points of a least-squares machine, in closed form.

Leaving out the points F and training on the others gives the residuals

.. math:: r_F = y_F - f^{(-F)}(x_F) = (P_{FF})^{-1} \alpha_F

with P and α of :func:`kernlearn.quality.ls_svm.fit_ls_svm` on all points (eliminate the rows of F
from the bordered system). The loss is :math:`Q = \sum_F \sum_{i \in F} s_i r_i^2`.

Its derivative: dP = −P dM P and dα = −P dM α for a change dM of K + Λ. With
:math:`g_F = (P_{FF})^{-1} S_F r_F`, and :math:`v_F = P_{:F}\, g_F`, and
:math:`a_F = \alpha - P_{:F} r_F`, the coefficients of the machine trained without F (zero on F),

.. math:: dQ = 2 \sum_F g_F^\top (d\alpha_F - dP_{FF}\, r_F) = -2 \sum_F v_F^\top dM\, a_F .

So one symmetric matrix, :math:`W = -\sum_F (v_F a_F^\top + a_F v_F^\top)`, holds the derivative
with respect to every entry of K, and with it those for all parameters of a kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from kernlearn.quality.ls_svm import LSSVMFit
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class HeldOutLoss(ABC):
    """A way of holding points out."""

    weight: Array  # The weights s of the points, of shape (n,)

    @abstractmethod
    def residuals(self, fit: LSSVMFit) -> Array:
        """The held-out residuals, of shape (n, k)."""

    @abstractmethod
    def slope(self, fit: LSSVMFit) -> Array:
        """The matrix W, of shape (n, n)."""

    def value(self, fit: LSSVMFit) -> float:
        """The loss Q, summed over points and targets."""
        return float(self.weight @ (self.residuals(fit) ** 2).sum(axis=1))
