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
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from kernlearn.quality.ls_svm import LSSVMFit, mirrored
from kernlearn.typing import Array, Indices


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


@dataclass(frozen=True, eq=False)
class LeaveOneOut(HeldOutLoss):
    r"""The predicted residual sum of squares, PRESS: :math:`\sum_i s_i (\alpha_i / P_{ii})^2`.

    >>> import numpy as np
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> fit = fit_ls_svm(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
    >>> LeaveOneOut(np.ones(3)).residuals(fit).round(3).ravel().tolist()
    [-3.0, -1.5, 4.5]
    """

    def residuals(self, fit: LSSVMFit) -> Array:
        """Residuals of every point by the machine trained on all others."""
        return np.asarray(fit.dual_coef / fit.inverse.diagonal()[:, None])

    def slope(self, fit: LSSVMFit) -> Array:
        r"""The derivative with respect to K.

        Here :math:`\sum_i v_i (P_{:i} r_i)^\top = P \operatorname{diag}(e) P` with
        :math:`e_i = s_i r_i^2 / P_{ii} \ge 0`, a symmetric product at half the cost of a general
        one.
        """
        P = fit.inverse
        diagonal = P.diagonal()
        r = self.residuals(fit)
        scaled = self.weight[:, None] * r / diagonal[:, None]
        root = np.sqrt((scaled * r).sum(axis=1))
        W = mirrored(dsyrk(2.0, (P * root).T, trans=1, lower=1))
        product = (P @ scaled) @ fit.dual_coef.T
        W -= product
        W -= product.T
        return W


@dataclass(frozen=True, eq=False)
class KFoldLoss(HeldOutLoss):
    """The k-fold squared loss, without training k machines.

    >>> import numpy as np
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> fit = fit_ls_svm(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
    >>> folds = [np.array([0]), np.array([1, 2])]
    >>> KFoldLoss(np.ones(3), folds).residuals(fit).round(3).ravel().tolist()
    [-3.0, 1.0, 5.0]
    """

    folds: Sequence[Indices]  # The rows held out together; every row is in one fold

    def residuals(self, fit: LSSVMFit) -> Array:
        """Residuals of every point by the machine trained without its fold."""
        r = np.empty_like(fit.dual_coef)
        for rows in self.folds:
            r[rows] = cho_solve(_factor(fit, rows), fit.dual_coef[rows], check_finite=False)
        return r

    def slope(self, fit: LSSVMFit) -> Array:
        """The derivative with respect to K, of rank two for every fold and target."""
        towards, without = [], []
        for rows in self.folds:
            factor = _factor(fit, rows)
            columns = fit.inverse[:, rows]
            r = cho_solve(factor, fit.dual_coef[rows], check_finite=False)
            g = cho_solve(factor, self.weight[rows, None] * r, check_finite=False)
            towards.append(columns @ g)
            without.append(fit.dual_coef - columns @ r)
        product = np.hstack(towards) @ np.hstack(without).T
        return np.asarray(-(product + product.T))


def _factor(fit: LSSVMFit, rows: Indices) -> tuple[Array, bool]:
    """The Cholesky factor of P_FF, positive definite as long as F is not all points."""
    factor, lower = cho_factor(fit.inverse[np.ix_(rows, rows)], lower=True, check_finite=False)
    return factor, lower
