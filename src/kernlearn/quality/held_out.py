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

    @abstractmethod
    def subset(self, rows: Indices) -> HeldOutLoss:
        """The same for some of the points, in increasing order."""

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

    def subset(self, rows: Indices) -> LeaveOneOut:
        """Of some points."""
        return LeaveOneOut(self.weight[rows])


@dataclass(frozen=True, eq=False)
class LeaveGroupsOut(HeldOutLoss):
    """The same where the points of a block are left out together, and all others one by one.

    >>> import numpy as np
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> fit = fit_ls_svm(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
    >>> loss = LeaveGroupsOut(np.ones(3), [np.array([1, 2])])
    >>> loss.residuals(fit).round(3).ravel().tolist()
    [-3.0, 1.0, 5.0]
    """

    blocks: Sequence[Indices]  # Points left out together, two or more; no point is in two blocks

    @property
    def folds(self) -> list[Indices]:
        """All that is left out together, single points too."""
        alone = np.setdiff1d(np.arange(len(self.weight)), np.concatenate(self.blocks))
        return [*self.blocks, *alone[:, None]]

    def residuals(self, fit: LSSVMFit) -> Array:
        """Residuals of every point by the machine trained without its block."""
        return left_out_residuals(fit.inverse, fit.dual_coef, self.blocks)

    def slope(self, fit: LSSVMFit) -> Array:
        """The derivative with respect to K: a sum over single points and over blocks."""
        alone = self.weight.copy()
        alone[np.concatenate(self.blocks)] = 0.0
        together = KFoldLoss(self.weight, self.blocks).slope(fit)
        return together + LeaveOneOut(alone).slope(fit)

    def subset(self, rows: Indices) -> HeldOutLoss:
        """Of some points, of which few blocks may have more than one."""
        blocks = [block for block in _within(self.blocks, rows) if len(block) > 1]
        weight = self.weight[rows]
        return LeaveGroupsOut(weight, blocks) if blocks else LeaveOneOut(weight)


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

    def subset(self, rows: Indices) -> HeldOutLoss:
        """Of some points, in the folds that have any; one by one where that is a single fold."""
        folds, weight = _within(self.folds, rows), self.weight[rows]
        return KFoldLoss(weight, folds) if len(folds) > 1 else LeaveOneOut(weight)


def leave_out(weight: Array, blocks: Sequence[Indices]) -> HeldOutLoss:
    """Leave-one-out, of points of a block together; inputs are checked."""
    return LeaveGroupsOut(weight, blocks) if blocks else LeaveOneOut(weight)


def left_out_residuals(inverse: Array, dual_coef: Array, blocks: Sequence[Indices]) -> Array:
    """The r of shape (n, k) from P and α: of every point alone, or together with its block."""
    r = np.asarray(dual_coef / inverse.diagonal()[:, None])
    for rows in stacked(blocks):
        P = inverse[rows[:, :, None], rows[:, None, :]]
        r[rows] = np.linalg.solve(P, dual_coef[rows])
    return r


def stacked(blocks: Sequence[Indices]) -> list[Indices]:
    """Blocks of one size as the rows of one array each.

    >>> [rows.tolist() for rows in stacked([np.array([0, 1]), np.array([3]), np.array([2, 4])])]
    [[[3]], [[0, 1], [2, 4]]]
    """
    sizes = sorted({len(block) for block in blocks})
    return [np.stack([block for block in blocks if len(block) == size]) for size in sizes]


def _within(blocks: Sequence[Indices], rows: Indices) -> list[Indices]:
    """Blocks of positions within some rows, those without any left out."""
    found = [np.searchsorted(rows, np.intersect1d(block, rows)) for block in blocks]
    return [block for block in found if len(block)]


def _factor(fit: LSSVMFit, rows: Indices) -> tuple[Array, bool]:
    """The Cholesky factor of P_FF, positive definite as long as F is not all points."""
    factor, lower = cho_factor(fit.inverse[np.ix_(rows, rows)], lower=True, check_finite=False)
    return factor, lower
