"""Leave-one-out: every point is held out alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk

from kernlearn.quality.held_out import HeldOutLoss
from kernlearn.quality.ls_svm import LSSVMFit, mirrored
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class LeaveOneOut(HeldOutLoss):
    r"""The predicted residual sum of squares, PRESS: :math:`\sum_i s_i (\alpha_i / P_{ii})^2`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.quality.leave_one_out import LeaveOneOut
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
