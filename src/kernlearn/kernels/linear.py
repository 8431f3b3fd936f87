"""The linear kernel."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._validation import FloatArray
from kernlearn.kernels.base import Kernel


class Linear(Kernel):
    r"""The inner product, :math:`k(x, z) = \langle x, z \rangle`.

    Examples
    --------
    >>> from kernlearn.kernels import Linear
    >>> Linear()([[1.0, 2.0], [0.0, 3.0]])
    array([[5., 6.],
           [6., 9.]])
    """

    def _evaluate(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        return X @ Y.T

    def _diag(self, X: FloatArray) -> FloatArray:
        values: FloatArray = np.einsum("ij,ij->i", X, X)
        return values
