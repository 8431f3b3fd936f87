"""Random partitions of a data set into training and test points."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets import DataSet, RegressionSet

__all__ = ["Split", "draw_split", "fingerprint"]


@dataclass(frozen=True, eq=False)
class Split:
    """A random partition, training points first.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        All inputs.
    y_train, y_test : ndarray
        Labels or targets of the first rows of `X` and of the rest.
    """

    X: NDArray[np.float64]
    y_train: NDArray[Any]
    y_test: NDArray[Any]

    @property
    def n_train(self) -> int:
        """Number of training points."""
        return len(self.y_train)

    @property
    def X_train(self) -> NDArray[np.float64]:
        """Inputs of the training points."""
        return self.X[: self.n_train]

    @property
    def X_test(self) -> NDArray[np.float64]:
        """Inputs of the test points."""
        return self.X[self.n_train :]


def draw_split(data: DataSet | RegressionSet, index: int, seed: int, share: float) -> Split:
    """Draw partition number `index`, the same one for the same data and seed.

    Parameters
    ----------
    data : DataSet or RegressionSet
        What is divided.
    index : int
        Number of the partition.
    seed : int
        Seed of all partitions.
    share : float
        Share of the training points.

    Returns
    -------
    Split
    """
    generator = np.random.default_rng([seed, zlib.crc32(data.name.encode()), index])
    order = generator.permutation(len(data.y))
    n_train = round(share * len(data.y))
    y = data.y[order]
    return Split(data.X[order], y[:n_train], y[n_train:])


def fingerprint(data: DataSet | RegressionSet) -> int:
    """Return a number that tells these data, in this order, from any others."""
    return zlib.crc32(data.y.tobytes(), zlib.crc32(np.ascontiguousarray(data.X).tobytes()))
