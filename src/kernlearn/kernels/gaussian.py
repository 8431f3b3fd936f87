"""The Gaussian kernel."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._distances import exp_of_minus, gaussian_gram
from kernlearn.kernels._parameters import positive
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.typing import Array, Matrix


class Gaussian(_UnitDiagonal):
    r"""The Gaussian (RBF) kernel, :math:`k(x, z) = \exp(-\gamma \|x - z\|^2)`.

    Parameters
    ----------
    gamma : float, default=1.0
        The inverse squared width γ, above zero.

    Notes
    -----
    Lanckriet et al. (2004) write :math:`\exp(-\tfrac12 \|x - z\|^2 / \sigma)`, where σ is a
    variance: γ = 1 / (2σ).

    Examples
    --------
    >>> from kernlearn.kernels import Gaussian
    >>> Gaussian(gamma=0.5)([[0.0], [2.0]]).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    takes_sparse = True
    follows_arrays = True
    is_product = True

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def _check_parameters(self) -> None:
        positive(self.gamma, "Gaussian's gamma")

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return gaussian_gram(X, Y, self.gamma)

    def _by_column(self, x: Array, z: Array) -> Array:
        # Scaled before it is squared, as far from overflow as the whole kernel is.
        distance: Array = (x - z) * float(np.sqrt(self.gamma))
        distance *= distance
        return exp_of_minus(distance)
