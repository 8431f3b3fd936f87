"""Cholesky factors of symmetric matrices, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor


def lower_factor(matrix: NDArray[Any]) -> NDArray[Any]:
    """The lower Cholesky factor of a symmetric matrix in C order, which is overwritten.

    LAPACK reads columns. The transpose of a symmetric matrix is the matrix itself in that order,
    so that nothing need be copied.
    """
    return np.asarray(cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)[0])
