"""Which pairs a metric is learned from."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.estimators.hyperkernel.pairs import merge_pairs, pairs_of_classes

CODES = np.array([2, 0, 1, 0, 0, 2, 1, 0, 0])


def test_all_pairs_are_there_once_with_their_labels():
    pairs, labels = pairs_of_classes(CODES, None, None)
    assert len({tuple(p) for p in pairs.tolist()}) == len(pairs) == 45
    assert (pairs[:, 0] <= pairs[:, 1]).all()
    for (i, j), label in zip(pairs.tolist(), labels, strict=True):
        assert label == (1.0 if CODES[i] == CODES[j] else -1.0)


@pytest.mark.parametrize(("n_pairs", "n_same"), [(10, 5), (11, 5), (2, 1), (40, 20), (44, 21)])
def test_a_sample_is_balanced_seeded_and_without_repetition(n_pairs, n_same):
    # 21 pairs of one class, (i, i) among them, and 24 of two.
    pairs, labels = pairs_of_classes(CODES, n_pairs, 3)
    assert len({tuple(p) for p in pairs.tolist()}) == n_pairs
    assert (pairs[:, 0] <= pairs[:, 1]).all()
    assert (labels > 0).sum() == n_same
    same = CODES[pairs[:, 0]] == CODES[pairs[:, 1]]
    np.testing.assert_array_equal(labels > 0, same)
    np.testing.assert_array_equal(pairs, pairs_of_classes(CODES, n_pairs, 3)[0])


def test_samples_are_uniform_within_a_label():
    counts = np.zeros((9, 9))
    for seed in range(500):
        pairs, _ = pairs_of_classes(CODES, 6, seed)
        counts[pairs[:, 0], pairs[:, 1]] += 1
    first, second = np.triu_indices(9)
    same = CODES[first] == CODES[second]
    drawn = counts[first, second]
    # 1500 draws each from 21 and from 24: 71 and 62 expected, with deviations of about 8.
    assert np.abs(drawn[same] - 1500 / 21).max() < 35
    assert np.abs(drawn[~same] - 1500 / 24).max() < 35
    assert counts.sum() == drawn.sum()


def test_repeated_pairs_are_merged_in_either_order():
    pairs, labels = merge_pairs([[3, 1], [0, 2], [1, 3], [2, 2]], [True, False, True, True], 4)
    assert pairs.tolist() == [[0, 2], [1, 3], [2, 2]]
    assert labels.tolist() == [-1.0, 1.0, 1.0]


@pytest.mark.parametrize("same", [[True, False], [1, 0], [1, -1], [1.0, -1.0]])
def test_ways_to_say_same(same):
    assert merge_pairs([[0, 1], [0, 2]], same, 3)[1].tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    ("pairs", "same", "sentence"),
    [
        ([[0, 1], [1, 0]], [1, -1], r"expected one label for each pair, got both .* \[1, 0\]; dro"),
        ([[0, 1], [2, 2]], [1, -1], r"expected a point to belong with itself, got .*\[2, 2\]"),
        ([[0, 1], [0, 9]], [1, -1], r"expected row numbers from 0 to 3 in pairs, got 0 to 9"),
        ([[0, 1], [0, -1]], [1, -1], r"expected row numbers from 0 to 3 in pairs, got -1 to 1"),
        ([[0.0, 1.0]], [1], r"integers of shape \(n_pairs, 2\), got float64 of shape \(1, 2\)"),
        ([[0, 1, 2]], [1], r"integers of shape \(n_pairs, 2\), got int64 of shape \(1, 3\)"),
        ([[0, 1], [0, 2]], [1], r"one entry of same for each of the 2 pairs, got shape \(1,\)"),
        ([[0, 1], [0, 2]], [1, 2], r"expected same to hold True and False, or 1 and -1, got"),
        ([[0, 1], [0, 2]], ["a", "b"], r"expected same to hold True and False, or 1 and -1"),
        ([[0, 1], [0, 2]], [1, 1], r"pairs that do not, got only one kind in same; add pairs"),
        (np.empty((0, 2), int), [], r"got only one kind in same"),
    ],
)
def test_refusals(pairs, same, sentence):
    with pytest.raises(ValueError, match=sentence):
        merge_pairs(pairs, same, 4)
