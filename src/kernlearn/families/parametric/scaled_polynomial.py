"""The polynomial kernel on scaled columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._parameters import non_negative, positive_integer
from kernlearn.kernels._validation import is_finite
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array


class ScaledPolynomial(Kernel):
    r"""The polynomial kernel with a scale for every column.

    .. math:: k(x, z) = \Bigl(\sum_r \eta_r x_r z_r + c\Bigr)^p

    Parameters
    ----------
    scales : array-like of shape (d,)
        The scale η of every column, not negative; a zero leaves that column out.
    degree : int, default=2
        The power p, at least one.
    offset : float, default=1.0
        The constant c, not negative.

    Examples
    --------
    >>> from kernlearn.families.parametric.scaled_polynomial import ScaledPolynomial
    >>> ScaledPolynomial([1.0, 0.0], degree=2)([[2.0, 9.0]])
    array([[25.]])
    """

    def __init__(self, scales: ArrayLike, degree: int = 2, offset: float = 1.0) -> None:
        self.scales = scales
        self.degree = degree
        self.offset = offset

    def _check_parameters(self) -> None:
        positive_integer(self.degree, "ScaledPolynomial's degree")
        non_negative(self.offset, "ScaledPolynomial's offset")
        scales = np.asarray(self.scales)
        is_vector = scales.ndim == 1 and scales.size > 0 and scales.dtype.kind in "biuf"
        if not (is_vector and is_finite(scales) and scales.min() >= 0):
            raise ValueError(
                "ScaledPolynomial's scales must be a list of non-negative finite numbers, one for "
                f"each column, got {self.scales!r}; choose zero or more for every column."
            )

    def _evaluate(self, X: Array, Y: Array) -> Array:
        roots = self._roots_for(X)
        scaled = X * roots
        return self._raised(scaled @ (scaled if Y is X else Y * roots).T)

    def _diag(self, X: Array) -> Array:
        scaled = X * self._roots_for(X)
        return self._raised(np.einsum("ij,ij->i", scaled, scaled))

    def _raised(self, inner: Array) -> Array:
        inner += self.offset
        return np.power(inner, self.degree, out=inner)

    def _roots_for(self, X: Array) -> Array:
        # Roots on both sides keep the matrix exactly symmetric.
        roots = np.sqrt(np.asarray(self.scales, dtype=np.float64))
        if len(roots) != X.shape[1]:
            raise ValueError(
                f"ScaledPolynomial's scales must hold one number for each column of X, got "
                f"{len(roots)} for {counted(X.shape[1], 'column')}; pass as many scales as columns."
            )
        return roots
