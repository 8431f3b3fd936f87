"""Theorem 9's condition, looked at on a grid: a violation found here is a proof of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlearn.kernels._validation import is_finite
from kernlearn.typing import Array

Function = Callable[[Array, Array], Any]

# Differences on the fine side of the grid, and those that the other argument is fixed at.
_N_FINE, _N_FIXED = 512, 33
# Rounding only: the sums below have a few hundred terms.
_RELATIVE = 1e-9


def check_theorem_9(function: Function, span: float) -> None:
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


def fejer_transform(values: Array) -> Array:
    r"""Return :math:`\sum_{|n| < N} (1 - |n| / N)\, v_{|n|}\, e^{-i \omega n}` of every column.

    That is :math:`\frac1N \sum_{a, b} v_{|a - b|} e^{-i \omega (a - b)}`, a quadratic form in the
    Gram matrix of N equidistant points. So it is non-negative for every positive definite
    function, cut off anywhere and sampled at any rate; a plain transform would not be.
    """
    n = len(values)
    half = values * (1.0 - np.arange(n) / n)[:, None]
    even = np.concatenate([half, np.zeros((1, values.shape[1])), half[:0:-1]])
    transform: Array = np.fft.rfft(even, axis=0).real
    return transform


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
    values = np.asarray(function(first[:, None], second[None, :]))
    shape = (len(first), len(second))
    if values.shape != shape or values.dtype.kind not in "biuf" or not is_finite(values):
        raise ValueError(
            "TranslationInvariant's function must return finite real numbers of the common shape "
            f"of its two arguments, here {shape}, got {values.dtype} of shape {values.shape}; "
            "write it with NumPy functions that act on every entry."
        )
    return values.astype(np.float64, copy=False)
