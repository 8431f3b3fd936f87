"""Section 7's data and splits."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.datasets import DataSet, RegressionSet, make_two_scales
from kernlearn.papers.ong2005 import protocol
from kernlearn.papers.ong2005.protocol import (
    CLASSIFICATION_SETS,
    REGRESSION_SETS,
    draw_split,
    dropped_rows_note,
    load_classification_sets,
    load_regression_sets,
    signed_booleans,
    split_settings,
)

X = np.array([[0.0, 7.0, 3.0, 1.5], [1.0, 7.0, 1.0, 0.5], [0.0, 7.0, 2.0, 0.5]])
SIGNED = np.array([[-1.0, 7.0, 3.0, 1.0], [1.0, 7.0, 1.0, -1.0], [-1.0, 7.0, 2.0, -1.0]])


def test_two_values_become_signs_and_others_stay() -> None:
    original = X.copy()
    np.testing.assert_array_equal(signed_booleans(X), SIGNED)
    np.testing.assert_array_equal(X, original)


def test_loaded_sets_are_prepared_and_syndata_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("a", "b", "c", "d")
    table = DataSet("any", X, np.array([1, -1, 1]), names, ("-", "+"), n_dropped=5)
    numbers = RegressionSet("any", X, np.array([1.0, 2.0, 3.0]), names, "t", n_dropped=2)
    asked: list[str] = []
    monkeypatch.setattr(protocol, "load_uci", lambda source, _: asked.append(source) or table)
    monkeypatch.setattr(
        protocol, "load_uci_regression", lambda source, _: asked.append(source) or numbers
    )
    for name, data in load_classification_sets(None, seed=3).items():
        if name == "syndata":
            np.testing.assert_array_equal(data.X, make_two_scales(random_state=3).X)
        else:
            np.testing.assert_array_equal(data.X, SIGNED)
            assert data.n_dropped == 5
    for data in load_regression_sets(None).values():
        np.testing.assert_array_equal(data.X, SIGNED)
    assert asked == [*list(CLASSIFICATION_SETS.values())[1:], *REGRESSION_SETS.values()]
    assert "cell dropped: 2 of servo." in dropped_rows_note({"servo": numbers})
    assert "cell dropped: none." in dropped_rows_note({"syndata": make_two_scales()})


def test_60_per_cent_are_for_training() -> None:
    split = draw_split(make_two_scales(208, random_state=0), 0, seed=0)
    assert (split.n_train, len(split.y_test)) == (125, 83)


def test_settings_tell_data_apart() -> None:
    one = {"a": DataSet("1", X, np.array([1, -1, 1]), ("a",) * 4, ("-", "+"))}
    other = {"a": DataSet("1", X, np.array([1, 1, -1]), ("a",) * 4, ("-", "+"))}
    assert split_settings(one) == split_settings(dict(one))
    assert split_settings(one) != split_settings(other)
