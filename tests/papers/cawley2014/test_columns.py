"""One method on all partitions: right, resumable, shared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernlearn import FirstLevelClassifier, LSSVMClassifier
from kernlearn._device import Place
from kernlearn.papers.cawley2014 import columns
from kernlearn.papers.cawley2014.columns import Column, fit_partition, run_column
from kernlearn.papers.cawley2014.methods import METHODS
from kernlearn.papers.cawley2014.protocol import load_sets
from kernlearn.papers.cawley2014.published import TABLE_2_COLUMNS, TABLE_3_COLUMNS
from kernlearn.papers.paper import Request

pytestmark = pytest.mark.usefixtures("small_paper")


def test_every_column_of_the_tables_has_a_method() -> None:
    assert set(METHODS) == {*TABLE_2_COLUMNS, *TABLE_3_COLUMNS, "ARD-BR-LSSVM"}
    assert len({method.stem for method in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("RBF-LOO-LSSVM", LSSVMClassifier(kernel="rbf", selection="loo")),
        ("ARD-XVAL-LSSVM", LSSVMClassifier(kernel="ard", selection="cv", cv=5, starts="one")),
        ("ARD-BR-LSSVM", LSSVMClassifier(kernel="ard", selection="bayes", starts="one")),
        ("RBF-FLKL-LSSVM", FirstLevelClassifier(kernel="rbf", cv=5, starts="one")),
        ("ARD-FLKL-LSSVM", FirstLevelClassifier(kernel="ard", cv=5, starts="one")),
    ],
)
def test_a_partition_is_standardised_fitted_and_scored(
    data_dir: Path, method: str, expected: LSSVMClassifier
) -> None:
    data = load_sets(data_dir)["thyroid"]
    found = fit_partition(method, data, 1, 0)
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


def test_a_partition_is_fitted_once(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def counted(method: str, data: object, index: int, seed: int) -> dict[str, object]:
        calls.append(f"{data.name}/{index}")  # type: ignore[attr-defined]
        fit = {"error": float(index), "theta": [1.0], "lam": 1.0, "mu": None}
        return fit | {"seconds": 1.0, "converged": True, "status": "converged"}

    monkeypatch.setattr(columns, "fit_partition", counted)
    sets = load_sets(data_dir)
    one = Request(tmp_path, data_dir, repetitions=1, quiet=True)
    run_column("RBF-LOO-LSSVM", sets, one, ["thyroid", "banana"])
    assert calls == ["thyroid/0", "banana/0"]
    everything = Request(tmp_path, data_dir, quiet=True)
    column = run_column("RBF-LOO-LSSVM", sets, everything, sets)
    # Partition by partition, as many as each set has, and those of before not again.
    assert calls[2:] == [
        "synthetic/0", "twonorm/0",
        "banana/1", "synthetic/1", "thyroid/1", "twonorm/1",
        "banana/2", "synthetic/2", "thyroid/2",
    ]  # fmt: skip
    assert column.errors["banana"] == [0.0, 1.0, 2.0]
    assert column.mean_errors == {"banana": 1, "synthetic": 1, "thyroid": 1, "twonorm": 0.5}
    run_column("RBF-LOO-LSSVM", sets, Request(tmp_path, data_dir, seed=1, quiet=True), ["banana"])
    run_column("RBF-XVAL-LSSVM", sets, one, ["banana"])
    assert calls[11:] == ["banana/0", "banana/1", "banana/2", "banana/0"]


@pytest.mark.parametrize("method", ["RBF-FLKL-LSSVM", "RBF-LOO-LSSVM", "ARD-XVAL-LSSVM"])
def test_a_device_fits_the_partitions_of_a_set_at_once(
    method: str, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place("array_api_strict", "cpu")
    monkeypatch.setattr(columns, "place_of", lambda *_: place)
    monkeypatch.setattr("kernlearn.estimators.inputs.on_device.place_of", lambda *_: place)
    sizes: list[int] = []
    together = columns.fit_together

    def counted(models: Any, tables: Any, targets: Any) -> None:
        sizes.append(len(models))
        together(models, tables, targets)

    monkeypatch.setattr(columns, "fit_together", counted)
    sets = load_sets(data_dir)
    request = Request(tmp_path, data_dir, repetitions=1, quiet=True, device="cuda")
    run_column(method, sets, request, ["thyroid"])
    request = Request(tmp_path, data_dir, repetitions=2, quiet=True, device="cuda")
    column = run_column(method, sets, request, ["thyroid"])
    assert sizes == [1, 1]  # what was finished is not done again
    monkeypatch.undo()
    for index in (0, 1):
        expected = fit_partition(method, sets["thyroid"], index, 0)
        found = column.results["thyroid"][index]
        assert found.keys() == expected.keys()
        assert found["error"] == expected["error"]
        assert found["status"] == expected["status"]
        np.testing.assert_allclose(found["theta"], expected["theta"], rtol=1e-5)
    (path,) = tmp_path.glob(f"{METHODS[method].stem}-*.jsonl")
    assert '"device": "array_api_strict:cpu"' in path.read_text()


def test_notes_say_what_a_column_took() -> None:
    fit = {"seconds": 1500.0, "converged": True, "status": "converged: yes"}
    worse = fit | {"converged": False, "status": "stopped at the limit"}
    note = Column("ARD-FLKL-LSSVM", {"a": [fit, fit], "b": [worse]}).note()
    assert note == "ARD-FLKL-LSSVM: 75 min of fitting; of 3 fits, 1 stopped at the limit."
    assert Column("x", {"a": [fit] * 8}).note() == "x: 3.3 h of fitting; all 8 fits converged."
    assert "x: 9.0 s of" in Column("x", {"a": [fit | {"seconds": 9.0}]}).note()
