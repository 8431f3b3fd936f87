"""Results of the loaders: two-class, regression and image sets, and sets with published splits."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.typing import Array

Labels = NDArray[np.int64]
RowNumbers = NDArray[np.int64]


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
        Meanings of -1 and +1, in this order.
    n_dropped : int
        Rows of the source left out for a missing cell.
    """

    name: str
    X: Array
    y: Labels
    feature_names: tuple[str, ...]
    target_names: tuple[str, str]
    n_dropped: int = 0


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
        Name of the target.
    n_dropped : int
        Rows of the source left out for a missing cell.
    """

    name: str
    X: Array
    y: Array
    feature_names: tuple[str, ...]
    target_name: str
    n_dropped: int = 0


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Grey images of one size, and the class of each.

    Attributes
    ----------
    name : str
        The name it was loaded under.
    images : ndarray of shape (n_images, height, width)
        Grey values from 0 to 1.
    y : ndarray of shape (n_images,)
        Classes, whole numbers.
    """

    name: str
    images: Array
    y: Labels

    @property
    def X(self) -> Array:
        """The images as rows of grey values, of shape (n_images, height · width)."""
        return self.images.reshape(len(self.images), -1)


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
        Source of the splits.
    """

    name: str
    X: Array
    y: Labels
    train: RowNumbers
    test: RowNumbers
    note: str

    @property
    def n_published(self) -> int:
        """Number of published splits at hand."""
        return len(self.train)

    def rows(self, index: int, seed: int) -> tuple[RowNumbers, RowNumbers]:
        """Return the rows of split number `index`: training part and test part.

        The published splits come first, in their order. Later splits are drawn at random in the
        published sizes, without regard to the labels, as the published ones were; the same number
        gives the same split for the same name and seed.

        Parameters
        ----------
        index : int
            Number of the split, from 0.
        seed : int
            Seed of the drawn splits.

        Returns
        -------
        train, test : ndarray
            Row numbers.
        """
        if index < self.n_published:
            return self.train[index], self.test[index]
        order = random_order(self.name, len(self.y), index, seed)
        n_train, n_test = self.train.shape[1], self.test.shape[1]
        return order[:n_train], order[n_train : n_train + n_test]


def random_order(name: str, n: int, index: int, seed: int) -> RowNumbers:
    """Return n rows in a random order, the same for the same name, number and seed."""
    generator = np.random.default_rng([seed, zlib.crc32(name.encode()), index])
    return generator.permutation(n)
