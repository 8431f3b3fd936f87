"""k-fold cross-validation: the folds are held out in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from kernlearn.quality.held_out import HeldOutLoss
from kernlearn.quality.ls_svm import LSSVMFit
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class KFoldLoss(HeldOutLoss):
    """The k-fold squared loss, without training k machines.

    Parameters
    ----------
    weight : ndarray of shape (n,)
        The weights s of the points.
    folds : sequence of ndarray
        Row numbers of the points held out together; every row is in one fold.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.quality.k_fold_loss import KFoldLoss
    >>> from kernlearn.quality.ls_svm import fit_ls_svm
    >>> fit = fit_ls_svm(np.eye(3), np.array([[1.0], [2.0], [6.0]]), np.ones(3))
    >>> folds = [np.array([0]), np.array([1, 2])]
    >>> KFoldLoss(np.ones(3), folds).residuals(fit).round(3).ravel().tolist()
    [-3.0, 1.0, 5.0]
    """

    folds: Sequence[NDArray[np.intp]]

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


def _factor(fit: LSSVMFit, rows: NDArray[np.intp]) -> tuple[Array, bool]:
    """The Cholesky factor of P_FF, positive definite as long as F is not all points."""
    factor, lower = cho_factor(fit.inverse[np.ix_(rows, rows)], lower=True, check_finite=False)
    return factor, lower
