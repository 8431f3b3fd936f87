"""The Gaussian kernel, with one width or with one for every column."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._distances import exp_of_minus, gaussian_gram
from kernlearn.kernels._parameters import non_negative_vector, one_for_each_column, positive
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


class ARDGaussian(_UnitDiagonal):
    r"""The Gaussian kernel with automatic relevance determination.

    .. math:: k(x, z) = \exp\Bigl(-\sum_j \gamma_j (x_j - z_j)^2\Bigr)

    Parameters
    ----------
    gammas : array-like of shape (d,)
        The inverse squared width of every column, not negative; a zero leaves that column out.

    Examples
    --------
    >>> from kernlearn.kernels import ARDGaussian
    >>> ARDGaussian([1.0, 0.0])([[0.0, 5.0], [1.0, 7.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    takes_sparse = True
    follows_arrays = True

    def __init__(self, gammas: ArrayLike) -> None:
        self.gammas = gammas

    def _check_parameters(self) -> None:
        non_negative_vector(self.gammas, "ARDGaussian's gammas")

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return gaussian_gram(X, Y, self._gammas_for(X))

    def _diag(self, X: Matrix) -> Array:
        self._gammas_for(X)
        return super()._diag(X)

    def _gammas_for(self, X: Matrix) -> Array:
        return one_for_each_column(self.gammas, X.shape[1], "ARDGaussian's gammas")
