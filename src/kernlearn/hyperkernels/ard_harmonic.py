"""The harmonic hyperkernel with a scale for every dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.hyperkernels._harmonic import check_lambda_h, harmonic_diag, harmonic_gram
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels._validation import is_finite
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array


class ARDHarmonic(Hyperkernel):
    r"""The harmonic hyperkernel for automatic relevance determination (Ong 2005, (14)).

    .. math::

        \underline k((x, z), (s, t)) = \prod_{j=1}^d \frac{1 - \lambda_h}
            {1 - \lambda_h \exp(-\gamma_j ((x_j - z_j)^2 + (s_j - t_j)^2))}

    Its sections are products of one kernel for each dimension, each with a scale of its own.
    (The first line of (14) prints a sum over the dimensions; the product of the second is meant.)

    Parameters
    ----------
    lambda_h : float, default=0.6
        The ratio λ_h of the geometric series, between 0 and 1.
    gammas : array-like of shape (d,), optional
        The inverse squared width of the widest kernel in every dimension, not negative; a zero
        leaves that dimension out. Estimators set them from the data when not given.

    Notes
    -----
    The exponentials of a pair are computed once; everything after that is products and
    divisions, ordered so that 60 or 600 dimensions neither underflow nor overflow.

    Examples
    --------
    >>> from kernlearn.hyperkernels import ARDHarmonic
    >>> hk = ARDHarmonic(lambda_h=0.5, gammas=[1.0, 0.0])
    >>> hk([[[0.0, 5.0], [1.0, 7.0]]]).round(4)
    array([[0.5363]])
    """

    def __init__(self, lambda_h: float = 0.6, gammas: ArrayLike | None = None) -> None:
        self.lambda_h = lambda_h
        self.gammas = gammas

    def _check_parameters(self) -> None:
        check_lambda_h(self.lambda_h, "ARDHarmonic")
        if self.gammas is None:
            raise ValueError(
                "ARDHarmonic's gammas must be given before it is called, got None; pass one number "
                "for each column, or leave it to an estimator, which sets them from the data."
            )
        gammas = np.asarray(self.gammas)
        is_vector = gammas.ndim == 1 and gammas.size > 0 and gammas.dtype.kind in "biuf"
        if not (is_vector and is_finite(gammas) and gammas.min() >= 0):
            raise ValueError(
                "ARDHarmonic's gammas must be a list of non-negative finite numbers, one for each "
                f"column, got {self.gammas!r}; choose zero or more for every column."
            )

    def _table(self, left: Array, right: Array) -> Array:
        gammas = np.asarray(self.gammas, dtype=np.float64)
        if len(gammas) != left.shape[1]:
            raise ValueError(
                "ARDHarmonic's gammas must hold one number for each feature, got "
                f"{len(gammas)} for {counted(left.shape[1], 'feature')}; pass as many gammas as "
                "features."
            )
        table: Array = left - right
        table *= np.sqrt(gammas)
        np.square(table, out=table)
        np.negative(table, out=table)
        return np.exp(table, out=table)

    def _evaluate(self, table: Array, other: Array) -> Array:
        return harmonic_gram(table, other, self.lambda_h)

    def _diag(self, table: Array) -> Array:
        return harmonic_diag(table, self.lambda_h)
