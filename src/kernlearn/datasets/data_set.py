"""A two-class table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["DataSet"]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Inputs and ±1 labels of a two-class problem.

    Attributes
    ----------
    name : str
        The name it was loaded under.
    X : ndarray of shape (n_samples, n_features)
        Inputs, unscaled.
    y : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    feature_names : tuple of str
        One name per column of `X`.
    target_names : tuple of str
        What -1 and +1 stand for, in this order.
    n_dropped : int
        Rows of the source left out for a missing cell.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    target_names: tuple[str, str]
    n_dropped: int = 0
