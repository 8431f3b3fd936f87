"""The Gaussian kernel with a width for every column."""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.kernels._distances import gaussian_gram
from kernlearn.kernels._parameters import non_negative_vector, one_for_each_column
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.typing import Array, Matrix


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
