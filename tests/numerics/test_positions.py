"""Positions of rows, against the operations on sets that they stand for."""

import numpy as np

from kernlearn.numerics.positions import complement, places_within


def test_positions_are_those_of_sets():
    generator = np.random.default_rng(0)
    folds = np.array_split(generator.permutation(50), 4)
    chosen = np.sort(generator.choice(50, 20, replace=False))
    found = places_within(folds, chosen, 50)
    for fold, places in zip(folds, found, strict=True):
        np.testing.assert_array_equal(complement(50, fold), np.setdiff1d(np.arange(50), fold))
        expected = np.searchsorted(chosen, np.intersect1d(fold, chosen))
        np.testing.assert_array_equal(places, expected)
    assert [len(places) for places in places_within([np.array([3])], np.array([1]), 5)] == [0]
