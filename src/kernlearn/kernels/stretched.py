"""A kernel of columns that are multiplied by numbers of their own."""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.kernels._composite import check_part
from kernlearn.kernels._parameters import non_negative_vector, one_for_each_column
from kernlearn.kernels._validation import is_finite
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array


class Stretched(Kernel):
    r"""A kernel of stretched columns, :math:`k(s \circ x,\, s \circ z)`.

    What the ARD Gaussian is to the Gaussian, for any kernel: the more a column is stretched, the
    more it counts, and not at all with a factor of zero.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    scales : array-like of shape (d,)
        The factors s, not negative.

    Examples
    --------
    >>> from kernlearn.kernels import Laplacian, Stretched
    >>> Stretched(Laplacian(1.0), [1.0, 0.0])([[0.0, 5.0], [1.0, 7.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    def __init__(self, kernel: Kernel, scales: ArrayLike) -> None:
        self.kernel = kernel
        self.scales = scales

    def _check_parameters(self) -> None:
        check_part(self.kernel, "Stretched")
        non_negative_vector(self.scales, "Stretched's scales")

    def _evaluate(self, X: Array, Y: Array) -> Array:
        stretched = self._stretched(X)
        return self.kernel(stretched, None if Y is X else self._stretched(Y))

    def _diag(self, X: Array) -> Array:
        return self.kernel.diag(self._stretched(X))

    def _stretched(self, X: Array) -> Array:
        stretched = X * one_for_each_column(self.scales, X.shape[1], "Stretched's scales")
        if not is_finite(stretched):
            raise NumericalError(self._overflow())
        return stretched
