"""A two-class problem that comes with its splits into training and test points."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["PartitionedSet", "random_order"]

Rows = NDArray[np.int64]


def random_order(name: str, n: int, index: int, seed: int) -> Rows:
    """Return n rows in a random order, the same for the same name, number and seed."""
    generator = np.random.default_rng([seed, zlib.crc32(name.encode()), index])
    return generator.permutation(n)


@dataclass(frozen=True, eq=False)
class PartitionedSet:
    """Inputs, ±1 labels, and the splits that were published with them.

    Attributes
    ----------
    name : str
        The name it was loaded under.
    X : ndarray of shape (n_samples, n_features)
        Inputs, as published.
    y : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    train, test : ndarray of shape (n_published, n_train) and (n_published, n_test)
        Rows of `X` in the training and the test part of each published split.
    note : str
        Where the splits come from.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    train: Rows
    test: Rows
    note: str

    @property
    def n_published(self) -> int:
        """Number of published splits at hand."""
        return len(self.train)

    def rows(self, index: int, seed: int) -> tuple[Rows, Rows]:
        """Return the rows of split number `index`: training part and test part.

        The published splits come first, in their order. Those after them are drawn at random
        in the published sizes, without regard to the labels, as the published ones were; the same
        number gives the same split for the same name and seed.

        Parameters
        ----------
        index : int
            Number of the split, from 0.
        seed : int
            Seed of the drawn ones.

        Returns
        -------
        train, test : ndarray
        """
        if index < self.n_published:
            return self.train[index], self.test[index]
        order = random_order(self.name, len(self.y), index, seed)
        n_train, n_test = self.train.shape[1], self.test.shape[1]
        return order[:n_train], order[n_train : n_train + n_test]
