r"""Translation-invariant hyperkernels of radial functions, which are no products over dimensions.

By Theorem 9 of Ong, Smola and Williamson (2005) a function of the differences τ and τ' is a
hyperkernel if it is a kernel in τ and τ' and its Fourier transform in τ is never negative. A sum
over scales of :math:`c_i\,\varphi(\lVert\tau\rVert/s_i)\,\varphi(\lVert\tau'\rVert/s_i)` is
both, if φ is never negative and its own Fourier transform, in as many dimensions as there are
features, is never negative either. The paper names the functions φ of this file.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from kernlearn._device import row_dots
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array


class _RadialScales(Hyperkernel):
    """A sum over scales of one radial function of each difference."""

    scales: ArrayLike
    coefs: ArrayLike | None

    @abstractmethod
    def _profile(self, r: Array, n_features: int) -> Array:
        """φ(r), one at zero."""

    def _check_parameters(self) -> None:
        name, scales = type(self).__name__, np.asarray(self.scales)
        if not (_is_vector(scales) and scales.min() > 0):
            raise ValueError(
                f"{name}'s scales must be positive finite numbers, at least one, got "
                f"{self.scales!r}; choose distances between rows, such as [0.5, 1.0, 2.0]."
            )
        coefs = np.ones(len(scales)) if self.coefs is None else np.asarray(self.coefs)
        if coefs.shape != scales.shape or not (_is_vector(coefs) and coefs.min() >= 0):
            raise ValueError(
                f"{name}'s coefs must be {counted(len(scales), 'non-negative number')}, one for "
                f"each scale, got {self.coefs!r}; leave them out for equal ones."
            )

    def _table(self, left: Array, right: Array) -> Array:
        """√cᵢ φ(r/sᵢ) of every pair."""
        scales = np.asarray(self.scales, dtype=np.float64)
        m = len(scales)
        coefs = np.full(m, 1.0 / m) if self.coefs is None else np.asarray(self.coefs, dtype=float)
        largest = float(np.abs(left - right).max(initial=0.0)) or 1.0
        r = largest * np.sqrt((((left - right) / largest) ** 2).sum(axis=1))
        values = self._profile(r[:, None] / scales, left.shape[1])
        return np.asarray(np.sqrt(coefs) * values)

    def _evaluate(self, table: Array, other: Array) -> Array:
        return np.asarray(table @ other.T)

    def _diag(self, table: Array) -> Array:
        return np.asarray(row_dots(table, table))


class BallSpline(_RadialScales):
    r"""The generalised :math:`B_1` spline at several scales (Ong 2005, after Theorem 9).

    .. math:: \underline k((x, z), (u, v)) = \sum_i c_i\,
              \varphi\Bigl(\frac{\lVert x - z\rVert}{s_i}\Bigr)
              \varphi\Bigl(\frac{\lVert u - v\rVert}{s_i}\Bigr)

    with φ the indicator of a ball of diameter one convolved with itself, one at zero: the share of
    two such balls that overlap. It is zero from the distance one on, so that sections have
    compact support. In one dimension it is the triangle :math:`1 - r`, in three
    :math:`1 - \tfrac32 r + \tfrac12 r^3`; the Fourier transform is a square, hence never negative.
    The family F of the formula holds kernels of compact support, whose reach is learned.

    Parameters
    ----------
    scales : array-like of shape (n_scales,)
        The distances s from which on rows have nothing in common, above zero.
    coefs : array-like of shape (n_scales,), optional
        The coefficients c, not negative; by default equal ones that add up to one.

    Examples
    --------
    >>> from kernlearn.hyperkernels import BallSpline
    >>> BallSpline([1.0, 2.0])([[[0.0], [0.0]], [[0.0], [0.5]]])
    array([[1.     , 0.625  ],
           [0.625  , 0.40625]])
    """

    def __init__(self, scales: ArrayLike, coefs: ArrayLike | None = None) -> None:
        self.scales = scales
        self.coefs = coefs

    def _profile(self, r: Array, n_features: int) -> Array:
        inside = np.clip(1.0 - r, 0.0, 1.0) * (1.0 + np.minimum(r, 1.0))  # 1 − r², exact near one
        return np.asarray(betainc(0.5 * (n_features + 1), 0.5, inside))


class DampedOscillator(_RadialScales):
    r"""The damped harmonic oscillator at several scales (Ong 2005, after Theorem 9).

    .. math:: \underline k((x, z), (u, v)) = \sum_i c_i\,
              \varphi\Bigl(\frac{\lVert x - z\rVert}{s_i}\Bigr)
              \varphi\Bigl(\frac{\lVert u - v\rVert}{s_i}\Bigr), \qquad
              \varphi(r) = e^{-r}\,\frac{1 + \cos\omega r}{2}

    The oscillation :math:`e^{-r}\cos\omega r` alone goes negative, and then a section would be no
    kernel; half of it and half of its envelope never do. In d > 1 dimensions its Fourier
    transform is non-negative for :math:`\omega \le \tan(\pi/2d)`, for any ω in one. The family F
    of the formula holds kernels that rise again after half a wave.

    Parameters
    ----------
    omega : float, default=1.0
        The frequency ω, in units of one over the scale; zero leaves the exponential function.
    scales : array-like of shape (n_scales,), default=(1.0,)
        The distances s over which it is damped, above zero.
    coefs : array-like of shape (n_scales,), optional
        The coefficients c, not negative; by default equal ones that add up to one.

    Examples
    --------
    >>> from kernlearn.hyperkernels import DampedOscillator
    >>> DampedOscillator(omega=3.0)([[[0.0], [0.0]], [[0.0], [2.0]]]).round(4)
    array([[1.    , 0.1326],
           [0.1326, 0.0176]])
    """

    def __init__(
        self,
        omega: float = 1.0,
        scales: ArrayLike = (1.0,),
        coefs: ArrayLike | None = None,
    ) -> None:
        self.omega = omega
        self.scales = scales
        self.coefs = coefs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        omega: object = self.omega
        if isinstance(omega, bool) or not isinstance(omega, Real) or not 0 <= self.omega < np.inf:
            raise ValueError(
                f"DampedOscillator's omega must be zero or a positive number, got {omega!r}; "
                "choose for example 1.0."
            )

    def _profile(self, r: Array, n_features: int) -> Array:
        largest = np.inf if n_features == 1 else float(np.tan(0.5 * np.pi / n_features))
        if self.omega > largest * (1.0 + 1e-12):
            raise ValueError(
                f"DampedOscillator's omega must be at most tan(π/2d) = {largest:.4g} for "
                f"{counted(n_features, 'feature')}, got {self.omega!r}, for which it is no kernel; "
                "lower it, or leave features out."
            )
        return np.asarray(0.5 * np.exp(-r) * (1.0 + np.cos(self.omega * r)))


def _is_vector(values: np.ndarray) -> bool:
    return values.ndim == 1 and values.size > 0 and values.dtype.kind in "iuf" and is_finite(values)
