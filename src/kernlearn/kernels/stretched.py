"""A kernel of columns that are multiplied by numbers of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._composite import check_part
from kernlearn.kernels._validation import is_finite
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.runtime.phrases import counted
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
        scales = np.asarray(self.scales)
        is_vector = scales.ndim == 1 and scales.size > 0 and scales.dtype.kind in "biuf"
        if not (is_vector and is_finite(scales) and scales.min() >= 0):
            raise ValueError(
                "Stretched's scales must be a list of non-negative finite numbers, one for each "
                f"column, got {self.scales!r}; choose zero or more for every column."
            )

    def _evaluate(self, X: Array, Y: Array) -> Array:
        stretched = self._stretched(X)
        return self.kernel(stretched, None if Y is X else self._stretched(Y))

    def _diag(self, X: Array) -> Array:
        return self.kernel.diag(self._stretched(X))

    def _stretched(self, X: Array) -> Array:
        scales = np.asarray(self.scales, dtype=np.float64)
        if len(scales) != X.shape[1]:
            raise ValueError(
                f"Stretched's scales must hold one number for each column of X, got {len(scales)} "
                f"for {counted(X.shape[1], 'column')}; pass as many scales as columns."
            )
        stretched: Array = X * scales
        if not is_finite(stretched):
            raise NumericalError(self._overflow())
        return stretched
