"""The polynomial kernel."""

from __future__ import annotations

import numpy as np

from kernlearn._device import is_elsewhere
from kernlearn.kernels._distances import inner_products, squared_lengths
from kernlearn.kernels._parameters import non_negative, positive_integer
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Matrix


class Polynomial(Kernel):
    r"""The polynomial kernel, :math:`k(x, z) = (c + \langle x, z \rangle)^p`.

    Parameters
    ----------
    degree : int, default=2
        The power p, at least one.
    offset : float, default=1.0
        The constant c, not negative; above zero, all lower powers take part too.

    Examples
    --------
    >>> from kernlearn.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0], [2.0]])
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    takes_sparse = True
    follows_arrays = True

    def __init__(self, degree: int = 2, offset: float = 1.0) -> None:
        self.degree = degree
        self.offset = offset

    def _check_parameters(self) -> None:
        positive_integer(self.degree, "Polynomial's degree")
        non_negative(self.offset, "Polynomial's offset")

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return self._raise(inner_products(X, Y))

    def _diag(self, X: Matrix) -> Array:
        return self._raise(squared_lengths(X))

    def _raise(self, inner: Array) -> Array:
        inner += self.offset
        if is_elsewhere(inner):
            return inner**self.degree
        return np.power(inner, self.degree, out=inner)
