"""The Matérn kernels of half-integer order."""

from __future__ import annotations

import math

import numpy as np

from kernlearn.kernels._distances import exp_of_minus, gaussian_gram, radial_gram, rescaled
from kernlearn.kernels._parameters import positive
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.typing import Array, Matrix

_ORDERS = (0.5, 1.5, 2.5, math.inf)
# Beyond this distance the kernel is zero in double precision; the limit keeps ∞·0 away.
_FAR = 1e3


class Matern(_UnitDiagonal):
    r"""The Matérn kernel of order ν, a function of :math:`r = \|x - z\| / \ell`.

    .. math::

        k = e^{-r} \; (\nu = \tfrac12), \qquad
        k = (1 + \sqrt3 r) e^{-\sqrt3 r} \; (\nu = \tfrac32), \qquad
        k = (1 + \sqrt5 r + \tfrac53 r^2) e^{-\sqrt5 r} \; (\nu = \tfrac52)

    and :math:`e^{-r^2/2}` for ν = ∞ (Rasmussen and Williams, 2006, section 4.2).

    Parameters
    ----------
    length_scale : float, default=1.0
        The width ℓ, above zero.
    nu : {0.5, 1.5, 2.5, inf}, default=1.5
        The order ν: the larger, the smoother.

    Examples
    --------
    >>> from kernlearn.kernels import Matern
    >>> Matern(length_scale=2.0, nu=0.5)([[0.0], [2.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    takes_sparse = True

    def __init__(self, length_scale: float = 1.0, nu: float = 1.5) -> None:
        self.length_scale = length_scale
        self.nu = nu

    def _check_parameters(self) -> None:
        positive(self.length_scale, "Matern's length_scale")
        if self.nu not in _ORDERS:
            raise ValueError(
                f"Matern's nu must be 0.5, 1.5, 2.5 or inf, got {self.nu!r}; choose one of these, "
                "for which the kernel has a closed form."
            )

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        X, Y = rescaled(X, Y, 1.0 / self.length_scale)
        if math.isinf(self.nu):
            return gaussian_gram(X, Y, 0.5)
        return radial_gram(X, Y, "euclidean", self._profile)

    def _profile(self, distances: Array) -> Array:
        r = np.minimum(distances, _FAR, out=distances)
        r *= math.sqrt(2.0 * self.nu)
        if self.nu == 0.5:
            return exp_of_minus(r)
        factor = 1.0 + r if self.nu == 1.5 else 1.0 + r * (1.0 + r / 3.0)
        factor *= exp_of_minus(r)
        return factor
