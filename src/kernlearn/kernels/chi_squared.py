"""The χ² kernel on histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import chi2_kernel

from kernlearn.kernels._histograms import check_non_negative
from kernlearn.kernels._parameters import positive
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array


class ChiSquared(Kernel):
    r"""The exponential χ² kernel on histograms.

    .. math:: k(x, z) = \exp\Bigl(-\gamma \sum_j \frac{(x_j - z_j)^2}{x_j + z_j}\Bigr),

    where a column that is zero in both adds nothing (Zhang, Marszałek, Lazebnik and Schmid, 2007).

    Parameters
    ----------
    gamma : float, default=1.0
        The inverse width γ, above zero.

    Examples
    --------
    >>> from kernlearn.kernels import ChiSquared
    >>> ChiSquared(gamma=0.5)([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def _check_parameters(self) -> None:
        positive(self.gamma, "ChiSquared's gamma")

    def _check_data(self, X: Any, name: str) -> Any:
        return check_non_negative(super()._check_data(X, name), "ChiSquared", name)

    def _evaluate(self, X: Array, Y: Array) -> Array:
        return np.asarray(chi2_kernel(X, Y, gamma=self.gamma))

    def _diag(self, X: Array) -> Array:
        return np.ones(len(X))
