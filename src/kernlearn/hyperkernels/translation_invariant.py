"""Hyperkernels of the differences within pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._parameters import positive
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array

Function = Callable[[Array, Array], Array]

# Differences on the fine side of the grid, and those that the other argument is fixed at.
_N_FINE, _N_FIXED = 512, 33
# Random vectors of differences, for a function of vectors.
_N_VECTORS = 24
# Rounding only: the sums below have a few hundred terms.
_RELATIVE = 1e-9


class TranslationInvariant(Hyperkernel):
    r"""A hyperkernel that is invariant to translation (Ong 2005, Theorem 9).

    .. math:: \underline k((x, z), (u, v))
              = \prod_{j=1}^d \kappa\Bigl(\frac{x_j - z_j}{s_j}, \frac{u_j - v_j}{s_j}\Bigr)

    By Theorem 9, :math:`\kappa(t, t')` gives a hyperkernel if it is a kernel in :math:`t, t'` and
    its Fourier transform in :math:`t` is non-negative for every :math:`t'`; products over the
    dimensions then are hyperkernels too. Both conditions, and that κ is even, are checked
    numerically on :math:`|t|, |t'| \le` `span` whenever the hyperkernel is called. A function that
    fails the check is wrong; one that passes may still fail between the points checked, or beyond.

    With ``product=False`` κ is a function of two vectors of differences, and need not be a product
    over the dimensions. Then the same conditions are checked at random differences: κ is even,
    its matrix is positive semidefinite, and so is that of :math:`\kappa(x_i - x_j, \tau')` for
    every τ', which is what a non-negative Fourier transform means (Bochner).

    Parameters
    ----------
    function : callable
        κ, applied to two arrays of differences entry by entry; with ``product=False``, to arrays
        of shape (n, 1, d) and (1, m, d), with a result of shape (n, m). A function that has a name
        can be pickled.
    scales : float or array-like of shape (d,), default=1.0
        The unit s_j of the differences in every dimension, above zero.
    span : float, default=8.0
        Largest difference at which the conditions are checked, in these units.
    product : bool, default=True
        Whether the hyperkernel is the product of κ over the dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.hyperkernels import TranslationInvariant
    >>> def damped(t, s):
    ...     return np.exp(-np.abs(t) - np.abs(s))
    >>> TranslationInvariant(damped, scales=2.0)([[[0.0], [1.0]], [[0.0], [4.0]]]).round(4)
    array([[0.3679, 0.0821],
           [0.0821, 0.0183]])
    >>> def inverse_multiquadric(t, s):  # a mixture of Gaussians, and so no product
    ...     return 1.0 / np.sqrt(1.0 + (t**2).sum(axis=-1) + (s**2).sum(axis=-1))
    >>> TranslationInvariant(inverse_multiquadric, product=False)([[[0.0, 0.0], [1.0, 2.0]]])
    array([[0.30151134]])
    """

    def __init__(
        self,
        function: Function,
        scales: ArrayLike = 1.0,
        span: float = 8.0,
        product: bool = True,
    ) -> None:
        self.function = function
        self.scales = scales
        self.span = span
        self.product = product

    def _check_parameters(self) -> None:
        if not callable(self.function):
            raise ValueError(
                "TranslationInvariant's function must be a function of two arrays of differences, "
                f"got {self.function!r}; pass for example lambda t, s: np.exp(-t**2 - s**2)."
            )
        scales = np.asarray(self.scales)
        is_vector = scales.ndim <= 1 and scales.size > 0 and scales.dtype.kind in "iuf"
        if not (is_vector and is_finite(scales) and scales.min() > 0):
            raise ValueError(
                "TranslationInvariant's scales must be a positive number or one for each feature, "
                f"got {self.scales!r}; choose values above zero."
            )
        span = positive(self.span, "TranslationInvariant's span")
        if self.product:
            _check_theorem_9(self.function, span)

    def _table(self, left: Array, right: Array) -> Array:
        scales = np.asarray(self.scales, dtype=np.float64)
        if scales.ndim == 1 and len(scales) != left.shape[1]:
            raise ValueError(
                "TranslationInvariant's scales must hold one number for each feature, got "
                f"{len(scales)} for {counted(left.shape[1], 'feature')}; pass as many scales as "
                "features."
            )
        if not self.product:
            _check_vectors(self.function, float(self.span), left.shape[1])
        return (left - right) / scales

    def _evaluate(self, table: Array, other: Array) -> Array:
        if not self.product:
            return _vector_values(self.function, table, other)
        K: Array = np.ones((len(table), len(other)))
        for row, column in zip(table.T, other.T, strict=True):
            K *= self.function(row[:, None], column[None, :])
        return K

    def _diag(self, table: Array) -> Array:
        if not self.product:
            rows = [_vector_values(self.function, row, row)[0, 0] for row in table[:, None]]
            return np.array(rows)
        return np.asarray(np.prod(self.function(table, table), axis=1))


def _check_theorem_9(function: Function, span: float) -> None:
    """Refuse `function` unless it looks like a hyperkernel in one dimension, up to `span`.

    Conditions: even in each difference, a kernel as a function of the two differences, and a
    non-negative Fourier transform in the first for every value of the second.
    """
    fine = np.linspace(0.0, span, _N_FINE)
    # Denser towards zero, where most functions change most.
    fixed = span * np.linspace(0.0, 1.0, _N_FIXED) ** 2
    values = _values(function, fine, fixed)
    scale = float(np.abs(values).max())
    for mirrored in (_values(function, -fine, fixed), _values(function, fine, -fixed)):
        gap = float(np.abs(mirrored - values).max())
        if gap > _RELATIVE * scale:
            raise ValueError(
                "TranslationInvariant's function must be even in each difference, since a pair has "
                f"no order, got values at t and -t that differ by {gap:.3g}; use abs(t) or t**2."
            )
    _check_kernel(_values(function, fixed, fixed), scale)
    _check_fourier(values, fine, fixed)


def _check_vectors(function: Function, span: float, n_features: int) -> None:
    """Refuse a function of vectors unless it looks like a hyperkernel, at random differences."""
    generator = np.random.default_rng(0)
    lengths = span * generator.uniform(size=(_N_VECTORS, 1)) ** 2
    directions = generator.normal(size=(_N_VECTORS, n_features))
    some = lengths * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    values = _vector_values(function, some, some)
    scale = float(np.abs(values).max())
    gap = float(np.abs(_vector_values(function, -some, some) - values).max())
    if gap > _RELATIVE * scale:
        raise ValueError(
            "TranslationInvariant's function must be even in each difference, since a pair has "
            f"no order, got values at t and -t that differ by {gap:.3g}; use abs(t) or t**2."
        )
    _check_kernel(values, scale)
    apart = (some[:, None] - some[None]).reshape(-1, n_features)
    sections = _vector_values(function, apart, some[::4]).T.reshape(-1, len(some), len(some))
    lowest = np.linalg.eigvalsh(0.5 * (sections + np.swapaxes(sections, 1, 2)))[:, 0]
    worst = int(lowest.argmin())
    if lowest[worst] < -_RELATIVE * len(some) * scale:
        raise ValueError(
            "TranslationInvariant's function must have a non-negative Fourier transform in its "
            f"first difference (Theorem 9), got a matrix of a section with the eigenvalue "
            f"{lowest[worst]:.3g} in {n_features} dimensions; choose a positive definite function "
            "of the difference."
        )


def _vector_values(function: Function, first: Array, second: Array) -> Array:
    """κ between the rows of two tables of differences."""
    return _checked_values(function(first[:, None], second[None]), (len(first), len(second)))


def fejer_transform(values: Array) -> Array:
    r"""Return :math:`\sum_{|n| < N} (1 - |n| / N)\, v_{|n|}\, e^{-i \omega n}` of every column.

    That is :math:`\frac1N \sum_{a, b} v_{|a - b|} e^{-i \omega (a - b)}`, a quadratic form in the
    Gram matrix of N equidistant points. So it is non-negative for every positive definite
    function, cut off anywhere and sampled at any rate; a plain transform would not be.
    """
    n = len(values)
    half = values * (1.0 - np.arange(n) / n)[:, None]
    even = np.concatenate([half, np.zeros((1, values.shape[1])), half[:0:-1]])
    return np.fft.rfft(even, axis=0).real


def _check_kernel(K: Array, scale: float) -> None:
    asymmetry = float(np.abs(K - K.T).max())
    smallest = float(np.linalg.eigvalsh((K + K.T) / 2)[0])
    if asymmetry > _RELATIVE * scale or smallest < -_RELATIVE * len(K) * scale:
        raise ValueError(
            "TranslationInvariant's function must be a kernel in its two differences (Theorem 9), "
            f"got a matrix with asymmetry {asymmetry:.3g} and smallest eigenvalue {smallest:.3g}; "
            "choose for example a function of t**2 + s**2 with non-negative Taylor coefficients "
            "in exp(-t**2) * exp(-s**2)."
        )


def _check_fourier(values: Array, fine: Array, fixed: Array) -> None:
    transform = fejer_transform(values)
    frequency, column = np.unravel_index(int(transform.argmin()), transform.shape)
    lowest, largest = float(transform.min()), float(np.abs(transform[:, column]).max())
    if lowest < -_RELATIVE * max(largest, float(np.abs(values[:, column]).sum())):
        omega = np.pi * float(frequency) / (len(fine) * (fine[1] - fine[0]))
        raise ValueError(
            "TranslationInvariant's function must have a non-negative Fourier transform in its "
            f"first difference (Theorem 9), got {lowest:.3g} beside {largest:.3g} at frequency "
            f"{omega:.3g}, with the second difference at {fixed[column]:.3g}; choose a positive "
            "definite function of the difference."
        )


def _values(function: Function, first: Array, second: Array) -> Array:
    return _checked_values(function(first[:, None], second[None, :]), (len(first), len(second)))


def _checked_values(found: Array, shape: tuple[int, int]) -> Array:
    values = np.asarray(found)
    if values.shape != shape or values.dtype.kind not in "biuf" or not is_finite(values):
        raise ValueError(
            "TranslationInvariant's function must return finite real numbers of the common shape "
            f"of its two arguments, here {shape}, got {values.dtype} of shape {values.shape}; "
            "write it with NumPy functions that act on every entry."
        )
    return values.astype(np.float64, copy=False)
