"""Classification or regression."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.tables import TableError, read_target


def target(values, task="auto"):
    return read_target(pd.Series(values), "y", task)


def test_text_means_classes():
    found = target(["b", "a"] * 10)
    assert found.task == "classification"
    assert found.y.tolist() == ["b", "a"] * 10
    assert found.y.dtype.kind == "U"


def test_few_whole_numbers_mean_classes_that_stay_whole_numbers():
    found = target(["1", "2.0", "3"] * 10)
    assert found.task == "classification"
    assert found.y.tolist() == [1, 2, 3] * 10
    assert found.y.dtype.kind == "i"
    assert "pass --task regression" in found.reason


@pytest.mark.parametrize(
    ("labels", "y"),
    [
        (["0", "1"], [0, 1]),
        (["1", "2", "3"], [1, 2, 3]),
        (["1.0", "2.0"], [1, 2]),
        (["-1", "+1"], [-1, 1]),
        ([1.0, 2.0], [1, 2]),
        ([False, True], ["False", "True"]),  # as they are in a file of text
        (["01", "02", "10"], ["01", "02", "10"]),
        (["1", "01", "1.0"], ["1", "01", "1.0"]),
        (["1e3", "2e3", "3000"], ["1e3", "2e3", "3000"]),
        ([str(2**53 + i) for i in range(3)], [str(2**53 + i) for i in range(3)]),
        ([2**53 + i for i in range(3)], [str(2**53 + i) for i in range(3)]),
    ],
)
@pytest.mark.parametrize("task", ["auto", "classification"])
def test_labels_stay_what_they_are_written_as(labels, y, task):
    found = target(labels * 10, task)
    assert found.task == "classification"
    assert found.y.tolist() == y * 10
    assert f"{len(labels)} different ones" in found.reason


@pytest.mark.parametrize(
    "values",
    [np.arange(40) % 11, np.arange(40) % 3 + 0.5, [1, 2, 3] * 3, [str(i) for i in range(30)]],
)
def test_other_numbers_mean_regression(values):
    found = target(values)
    assert found.task == "regression"
    assert found.y.dtype == float


def test_the_task_can_be_told():
    values = np.arange(60) % 3
    assert target(values, "regression").task == "regression"
    many = np.arange(120) % 12
    assert target(many).task == "regression"
    told = target(many, "classification")
    assert told.task == "classification"
    assert len(np.unique(told.y)) == 12
    assert told.reason == "classification, as asked for"


def test_rows_without_a_target_are_left_out():
    found = target(["a", None, "b", "a", "b"] * 5)
    assert found.rows.tolist() == [i for i in range(25) if i % 5 != 1]
    assert len(found.y) == 20


@pytest.mark.parametrize(
    ("values", "task", "sentence"),
    [
        ([None] * 10, "auto", "'y' has no value in any row"),
        (["a"] * 10, "auto", "'y' has one value, 'a', in every row: there is nothing to learn"),
        ([3.0] * 10, "auto", "'y' has one value, 3, in every row"),
        ([3] * 10, "regression", "'y' has one value, 3, in every row"),
        (["2024-01-01", "2024-01-02"] * 9, "auto", "'y' is a column of dates, expected numbers"),
        (list("abcdefgh") + ["a"] * 3, "auto", "two rows each on average, got 8 classes of 11"),
        (["1.5", "2e200"] * 9, "auto", "size up to 1e.150 in column 'y', but row 2 has '2e200'"),
        ([f"{i}e-200" for i in range(18)], "auto", "numbers of size 1e-150 or more in column 'y'"),
        (["a", "a\0"] * 9, "auto", r"without the character NUL, got 'a\\x00'"),
        (["1.5", "two"] * 9, "regression", "a finite number in every cell .* got 'two'"),
    ],
)
def test_bad_targets(values, task, sentence):
    with pytest.raises(TableError, match=sentence):
        target(values, task)
