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
a Gaussian kernel becomes a linear one. What is minimised has ‖θ‖² + ε² in place of ‖θ‖², with an ε
so small that the kernel is linear for θ of that size; elsewhere it is the same.

For every λ at once, let :math:`D = \operatorname{diag}(\sqrt{s_i})` and u be the direction of D1.
Then α = Dβ with :math:`(M + \lambda I)\,\beta = (I - uu^\top) D y`,
:math:`M = (I - uu^\top)\, D K D\, (I - uu^\top)` and :math:`u^\top \beta = 0`. One
eigendecomposition :math:`M = V \operatorname{diag}(e) V^\top` off u serves all λ,

.. math:: \beta = V \operatorname{diag}\Bigl(\frac{1}{e + \lambda}\Bigr) V^\top D y, \qquad
          P_{ii} = s_i \sum_j \frac{V_{ij}^2}{e_j + \lambda} .

Up to a thousand rows it costs less than three factorisations with their inverses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from kernlearn.quality.ls_svm import LSSVMFit, mirrored
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class SelectionLoss(ABC):
    """What model selection minimises the logarithm of, in the units of a squared target."""

    weight: Array  # The weights s of the points, of shape (n,)

    @abstractmethod
    def value(self, fit: LSSVMFit) -> float:
        """The loss of a machine."""

    @abstractmethod
    def value_at(self, lam: float, path: RidgePath) -> float:
        """The same at a λ of a decomposed matrix."""

    @abstractmethod
    def slope(self, fit: LSSVMFit) -> Array:
        """The matrix W, of shape (n, n)."""

    @abstractmethod
    def subset(self, rows: Indices) -> SelectionLoss:
        """The same for some of the points, in increasing order."""

    def told(self, fit: LSSVMFit) -> float:
        """The loss as users are told it."""
        return self.value(fit)


@dataclass(frozen=True, eq=False)
class HeldOutLoss(SelectionLoss):
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


@dataclass(frozen=True, eq=False)
class SelectionCriterion:
    """A criterion, and the logarithmic form of it that is minimised.

    The logarithm does not depend on the units of the targets, so that one tolerance suits all.
    """

    loss: SelectionLoss  # Which points are held out, or how likely the targets are
    regularised: bool = False  # Whether to add the term in θ
    # Added to the loss under the logarithm: far below it, losses count as equal
    negligible: float = np.finfo(float).tiny
    small_theta: float = 0.0  # The ε of the regularised criterion

    @classmethod
    def leave_one_out(cls, weight: Array, spread: float) -> Self:
        """For targets of this spread, of which errors of a millionth are as good as none."""
        negligible = max(1e-12 * spread, np.finfo(float).tiny)
        return cls(LeaveOneOut(weight), negligible=negligible)

    def value(self, fit: LSSVMFit, theta: Array) -> float:
        """The criterion as it is written above: Q, or L without ε."""
        if not self.regularised:
            return self.loss.told(fit)
        return 0.5 * fit.dual_coef.size * replace(self, small_theta=0.0).log_value(fit, theta)

    def log_value(self, fit: LSSVMFit, theta: Array) -> float:
        """Log Q, or 2L/n with ε."""
        return self.logarithm(self.loss.value(fit), fit.dual_coef.size, theta)

    def logarithm(self, loss: float, n_residuals: int, theta: Array) -> float:
        """The same from Q."""
        logarithm = float(np.log(loss + self.negligible))
        if self._penalises(theta):
            square = float(theta @ theta) + self.small_theta**2
            logarithm += len(theta) / n_residuals * float(np.log(0.5 * square))
        return logarithm

    def log_slope(self, fit: LSSVMFit) -> Array:
        """The derivative of log Q with respect to every entry of K."""
        return self.loss.slope(fit) / (self.loss.value(fit) + self.negligible)

    def penalty_slope(self, n_residuals: int, theta: Array) -> Array:
        """The derivative of the term in θ with respect to log θ."""
        if not self._penalises(theta):
            return np.zeros(len(theta))
        squares = theta**2
        share = squares / (squares.sum() + self.small_theta**2)
        return np.asarray(2.0 * len(theta) / n_residuals * share)

    def _penalises(self, theta: Array) -> bool:
        return self.regularised and len(theta) > 0


@dataclass(frozen=True, eq=False)
class RidgePath:
    """The decomposition."""

    values: Array  # e, not negative; of shape (n - 1,)
    vectors: Array  # V, of shape (n, n - 1)
    squares: Array  # The squares of its entries, of shape (n, n - 1)
    projected: Array  # VᵀDy, of shape (n - 1, k)
    root: Array  # The diagonal of D, of shape (n,)

    @classmethod
    def of(cls, K: Array, Y: Array, weight: Array) -> Self:
        """Decompose a Gram matrix; LinAlgError where it is not finite.

        >>> import numpy as np
        >>> path = RidgePath.of(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
        >>> path.residuals(1.0).round(3).ravel().tolist()
        [-3.0, -1.5, 4.5]
        """
        if not np.isfinite(K).all():
            raise np.linalg.LinAlgError("the kernel matrix is not finite")
        root = np.sqrt(weight)
        u = root / np.linalg.norm(root)
        # Adding v1ᵀ + 1vᵀ to K changes nothing: a kernel that is nearly constant is centred first,
        # before products with u lose the digits that matter.
        means = K.mean(axis=0)
        M = K - means
        M -= (means - means.mean())[:, None]
        M *= root
        M *= root[:, None]
        image = M @ u
        M -= np.outer(image - (0.5 * (u @ image)) * u, u)
        M -= np.outer(u, image - (0.5 * (u @ image)) * u)
        # Lifted above all others, u comes last and is left out: among the directions in which the
        # kernel says nothing it could not be told.
        lift = 2.0 * float(np.trace(M)) or 1.0
        M += lift * np.outer(u, u)
        values, vectors = np.linalg.eigh(M)  # other threads may work meanwhile, unlike with SciPy's
        V = vectors[:, :-1]
        offset = np.average(Y, axis=0, weights=weight)  # no digits are lost to it
        projected = V.T @ (root[:, None] * (Y - offset))
        return cls(np.maximum(values[:-1], 0.0), V, V * V, projected, root)

    def residuals(self, lam: float, blocks: Sequence[NDArray[np.intp]] = ()) -> Array:
        """Leave-one-out residuals at λ, of shape (n, k); the rows of a block are left out together.

        >>> path = RidgePath.of(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
        >>> path.residuals(1.0, [np.array([1, 2])]).round(3).ravel().tolist()
        [-3.0, 1.0, 5.0]
        """
        shrunk = 1.0 / (self.values + lam)
        beta = self.vectors @ (shrunk[:, None] * self.projected)
        found = np.asarray(beta / (self.root * (self.squares @ shrunk))[:, None])
        for rows in stacked(blocks):
            halves = self.vectors[rows] * np.sqrt(shrunk)
            P = halves @ halves.swapaxes(1, 2)
            found[rows] = np.linalg.solve(P, beta[rows]) / self.root[rows][..., None]
        return found

    def fold_residuals(self, lam: float, folds: Sequence[NDArray[np.intp]]) -> Array:
        r"""Residuals of every row by the machine trained without its fold, of shape (n, k).

        :math:`r_F = P_{FF}^{-1} \alpha_F` (:mod:`kernlearn.quality.held_out`), for folds that hold
        every row once.
        """
        halves = self.vectors / np.sqrt(self.values + lam)
        beta = halves @ (self.projected / np.sqrt(self.values + lam)[:, None])
        residuals = np.empty_like(beta)
        for rows in folds:
            block = halves[rows] @ halves[rows].T
            solved = cho_solve(cho_factor(block, lower=True, check_finite=False), beta[rows])
            residuals[rows] = solved / self.root[rows, None]
        return residuals
