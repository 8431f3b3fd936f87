"""One method on all splits: right, resumable, shared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from kernlearn import FirstLevelClassifier, FirstLevelOptions, LSSVMClassifier
from kernlearn._device import Place
from kernlearn.papers.cawley2014 import methods, selection_table
from kernlearn.papers.cawley2014.methods import METHODS, MethodResults, fit_split, run_method
from kernlearn.papers.cawley2014.protocol import load_sets
from kernlearn.papers.cawley2014.published import COLUMNS
from kernlearn.papers.exhibits import RunOptions

REPLICATES = {"banana": 3, "synthetic": 3, "thyroid": 3, "twonorm": 2}

pytestmark = pytest.mark.usefixtures("small_paper")


def test_every_column_of_the_tables_has_a_method() -> None:
    assert set(METHODS) == {*COLUMNS[2], *COLUMNS[3], "ARD-BR-LSSVM", *selection_table.COLUMNS}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("RBF-LOO-LSSVM", LSSVMClassifier(kernel="rbf", selection="loo")),
        ("ARD-XVAL-LSSVM", LSSVMClassifier(kernel="ard", selection="cv", cv=5, starts="one")),
        ("ARD-BR-LSSVM", LSSVMClassifier(kernel="ard", selection="bayes", starts="one")),
        (
            "RBF-FLKL-LSSVM",
            FirstLevelClassifier(kernel="rbf", cv=5, options=FirstLevelOptions(starts="one")),
        ),
        (
            "ARD-FLKL-LSSVM",
            FirstLevelClassifier(kernel="ard", cv=5, options=FirstLevelOptions(starts="one")),
        ),
    ],
)
def test_a_split_is_standardised_fitted_and_scored(
    data_dir: Path, method: str, expected: LSSVMClassifier
) -> None:
    data = load_sets(data_dir)["thyroid"]
    found = fit_split(method, data, 1, 0)
    train, test = data.train[1], data.test[1]
    mean, deviation = data.X[train].mean(axis=0), data.X[train].std(axis=0)
    model = expected.fit((data.X[train] - mean) / deviation, data.y[train])
    predicted = model.predict((data.X[test] - mean) / deviation)
    wrong = sum(a != b for a, b in zip(predicted, data.y[test], strict=True))
    assert found["error"] == pytest.approx(100 * wrong / len(test))
    np.testing.assert_allclose(found["theta"], model.theta_, rtol=1e-6)
    assert found["lam"] == pytest.approx(model.lam_, rel=1e-6)
    assert (found["mu"] is None) == (not isinstance(model, FirstLevelClassifier))
    assert found["status"] == str(model.status_)
    assert found["seconds"] > 0


def test_a_split_is_fitted_once(
    data_dir: Path, tmp_path: Path, computed_cells: Callable[[Path], list[str]]
) -> None:
    sets = load_sets(data_dir)
    one = RunOptions(tmp_path, data_dir, splits=1, quiet=True)
    run_method("RBF-LOO-LSSVM", sets, one, ["thyroid", "banana"])
    assert computed_cells(tmp_path) == ["thyroid/0", "banana/0"]
    everything = RunOptions(tmp_path, data_dir, quiet=True)
    column = run_method("RBF-LOO-LSSVM", sets, everything, sets)
    # Split by split, as many as each set has, and those of before not again.
    assert computed_cells(tmp_path)[2:] == [
        "synthetic/0", "twonorm/0",
        "banana/1", "synthetic/1", "thyroid/1", "twonorm/1",
        "banana/2", "synthetic/2", "thyroid/2",
    ]  # fmt: skip
    assert {name: len(errors) for name, errors in column.errors.items()} == REPLICATES
    other = RunOptions(tmp_path, data_dir, seed=1, quiet=True)
    run_method("RBF-LOO-LSSVM", sets, other, ["banana"])
    run_method("RBF-XVAL-LSSVM", sets, one, ["banana"])
    assert len(computed_cells(tmp_path)) == 11 + 3 + 1
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


@pytest.mark.parametrize("method", ["RBF-FLKL-LSSVM", "RBF-LOO-LSSVM", "ARD-XVAL-LSSVM"])
def test_a_device_fits_the_splits_of_a_set_at_once(
    method: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place("array_api_strict", "cpu")
    monkeypatch.setattr(methods, "place_of", lambda *_: place)
    monkeypatch.setattr("kernlearn.estimators.inputs.device_parameter.place_of", lambda *_: place)
    sets = load_sets(data_dir)
    options = RunOptions(tmp_path, data_dir, splits=2, quiet=True, device="cuda")
    column = run_method(method, sets, options, ["thyroid"])
    # One batch, whose seconds are shared.
    assert len({fit["seconds"] for fit in column.results["thyroid"]}) == 1
    assert run_method(method, sets, options, ["thyroid"]) == column
    monkeypatch.undo()
    for index in (0, 1):
        expected = fit_split(method, sets["thyroid"], index, 0)
        found = column.results["thyroid"][index]
        assert found.keys() == expected.keys()
        assert found["error"] == expected["error"]
        assert found["status"] == expected["status"]
        np.testing.assert_allclose(found["theta"], expected["theta"], rtol=1e-5)
    (path,) = tmp_path.glob("*.jsonl")
    assert '"device": "array_api_strict:cpu"' in path.read_text()


def test_notes_say_what_a_column_took() -> None:
    fit = {"seconds": 1500.0, "converged": True, "status": "converged: yes"}
    worse = fit | {"converged": False, "status": "stopped at the limit"}
    note = MethodResults("ARD-FLKL-LSSVM", {"a": [fit, fit], "b": [worse]}).note()
    assert note == "ARD-FLKL-LSSVM: 75 min of fitting; of 3 fits, 1 stopped at the limit."
    assert (
        MethodResults("x", {"a": [fit] * 8}).note() == "x: 3.3 h of fitting; all 8 fits converged."
    )
    assert "x: 9.0 s of" in MethodResults("x", {"a": [fit | {"seconds": 9.0}]}).note()


def test_copies_of_a_row_are_held_out_one_by_one_as_in_the_paper() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    X[20:30] = X[:10]
    y = np.where(X[:, 0] > 0, 1, -1)
    paper, ours = clone(METHODS["RBF-LOO-LSSVM"]).fit(X, y), LSSVMClassifier().fit(X, y)
    assert (paper.n_duplicates_, ours.n_duplicates_) == (0, 10)
    assert paper.loo_loss_ < ours.loo_loss_  # a copy tells of the other
