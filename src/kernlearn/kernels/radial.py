"""Kernels of the distance of two rows: Gaussian, ARD Gaussian, Laplacian and Matérn."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._distances import exp_of_minus, gaussian_gram, radial_gram, rescaled
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
    parameter_checks = (("gamma", positive),)

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

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
    parameter_checks = (("gammas", non_negative_vector),)

    def __init__(self, gammas: ArrayLike) -> None:
        self.gammas = gammas

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return gaussian_gram(X, Y, self._gammas_for(X))

    def _diag(self, X: Matrix) -> Array:
        self._gammas_for(X)
        return super()._diag(X)

    def _gammas_for(self, X: Matrix) -> Array:
        return one_for_each_column(self.gammas, X.shape[1], "ARDGaussian's gammas")


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
    parameter_checks = (("gamma", positive),)

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def _evaluate(self, X: Matrix, Y: Matrix) -> Array:
        return radial_gram(*rescaled(X, Y, self.gamma), "cityblock", exp_of_minus)

    def _by_column(self, x: Array, z: Array) -> Array:
        distance: Array = (x - z) * float(self.gamma)
        return exp_of_minus(abs(distance))


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
