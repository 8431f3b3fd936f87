"""Types of arrays that the whole library shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Numbers in double precision."""

Indices = NDArray[np.intp]
"""Positions of rows, columns or kernels."""

Mask = NDArray[np.bool_]
"""True where a row, column or cell is chosen."""

LongArray = NDArray[np.longdouble]
"""Numbers in long double, as certificates use them."""

Folds = list[tuple[Indices, Indices]]
"""Training and held-out rows of each fold."""
