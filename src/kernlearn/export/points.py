"""Known points, as kernels with expressions read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from kernlearn.estimators.inputs.cells import texts, texts_of_numbers
from kernlearn.kernels._validation import is_frame
from kernlearn.typing import Array, Rows


def as_numbers(points: Rows) -> Array:
    """A dense array of double precision."""
    if issparse(points):
        return np.asarray(points.toarray(), dtype=float)
    values = points.to_numpy(dtype=float) if is_frame(points) else points
    return np.asarray(values, dtype=float)


def as_text(points: Rows, place: int) -> NDArray[np.str_]:
    """A column of categories as text, empty where a cell is missing."""
    if is_frame(points):
        return texts(points.iloc[:, place])
    column = np.asarray(points)[:, place]
    return texts_of_numbers(column) if column.dtype.kind in "biuf" else column.astype(str)
