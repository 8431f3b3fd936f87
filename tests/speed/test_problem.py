"""The generated table can be learned, but not without errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC, SVR

from kernlearn.speed.problem import generated_table


@pytest.mark.parametrize(
    ("task", "machine", "low", "high"),
    [("classification", SVC(), 0.7, 0.92), ("regression", SVR(), 0.4, 0.85)],
)
def test_there_is_something_to_learn_and_noise(task, machine, low, high):
    X, y, columns = generated_table(400, 5, task, 0)
    assert X.shape == (400, 5)
    assert [column.name for column in columns] == list(X.columns)
    assert low < cross_val_score(machine, X, y, cv=5).mean() < high


def test_classes_are_halves_of_what_regression_predicts():
    _, labels, _ = generated_table(101, 3, "classification", 2)
    _, values, _ = generated_table(101, 3, "regression", 2)
    np.testing.assert_array_equal(labels == "above", values > np.median(values))
    assert (labels == "above").sum() == 50


def test_the_formula():
    """Noise aside, with what is random told by its seed."""
    X, y, _ = generated_table(2000, 4, "regression", 1)
    x = X.to_numpy().T
    signal = np.sin(2 * x[0]) + x[1] / 2 + x[2] / 3 + x[3] / 4
    noise = y - signal / signal.std()
    assert noise.std() == pytest.approx(0.5, rel=0.05)
    assert abs(np.corrcoef(noise, signal)[0, 1]) < 0.06


def test_the_seed_decides_and_one_column_is_enough():
    first = generated_table(60, 1, "regression", 3)
    again = generated_table(60, 1, "regression", 3)
    pd.testing.assert_frame_equal(first[0], again[0])
    np.testing.assert_array_equal(first[1], again[1])
    assert not np.array_equal(first[1], generated_table(60, 1, "regression", 4)[1])
