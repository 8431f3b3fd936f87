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

Model selection minimises Q over (λ, θ): PRESS for leave-one-out, the k-fold squared loss for
cross-validation. Bayesian regularisation (Cawley and Talbot 2007) adds
:math:`\tfrac{\xi}{2} \|\theta\|^2` and integrates both factors out under Jeffreys' prior,

.. math:: L(\lambda, \theta) = \tfrac{n}{2} \log Q + \tfrac{p}{2} \log \tfrac12 \|\theta\|^2 ,

n the number of residuals and p the number of kernel parameters. L falls without end as θ → 0, where
a Gaussian kernel becomes a linear one. The minimised criterion has ‖θ‖² + ε² in place of ‖θ‖², with
an ε so small that the kernel is linear for θ of that size; elsewhere the two criteria agree.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from kernlearn.quality.ls_svm import LSSVMFit, MachineFit, mirrored, train_ls_svm
from kernlearn.quality.ridge_path import RidgePath, stacked
from kernlearn.typing import Array, Indices

FitT = TypeVar("FitT", bound=MachineFit)


@dataclass(frozen=True, eq=False)
class SelectionLoss(ABC, Generic[FitT]):
    """The loss whose logarithm model selection minimises, and its machine."""

    keeps_factors: ClassVar[bool] = False  # Whether a machine has a factorisation for each target

    weight: Array  # The weights s of the points, of shape (n,)

    @abstractmethod
    def trained(self, K: Array, Y: Array, lam: float, start: FitT | None) -> tuple[float, FitT]:
        """λ as it was used, and the machine; `start` is one at other λ and θ."""

    @abstractmethod
    def value(self, fit: FitT) -> float:
        """The loss of a machine."""

    @abstractmethod
    def slope(self, fit: FitT) -> Array:
        """The matrix W, of shape (n, n)."""

    def log_slope(self, fit: FitT, negligible: float) -> Array:
        """The derivative with respect to K of the logarithm of the loss plus a constant."""
        return self.slope(fit) / (self.value(fit) + negligible)

    @abstractmethod
    def ridge_slope(self, fit: FitT, W: Array, lam: float) -> float:
        """The derivative with respect to log λ of what has the derivative W with respect to K."""

    @abstractmethod
    def along(self, K: Array, Y: Array) -> Callable[[float], float] | None:
        """The loss as a function of λ, where that takes less time than a machine for each."""

    @abstractmethod
    def left_out(self, fit: FitT, Y: Array, blocks: Sequence[Indices]) -> tuple[Array, float]:
        """Values of every point without it, or without its block, and their mean loss."""

    def expected(self, values: Array) -> Array:
        """Expected targets at decision values."""
        return values

    @abstractmethod
    def subset(self, rows: Indices) -> SelectionLoss[FitT]:
        """The same for some of the points, in increasing order."""

    def reported(self, fit: FitT) -> float:
        """The loss as it is reported."""
        return self.value(fit)


@dataclass(frozen=True, eq=False)
class LeastSquaresLoss(SelectionLoss[LSSVMFit]):
    """A loss of least-squares machines, in the units of a squared target."""

    @abstractmethod
    def value_at(self, lam: float, path: RidgePath) -> float:
        """The loss at a λ of a decomposed matrix."""

    def trained(
        self, K: Array, Y: Array, lam: float, start: LSSVMFit | None
    ) -> tuple[float, LSSVMFit]:
        """The machine of equation (3), wherever another one was."""
        return train_ls_svm(K, Y, lam, self.weight)

    def ridge_slope(self, fit: LSSVMFit, W: Array, lam: float) -> float:
        """λ adds to the diagonal of K; a raised ridge does not depend on λ."""
        ridge = lam / self.weight
        return float(W.diagonal() @ np.where(fit.ridge > ridge, 0.0, ridge))

    def along(self, K: Array, Y: Array) -> Callable[[float], float]:
        """The loss as a function of λ, from one decomposition."""
        return partial(self.value_at, path=RidgePath.of(K, Y, self.weight))

    def left_out(self, fit: LSSVMFit, Y: Array, blocks: Sequence[Indices]) -> tuple[Array, float]:
        """Left-out predictions and their squared loss, in closed form."""
        residuals = left_out_residuals(fit.inverse, fit.dual_coef, blocks)
        return Y - residuals, float(np.average((residuals**2).sum(axis=1), weights=self.weight))


@dataclass(frozen=True, eq=False)
class HeldOutLoss(LeastSquaresLoss):
    """A way of holding points out."""

    @abstractmethod
    def residuals(self, fit: LSSVMFit) -> Array:
        """The held-out residuals, of shape (n, k)."""

    @abstractmethod
    def residuals_at(self, lam: float, path: RidgePath) -> Array:
        """The same at a λ of a decomposed matrix."""

    @abstractmethod
    def subset(self, rows: Indices) -> HeldOutLoss:
        """The same for some of the points, in increasing order."""

    def value(self, fit: LSSVMFit) -> float:
        """The loss Q, summed over points and targets."""
        return self._sum(self.residuals(fit))

    def value_at(self, lam: float, path: RidgePath) -> float:
        """The same at a λ of a decomposed matrix."""
        return self._sum(self.residuals_at(lam, path))

    def _sum(self, residuals: Array) -> float:
        return float(self.weight @ (residuals**2).sum(axis=1))


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

    def residuals_at(self, lam: float, path: RidgePath) -> Array:
        """The same at a λ of a decomposed matrix."""
        return path.residuals(lam)

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
        """The loss of some points."""
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

    def residuals_at(self, lam: float, path: RidgePath) -> Array:
        """The same at a λ of a decomposed matrix."""
        return path.residuals(lam, self.blocks)

    def slope(self, fit: LSSVMFit) -> Array:
        """The derivative with respect to K: a sum over single points and over blocks."""
        alone = self.weight.copy()
        alone[np.concatenate(self.blocks)] = 0.0
        together = KFoldLoss(self.weight, self.blocks).slope(fit)
        return together + LeaveOneOut(alone).slope(fit)

    def subset(self, rows: Indices) -> HeldOutLoss:
        """The loss of some points; few blocks may have more than one of them."""
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

    def residuals_at(self, lam: float, path: RidgePath) -> Array:
        """The same at a λ of a decomposed matrix."""
        return path.fold_residuals(lam, self.folds)

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
        """The loss of some points, in the folds that have any; one by one if there is one fold."""
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


def _within(blocks: Sequence[Indices], rows: Indices) -> list[Indices]:
    """Blocks of positions within some rows, those without any left out."""
    found = [np.searchsorted(rows, np.intersect1d(block, rows)) for block in blocks]
    return [block for block in found if len(block)]


def _factor(fit: LSSVMFit, rows: Indices) -> tuple[Array, bool]:
    """The Cholesky factor of P_FF, positive definite as long as F is not all points."""
    factor, lower = cho_factor(fit.inverse[np.ix_(rows, rows)], lower=True, check_finite=False)
    return factor, lower


@dataclass(frozen=True, eq=False)
class SelectionCriterion:
    """A criterion, and the logarithmic form of it that is minimised.

    The logarithm does not depend on the units of the targets, so that one tolerance suits all.
    """

    loss: SelectionLoss[Any]  # The held-out loss, or the likelihood of the targets
    regularised: bool = False  # Whether to add the term in θ
    # Added to the loss under the logarithm: far below it, losses count as equal
    negligible: float = np.finfo(float).tiny
    small_theta: float = 0.0  # The ε of the regularised criterion

    @classmethod
    def leave_one_out(cls, weight: Array, spread: float) -> Self:
        """For targets of this spread, of which errors of a millionth are as good as none."""
        negligible = max(1e-12 * spread, np.finfo(float).tiny)
        return cls(LeaveOneOut(weight), negligible=negligible)

    def value(self, fit: MachineFit, theta: Array) -> float:
        """The criterion as it is written above: Q, or L without ε."""
        if not self.regularised:
            return self.loss.reported(fit)
        return 0.5 * fit.dual_coef.size * replace(self, small_theta=0.0).log_value(fit, theta)

    def log_value(self, fit: MachineFit, theta: Array) -> float:
        """Log Q, or 2L/n with ε."""
        return self.logarithm(self.loss.value(fit), fit.dual_coef.size, theta)

    def logarithm(self, loss: float, n_residuals: int, theta: Array) -> float:
        """The same from Q."""
        logarithm = float(np.log(loss + self.negligible))
        if self._penalises(theta):
            norm = math.hypot(*theta, self.small_theta)  # its square may overflow
            logarithm += len(theta) / n_residuals * (2.0 * math.log(norm) - math.log(2.0))
        return logarithm

    def log_slope(self, fit: MachineFit) -> Array:
        """The derivative of log Q with respect to every entry of K."""
        return self.loss.log_slope(fit, self.negligible)

    def penalty_slope(self, n_residuals: int, theta: Array) -> Array:
        """The derivative of the term in θ with respect to log θ."""
        if not self._penalises(theta):
            return np.zeros(len(theta))
        share = (theta / math.hypot(*theta, self.small_theta)) ** 2
        return np.asarray(2.0 * len(theta) / n_residuals * share)

    def _penalises(self, theta: Array) -> bool:
        return self.regularised and len(theta) > 0
