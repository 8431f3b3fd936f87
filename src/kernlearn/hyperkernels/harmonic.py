"""The harmonic hyperkernel."""

from __future__ import annotations

import numpy as np

from kernlearn.hyperkernels._harmonic import check_lambda_h, harmonic_diag, harmonic_gram
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._parameters import positive
from kernlearn.typing import Array


class Harmonic(Hyperkernel):
    r"""The harmonic hyperkernel over Gaussian kernels of all widths (Ong 2005, (12) and (13)).

    .. math::

        \underline k((x, z), (s, t))
            = \frac{1 - \lambda_h}{1 - \lambda_h \exp(-\gamma (\|x - z\|^2 + \|s - t\|^2))}

    Parameters
    ----------
    lambda_h : float, default=0.6
        The ratio λ_h of the geometric series, between 0 and 1. Small values favour wide kernels,
        values near 1 treat all widths alike.
    gamma : float, default=1.0
        The inverse squared width of the widest kernel, above zero; σ² in (13).

    Examples
    --------
    >>> from kernlearn.hyperkernels import Harmonic
    >>> Harmonic(lambda_h=0.5)([[[0.0, 0.0], [0.0, 1.0]]]).round(4)
    array([[0.5363]])
    """

    def __init__(self, lambda_h: float = 0.6, gamma: float = 1.0) -> None:
        self.lambda_h = lambda_h
        self.gamma = gamma

    def _check_parameters(self) -> None:
        check_lambda_h(self.lambda_h, "Harmonic")
        positive(self.gamma, "Harmonic's gamma")

    def _table(self, left: Array, right: Array) -> Array:
        # Scaled before squaring, which keeps large data with a small gamma in range.
        scaled = (left - right) * np.sqrt(self.gamma)
        values: Array = np.exp(-np.einsum("ij,ij->i", scaled, scaled))
        return values[:, None]

    def _evaluate(self, table: Array, other: Array) -> Array:
        return harmonic_gram(table, other, self.lambda_h)

    def _diag(self, table: Array) -> Array:
        return harmonic_diag(table, self.lambda_h)
