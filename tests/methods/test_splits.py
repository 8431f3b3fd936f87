"""Rows held out, with classes of any size."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.methods.splits import fold_splits, holdout_split, sampled_rows, single_rows

LABELS = np.array(["a"] * 40 + ["b"] * 17 + ["c"] * 2 + ["d"])


@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_every_row_is_tested_once_but_those_alone_in_their_class(n_folds):
    y = np.random.default_rng(0).permutation(LABELS)
    splits = fold_splits(y, "classification", n_folds, 3)
    assert len(splits) == n_folds
    tested = np.sort(np.concatenate([test for _, test in splits]))
    np.testing.assert_array_equal(tested, np.flatnonzero(y != "d"))
    for train, test in splits:
        np.testing.assert_array_equal(np.union1d(train, test), np.arange(60))
        assert len(np.intersect1d(train, test)) == 0
        assert set(y[train]) == {"a", "b", "c", "d"}
        for label in "ab":
            assert abs((y[test] == label).sum() - (y == label).sum() / n_folds) < 1


@pytest.mark.parametrize("share", [0.02, 0.25, 0.5, 0.9])
def test_a_share_of_every_class_is_held_out(share):
    y = np.random.default_rng(1).permutation(LABELS)
    train, test = holdout_split(y, "classification", share, 0)
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(60))
    assert set(y[train]) == {"a", "b", "c", "d"}
    assert "d" not in y[test]
    assert abs((y[test] == "a").sum() - 40 * share) <= 1.5
    assert abs(len(test) - 60 * share) <= 2


def test_numbers_are_held_out_at_random():
    train, test = holdout_split(np.arange(89.0), "regression", 0.25, 0)
    assert (len(train), len(test)) == (66, 23)
    again = holdout_split(np.arange(89.0), "regression", 0.25, 0)[1]
    np.testing.assert_array_equal(test, again)
    assert not np.array_equal(test, holdout_split(np.arange(89.0), "regression", 0.25, 1)[1])


def test_no_more_folds_than_rows():
    assert len(fold_splits(np.arange(4.0), "regression", 10, 0)) == 4


def test_a_sample_has_a_row_of_every_class():
    y = np.random.default_rng(2).permutation(LABELS)
    kept = sampled_rows(y, "classification", 12, 0)
    assert set(y[kept]) == {"a", "b", "c", "d"}
    assert len(kept) in (12, 13, 14)
    np.testing.assert_array_equal(sampled_rows(y, "classification", 60, 0), np.arange(60))


def test_rows_that_are_alone():
    assert LABELS[single_rows(LABELS, "classification")].tolist() == ["d"]
    assert len(single_rows(np.arange(3.0), "regression")) == 0
