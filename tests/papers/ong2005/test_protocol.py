"""Section 7's data and splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernlearn.datasets import DataSet, RegressionSet, make_two_scales
from kernlearn.papers.ong2005 import protocol
from kernlearn.papers.ong2005.protocol import (
    CLASSIFICATION_SETS,
    REGRESSION_SETS,
    draw_split,
    dropped_rows_note,
    load_classification_set,
    load_regression_set,
    run_on_splits,
    signed_booleans,
)
from kernlearn.papers.paper import Request

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
    for name in CLASSIFICATION_SETS:
        data = load_classification_set(name, None, seed=3)
        if name == "syndata":
            np.testing.assert_array_equal(data.X, make_two_scales(random_state=3).X)
        else:
            np.testing.assert_array_equal(data.X, SIGNED)
            assert data.n_dropped == 5
    for name in REGRESSION_SETS:
        data = load_regression_set(name, None)
        np.testing.assert_array_equal(data.X, SIGNED)
    assert asked == [*list(CLASSIFICATION_SETS.values())[1:], *REGRESSION_SETS.values()]
    assert "cell dropped: 2 of servo." in dropped_rows_note({"servo": numbers})
    assert "cell dropped: none." in dropped_rows_note({"syndata": make_two_scales()})


def test_60_per_cent_are_for_training() -> None:
    split = draw_split(make_two_scales(208, random_state=0), 0, seed=0)
    assert (split.n_train, len(split.y_test)) == (125, 83)


CALLS: list[tuple[str, int, int]] = []


def note_the_call(data: DataSet, index: int, seed: int) -> list[object]:
    CALLS.append((data.name, index, seed))
    return [data.name, index]


def test_every_split_of_every_set_once_and_more_when_asked(tmp_path: Path) -> None:
    CALLS.clear()
    data = {
        "one": DataSet("1", X, np.array([1, -1, 1]), ("a",) * 4, ("-", "+")),
        "two": DataSet("2", X, np.array([1, 1, -1]), ("a",) * 4, ("-", "+")),
    }

    def run(n_splits: int, seed: int = 7, **settings: int) -> dict[str, list[object]]:
        request = Request(tmp_path, seed=seed, quiet=True)
        return run_on_splits(
            note_the_call, data, n_splits, request, stem="s", description="", settings=settings
        )

    assert run(1) == {"one": [["1", 0]], "two": [["2", 0]]}
    assert run(2) == {"one": [["1", 0], ["1", 1]], "two": [["2", 0], ["2", 1]]}
    assert CALLS == [("1", 0, 7), ("2", 0, 7), ("1", 1, 7), ("2", 1, 7)]
    run(1, seed=8)
    run(1, grid=3)
    assert CALLS[4:] == [("1", 0, 8), ("2", 0, 8), ("1", 0, 7), ("2", 0, 7)]
