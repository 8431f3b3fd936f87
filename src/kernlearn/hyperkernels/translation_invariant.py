"""Hyperkernels that see only the differences within pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels._theorem9 import check_theorem_9
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._parameters import positive
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array


class TranslationInvariant(Hyperkernel):
    r"""A hyperkernel that is invariant to translation (Ong 2005, Theorem 9).

    .. math:: \underline k((x, z), (u, v))
              = \prod_{j=1}^d \kappa\Bigl(\frac{x_j - z_j}{s_j}, \frac{u_j - v_j}{s_j}\Bigr)

    By Theorem 9, :math:`\kappa(t, t')` gives a hyperkernel if it is a kernel in :math:`t, t'` and
    its Fourier transform in :math:`t` is non-negative for every :math:`t'`; products over the
    dimensions then are hyperkernels too. Both conditions, and that κ is even, are checked
    numerically on :math:`|t|, |t'| \le` `span` whenever the hyperkernel is called. What the check
    refuses is wrong; what it passes may still fail between the points it looks at, or beyond.

    Parameters
    ----------
    function : callable
        κ, applied to two arrays of differences entry by entry. A function that has a name can be
        pickled.
    scales : float or array-like of shape (d,), default=1.0
        The unit s_j of the differences in every dimension, above zero.
    span : float, default=8.0
        How far the conditions are checked, in these units.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.hyperkernels import TranslationInvariant
    >>> def damped(t, s):
    ...     return np.exp(-np.abs(t) - np.abs(s))
    >>> TranslationInvariant(damped, scales=2.0)([[[0.0], [1.0]], [[0.0], [4.0]]]).round(4)
    array([[0.3679, 0.0821],
           [0.0821, 0.0183]])
    """

    def __init__(
        self,
        function: Callable[[Array, Array], Any],
        scales: ArrayLike = 1.0,
        span: float = 8.0,
    ) -> None:
        self.function = function
        self.scales = scales
        self.span = span

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
        check_theorem_9(self.function, positive(self.span, "TranslationInvariant's span"))

    def _table(self, left: Array, right: Array) -> Array:
        scales = np.asarray(self.scales, dtype=np.float64)
        if scales.ndim == 1 and len(scales) != left.shape[1]:
            raise ValueError(
                "TranslationInvariant's scales must hold one number for each feature, got "
                f"{len(scales)} for {counted(left.shape[1], 'feature')}; pass as many scales as "
                "features."
            )
        return (left - right) / scales

    def _evaluate(self, table: Array, other: Array) -> Array:
        K: Array = np.ones((len(table), len(other)))
        for row, column in zip(table.T, other.T, strict=True):
            K *= self.function(row[:, None], column[None, :])
        return K

    def _diag(self, table: Array) -> Array:
        values: Array = np.prod(self.function(table, table), axis=1)
        return values
