"""The Gaussian kernel with a width for every column."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._distances import gaussian_gram
from kernlearn.kernels._validation import is_finite
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array


class ARDGaussian(Kernel):
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

    def __init__(self, gammas: ArrayLike) -> None:
        self.gammas = gammas

    def _check_parameters(self) -> None:
        gammas = np.asarray(self.gammas)
        is_vector = gammas.ndim == 1 and gammas.size > 0 and gammas.dtype.kind in "biuf"
        if not (is_vector and is_finite(gammas) and gammas.min() >= 0):
            raise ValueError(
                "ARDGaussian's gammas must be a list of non-negative finite numbers, one for each "
                f"column, got {self.gammas!r}; choose zero or more for every column."
            )

    def _evaluate(self, X: Any, Y: Any) -> Array:
        return gaussian_gram(X, Y, self._gammas_for(X))

    def _diag(self, X: Any) -> Array:
        self._gammas_for(X)
        return np.ones(X.shape[0])

    def _gammas_for(self, X: Any) -> Array:
        gammas = np.asarray(self.gammas, dtype=np.float64)
        if len(gammas) != X.shape[1]:
            raise ValueError(
                f"ARDGaussian's gammas must hold one number for each column of X, got "
                f"{len(gammas)} for {counted(X.shape[1], 'column')}; pass as many gammas as "
                "columns."
            )
        return gammas
