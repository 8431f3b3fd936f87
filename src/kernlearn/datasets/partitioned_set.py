"""A two-class problem that comes with its divisions into training and test points."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["PartitionedSet"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PartitionedSet:
    """Inputs, ±1 labels, and the divisions that were published with them.

    Attributes
    ----------
    name : str
        The name it was loaded under.
    X : ndarray of shape (n_samples, n_features)
        Inputs, as published.
    y : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    train, test : ndarray of shape (n_published, n_train) and (n_published, n_test)
        Rows of `X` in the training and the test part of each published division.
    note : str
        Where the divisions come from.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    train: Rows
    test: Rows
    note: str

    @property
    def n_published(self) -> int:
        """Number of published divisions at hand."""
        return len(self.train)

    def rows(self, index: int, seed: int) -> tuple[Rows, Rows]:
        """Return the rows of division number `index`: training part and test part.

        The published divisions come first, in their order. Those after them are drawn at random
        in the published sizes, without regard to the labels, as the published ones were; the same
        number gives the same division for the same name and seed.

        Parameters
        ----------
        index : int
            Number of the division, from 0.
        seed : int
            Seed of the drawn ones.

        Returns
        -------
        train, test : ndarray
        """
        if index < self.n_published:
            return self.train[index], self.test[index]
        generator = np.random.default_rng([seed, zlib.crc32(self.name.encode()), index])
        order = generator.permutation(len(self.y))
        n_train, n_test = self.train.shape[1], self.test.shape[1]
        return order[:n_train], order[n_train : n_train + n_test]
