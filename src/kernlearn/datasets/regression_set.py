"""A table with a numeric target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["RegressionSet"]


@dataclass(frozen=True, eq=False)
class RegressionSet:
    """Inputs and numeric targets of a regression problem.

    Attributes
    ----------
    name : str
        The name it was loaded under.
    X : ndarray of shape (n_samples, n_features)
        Inputs, unscaled.
    y : ndarray of shape (n_samples,)
        Targets, in the units of the source.
    feature_names : tuple of str
        One name per column of `X`.
    target_name : str
        What the target is.
    n_dropped : int
        Rows of the source left out for a missing cell.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    feature_names: tuple[str, ...]
    target_name: str
    n_dropped: int = 0
