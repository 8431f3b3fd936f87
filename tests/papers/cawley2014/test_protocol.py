"""Loading, splitting and standardising."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernlearn.datasets import PartitionedSet
from kernlearn.papers.cawley2014.protocol import (
    count_splits,
    load_sets,
    replicates,
    split_set,
    splits_note,
)
from kernlearn.papers.exhibits import RunOptions

GENERATOR = np.random.default_rng(0)
DATA = PartitionedSet(
    "heart",
    np.column_stack([GENERATOR.normal(7, 3, 20), np.full(20, 2.0), GENERATOR.normal(0, 9, 20)]),
    np.where(np.arange(20) < 9, 1, -1),
    np.arange(12)[None],
    np.arange(12, 20)[None],
    "",
)


@pytest.mark.parametrize("index", [0, 1])
def test_inputs_are_standardised_by_the_training_part_alone(index: int) -> None:
    split = split_set(DATA, index, 3)
    train, test = DATA.rows(index, 3)
    for j in (0, 2):
        mean = sum(DATA.X[i, j] for i in train) / 12
        deviation = np.sqrt(sum((DATA.X[i, j] - mean) ** 2 for i in train) / 12)
        for place, i in enumerate(train):
            assert split.X_train[place, j] == pytest.approx((DATA.X[i, j] - mean) / deviation)
        for place, i in enumerate(test):
            assert split.X_test[place, j] == pytest.approx((DATA.X[i, j] - mean) / deviation)
    # An input that does not vary tells nothing, and breaks nothing.
    np.testing.assert_array_equal(split.X[:, 1], 0)
    np.testing.assert_array_equal(split.y_train, DATA.y[train])
    np.testing.assert_array_equal(split.y_test, DATA.y[test])


def test_the_fourteen_sets_of_the_paper() -> None:
    assert len(replicates()) == 14
    assert {name for name, n in replicates().items() if n == 20} == {"image", "splice"}


def test_no_more_splits_than_printed() -> None:
    counts = [
        [count_splits(name, RunOptions(Path(), splits=asked)) for name in ("heart", "image")]
        for asked in (None, 1, 50, 500)
    ]
    assert counts == [[100, 20], [1, 1], [50, 20], [100, 20]]


@pytest.mark.usefixtures("small_paper")
def test_notes_say_which_splits_are_random(data_dir: Path) -> None:
    sets = load_sets(data_dir)
    note = splits_note(sets, RunOptions(Path(), seed=4))
    assert "banana 2 + 1, synthetic 1 + 2, thyroid 2 + 1, twonorm 2 + 0 (seed 4;" in note
    assert "banana 1 + 0, synthetic 1 + 0" in splits_note(sets, RunOptions(Path(), splits=1))
