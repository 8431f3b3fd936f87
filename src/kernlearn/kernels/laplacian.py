"""The Laplacian kernel."""

from __future__ import annotations

from kernlearn.kernels._distances import exp_of_minus, radial_gram, rescaled
from kernlearn.kernels._parameters import positive
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.typing import Array, Matrix


class Laplacian(_UnitDiagonal):
    r"""The Laplacian kernel, :math:`k(x, z) = \exp(-\gamma \|x - z\|_1)`.

    Parameters
    ----------
    gamma : float, default=1.0
        The inverse width γ, above zero.

    Examples
    --------
    >>> from kernlearn.kernels import Laplacian
    >>> Laplacian(gamma=0.5)([[0.0, 0.0], [1.0, -1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    takes_sparse = True
    is_product = True

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def _check_parameters(self) -> None:
        positive(self.gamma, "Laplacian's gamma")

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return radial_gram(*rescaled(X, Y, self.gamma), "cityblock", exp_of_minus)

    def _by_column(self, x: Array, z: Array) -> Array:
        distance: Array = (x - z) * float(self.gamma)
        return exp_of_minus(abs(distance))
