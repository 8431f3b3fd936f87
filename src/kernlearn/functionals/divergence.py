"""The divergence of a Gaussian process from its data: Lanckriet et al. (2004), section 7."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, solve_triangular

from kernlearn._device import lower_factor
from kernlearn.functionals.base import QualityFunctional, Target, TargetKind, one_vs_rest
from kernlearn.typing import Array


@dataclass(frozen=True, repr=False)
class GaussianDivergence(QualityFunctional):
    r"""The relative entropy D[P‖Q] of a Gaussian process with kernel K, but for a constant.

    .. math::

        Q(k; X, y) = \tfrac12 \log\det (K + \tau I) + \tfrac12 y^\top (K + \tau I)^{-1} y

    It is minus the log likelihood of y, less :math:`\tfrac n2\log 2\pi`, and convex in the inverse
    of K, not in K. For several classes it is the mean over the classes against the rest, each as
    −1 and +1. It is the Q of ``min over k in F of Q(k) + λΩ(k)`` that
    :class:`kernlearn.GraphFusionClassifier` minimises over precision matrices.

    Parameters
    ----------
    ridge : float, default=0.0
        The τ, the variance of noise; needed for kernels of singular matrices.

    Examples
    --------
    >>> from kernlearn.functionals import GaussianDivergence
    >>> from kernlearn.kernels import Gaussian
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> quality = GaussianDivergence()
    >>> min([Gaussian(0.1), Gaussian(10.0)], key=lambda kernel: quality(kernel, X, y))
    Gaussian(gamma=0.1)
    """

    ridge: float = 0.0

    @property
    def targets(self) -> TargetKind:
        """Labels, or numbers as they are."""
        return "either"

    def _check_parameters(self) -> None:
        if isinstance(self.ridge, bool) or not 0.0 <= self.ridge < np.inf:
            raise ValueError(
                f"expected ridge to be a number of at least 0, got {self.ridge!r}; try 0.1"
            )

    def _evaluate(self, K: Array, y: Target) -> float:
        Y = np.column_stack(one_vs_rest(y)) if y.dtype.kind == "i" else y[:, None]
        try:
            L = lower_factor(K + self.ridge * np.eye(len(K)))
        except LinAlgError:
            raise ValueError(
                "expected a kernel whose matrix is positive definite, got a singular one; choose a "
                "ridge above 0, for example 0.1"
            ) from None
        z = solve_triangular(L, Y, lower=True)
        return float(np.log(L.diagonal()).sum() + 0.5 * (z**2).sum() / Y.shape[1])
