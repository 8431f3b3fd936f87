"""Decision values of any number of points, in blocks."""

from __future__ import annotations

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.kernels import Kernel
from kernlearn.typing import Array, Rows


def decision_values(
    kernel: Kernel,
    rows: Rows,
    support: Rows,
    coefs: Array,
    # Kernel values that are held together: 128 MB, and a few times that within a kernel
    most_values: int = 2**24,
) -> Array:
    """K(rows, support) @ coefs.T in memory that does not grow with the number of rows.

    Inputs are checked. Up to sixteen million kernel values are one block, as ever.
    """
    n_rows, n_support = np.shape(rows)[0], np.shape(support)[0]
    step = max(1, most_values // max(n_support, 1))
    if n_rows <= step:
        return np.asarray(kernel(rows, support) @ coefs.T)
    values: Array = np.empty((n_rows, len(coefs)))
    for start in range(0, n_rows, step):
        part = slice(start, min(start + step, n_rows))
        values[part] = kernel(_safe_indexing(rows, part), support) @ coefs.T
    return values
