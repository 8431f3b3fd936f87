"""Rows held out, with classes of any size."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.methods.splits import (
    fold_splits,
    holdout_split,
    sampled_rows,
    single_rows,
    time_blocks,
    time_splits,
)

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


def grouped(seed=0):
    """Groups of one to nine rows, each of one class but for a few."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(60), rng.integers(1, 10, size=60))
    labels = np.array(["a", "b", "c"])[rng.choice(3, p=[0.6, 0.3, 0.1], size=60)]
    y = labels[units]
    y[rng.integers(len(y), size=5)] = "a"
    order = rng.permutation(len(y))
    return y[order], units[order]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("seed", range(5))
def test_no_group_stands_on_both_sides(task, seed):
    y, units = grouped(seed)
    y = y if task == "classification" else np.arange(len(y)) * 1.0
    folds = fold_splits(y, task, 5, seed, units)
    for train, test in [*folds, holdout_split(y, task, 0.25, seed, units)]:
        assert len(np.intersect1d(units[train], units[test])) == 0
        np.testing.assert_array_equal(np.union1d(train, test), np.arange(len(y)))
        assert 0.12 * len(y) < len(test) < 0.32 * len(y)
        for label in np.unique(y) if task == "classification" else ():
            assert label in y[train]
    tested = np.sort(np.concatenate([test for _, test in folds]))
    np.testing.assert_array_equal(tested, np.arange(len(y)))


def test_a_class_of_one_group_is_learned_from():
    y = np.repeat(["a", "a", "a", "b"], 3)
    units = np.repeat(np.arange(4), 3)
    assert single_rows(y, "classification", units).tolist() == [9, 10, 11]
    for train, _ in fold_splits(y, "classification", 3, 0, units):
        assert {9, 10, 11} <= set(train)


def test_one_large_group_leaves_others_to_test_on():
    units = np.array([0] * 30 + [1, 2, 3])
    train, test = holdout_split(np.arange(33.0), "regression", 0.25, 0, units)
    assert 0 < len(test) <= 3 or len(train) > 0
    assert len(np.intersect1d(units[train], units[test])) == 0


@pytest.mark.parametrize("n_folds", [None, 4])
def test_later_rows_are_predicted_from_earlier_ones(n_folds):
    times = np.random.default_rng(0).permutation(np.arange(120) // 3).astype(float)
    splits = time_splits(times, 0.25, n_folds)
    assert len(splits) == (n_folds or 1)
    for train, test in splits:
        assert times[train].max() < times[test].min()
    if n_folds is None:
        assert len(splits[0][1]) == 30
        assert len(splits[0][0]) == 90


def test_times_that_fill_more_than_a_part():
    times = np.array([0.0] * 90 + [1.0] * 10)
    (train, test), *others = time_splits(times, 0.25, None)
    assert (len(train), len(test), others) == (90, 10, [])
    assert [len(test) for _, test in time_splits(times, 0.25, 5)] == [10]
    assert len(np.unique(time_blocks(times))) == 2
