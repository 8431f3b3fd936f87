"""The Gaussian hyperkernel."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._distances import gaussian_gram
from kernlearn.kernels._parameters import positive
from kernlearn.typing import Array


class GaussianHyperkernel(Hyperkernel):
    r"""The Gaussian hyperkernel (Kondor and Jebara 2007, (8)), up to a constant.

    .. math::

        \underline k((x, z), (s, t)) = \exp\Bigl(-\frac{\|x - z\|^2}{4\sigma^2}
            - \frac{\|s - t\|^2}{4\sigma^2}
            - \frac{\|\bar x - \bar s\|^2}{2(\sigma^2 + \sigma_h^2)}\Bigr),
        \quad \bar x = \tfrac{x + z}{2},\ \bar s = \tfrac{s + t}{2}

    Each section is a Gaussian kernel of variance 2σ², made strong where the mean of two points is
    near the mean of the fixed pair (9). It is a Gaussian kernel on the means of pairs times a
    number for each pair, and costs one matrix product.

    Parameters
    ----------
    sigma : float, default=1.0
        The width σ of the similarity that is handed on from point to point, above zero.
    sigma_h : float, default=1.0
        The width σ_h over which places share what they learn, zero or more. At zero h is a delta
        function; at infinity the hyperkernel is the product of two Gaussian kernels.

    Notes
    -----
    (8) has normalised Gaussians, whose constant
    :math:`(4\pi\sigma^2)^{-n} (2\pi(\sigma^2 + \sigma_h^2))^{-n/2}` in n dimensions leaves the
    range of floating point numbers at a few hundred columns, and is zero for infinite σ_h. It is
    left out here, so that the hyperkernel of a point with itself is one. A constant c in front of
    a hyperkernel is the same as multiplying C by c.

    Examples
    --------
    >>> from kernlearn.hyperkernels import GaussianHyperkernel
    >>> hk = GaussianHyperkernel(sigma=1.0, sigma_h=1.0)
    >>> hk([[[0.0], [0.0]], [[0.0], [2.0]]]).round(4)
    array([[1.    , 0.2865],
           [0.2865, 0.1353]])
    """

    def __init__(self, sigma: float = 1.0, sigma_h: float = 1.0) -> None:
        self.sigma = sigma
        self.sigma_h = sigma_h

    def _check_parameters(self) -> None:
        positive(self.sigma, "GaussianHyperkernel's sigma")
        _check_sigma_h(self.sigma_h)

    def _table(self, left: Array, right: Array) -> Array:
        """The mean of each pair, and in the last column what it is multiplied with."""
        table: Array = np.empty((len(left), left.shape[1] + 1))
        # Scaled before squaring, and halved before adding: both keep large numbers in range.
        np.multiply(left - right, 0.5 / self.sigma, out=table[:, :-1])
        table[:, -1] = np.exp(-np.einsum("ij,ij->i", table[:, :-1], table[:, :-1]))
        np.multiply(left, 0.5, out=table[:, :-1])
        table[:, :-1] += 0.5 * right
        return table

    def _evaluate(self, table: Array, other: Array) -> Array:
        if math.isinf(self.sigma_h):
            return np.multiply.outer(table[:, -1], other[:, -1])
        means = table[:, :-1]
        width = math.hypot(self.sigma, self.sigma_h)
        K = gaussian_gram(means, means if other is table else other[:, :-1], 0.5 / width / width)
        K *= np.multiply.outer(table[:, -1], other[:, -1])  # at once: exactly symmetric
        return K

    def _diag(self, table: Array) -> Array:
        return np.asarray(table[:, -1] ** 2)


def _check_sigma_h(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise ValueError(
            f"GaussianHyperkernel's sigma_h must be zero or a positive number, got {value!r}; "
            "choose about sigma, 0 for none, or math.inf for the product of two kernels."
        )
