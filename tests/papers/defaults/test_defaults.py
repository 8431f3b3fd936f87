"""The comparison of defaults: resumable, chosen by name, and right about what it says."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from kernlearn.datasets import DataNotFoundError
from kernlearn.papers import find_paper
from kernlearn.papers.defaults import data, exhibits, methods
from kernlearn.papers.defaults.methods import METHODS, TUNED_SVM
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import MethodColumn, adjusted_pvalues, chosen_methods
from kernlearn.papers.tables import ComparisonTable, to_csv, to_markdown

FITS: list[str] = []


def _counted(name: str, make: Any) -> MethodColumn:
    def counting(task: str, X: Any, y: Any) -> Any:
        FITS.append(name)
        return make(task)

    return MethodColumn(name, counting)


@pytest.fixture
def two_methods() -> dict[str, MethodColumn]:
    """A guess in place of the tuned SVM, and a linear model beside it."""

    def guess(task: str) -> Any:
        return DummyClassifier() if task == methods.CLASSES else DummyRegressor()

    def linear(task: str) -> Any:
        kind = LogisticRegression() if task == methods.CLASSES else LinearRegression()
        return methods.prepared(kind)

    FITS.clear()
    both = (_counted("linear", linear), _counted(TUNED_SVM, guess))
    return {method.name: method for method in both}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sets of two classes with two published splits, and two tables with a text column."""
    generator = np.random.default_rng(0)
    (tmp_path / "ida").mkdir()
    (tmp_path / "uci_reg").mkdir()
    for name in ("banana", "heart"):
        X = generator.normal(size=(60, 2))
        y = np.where(X[:, 0] + 0.1 * generator.normal(size=60) > 0, 1, -1)
        orders = np.array([generator.permutation(60) for _ in range(2)])
        parts = {"train": orders[:, :30], "test": orders[:, 30:], "partition": [1, 2]}
        np.savez(tmp_path / f"ida/{name}.npz", X=X, y=y, note="made up", **parts)
    for name, target in (("servo", "class"), ("auto_mpg", "mpg")):
        frame = pd.DataFrame({"a": generator.normal(size=50), "b": ["u", "v"] * 25})
        frame[target] = 2 * frame["a"] + (frame["b"] == "u")
        frame.loc[3, "a"] = np.nan
        frame.loc[4, target] = np.nan
        frame.astype(object).where(frame.notna(), "?").to_csv(
            tmp_path / f"uci_reg/{name}.csv.gz", index=False
        )
    return tmp_path


def classify(folder: Path, registry: dict[str, MethodColumn], **given: Any) -> ComparisonTable:
    options = RunOptions(folder / "out", folder, quiet=True, **{"splits": 6, **given})
    tables = data.load_classes(folder, ("banana", "heart"))
    return exhibits.reproduce_classification(options, registry, tables)


def test_classes_are_compared_and_what_is_worse_is_said(
    folder: Path, two_methods: dict[str, MethodColumn]
) -> None:
    table = classify(folder, two_methods)
    rows = table.rows()
    linear, guess = (rows["banana",][name].found for name in ("linear", TUNED_SVM))
    assert len(linear) == len(guess) == 6
    assert np.mean(linear) < 15 < np.mean(guess)
    ranks = {name: entry.found[0] for name, entry in rows["mean rank",].items()}
    assert ranks == {"linear": 1.0, TUNED_SVM: 2.0}
    text = to_markdown(table)
    assert "better on 2 (banana, heart), worse on 0 (none)" in text
    assert "published ones: banana 2, heart 2" in text
    assert "| data | linear | tuned SVM |" in text
    assert "paper" not in text
    assert to_csv(table).count("\n") == 1 + 2 * 4
    assert (folder / "out/classification.png").exists()


def test_splits_that_share_rows_are_not_counted_as_independent() -> None:
    """Nadeau and Bengio's formula by hand, then Holm's: the smaller p doubled."""

    def cells(errors: list[float]) -> list[dict[str, float]]:
        return [{"error": error, "seconds": 0.0, "ratio": 2.0} for error in errors]

    ours = {"a": cells([1.0, 2.0, 3.0, 2.0]), "b": cells([5.0, 5.0, 5.0, 5.0])}
    theirs = {"a": cells([9.0, 9.5, 11.5, 10.0]), "b": cells([5.5, 5.0, 4.5, 5.2])}
    apart = np.array([8.0, 7.5, 8.5, 8.0])
    t = apart.mean() / (apart.std(ddof=1) * np.sqrt(1 / 4 + 2.0))
    alone = 2 * student.sf(t, 3)
    found = adjusted_pvalues(ours, theirs)
    assert found["a"] == pytest.approx(2 * alone)
    assert found["a"] > 20 * ttest_1samp(apart, 0.0).pvalue
    assert found["b"] > 0.5
    assert adjusted_pvalues(ours, ours) == {"a": 1.0, "b": 1.0}


def test_numbers_are_compared_with_text_and_missing_cells(
    folder: Path, two_methods: dict[str, MethodColumn]
) -> None:
    tables = data.load_numbers(folder, ("servo", "auto_mpg"))
    options = RunOptions(folder / "out", folder, 6, quiet=True)
    table = exhibits.reproduce_regression(options, two_methods, tables)
    rows = table.rows()
    assert rows["servo",]["linear"].found[0] < 1.0 < rows["servo",][TUNED_SVM].found[0]


def test_nothing_is_fitted_twice(folder: Path, two_methods: dict[str, MethodColumn]) -> None:
    classify(folder, two_methods, splits=1, methods=("linear",))
    assert FITS == ["linear"] * 2
    classify(folder, two_methods, splits=2)
    assert sorted(FITS) == ["linear"] * 4 + [TUNED_SVM] * 4


def test_a_split_is_the_same_for_every_method(folder: Path) -> None:
    table = data.load_numbers(folder, ["servo"])["servo"]
    first, second = table.split(3, 0), table.split(3, 0)
    pd.testing.assert_frame_equal(first.X_train, second.X_train)
    assert len(first.y_train) == 39
    assert len(first.y_test) == 10
    assert not np.array_equal(table.split(4, 0).y_test, first.y_test)


@pytest.mark.usefixtures("quick_choices")
class _FakeMachine:
    """In place of xRFM, which is not installed: a mean, or a class by its number."""

    def __init__(self, tuning_metric: str, random_state: int) -> None:
        self.is_class = tuning_metric == "accuracy"

    def fit(self, X: Any, y: Any, X_chosen: Any, y_chosen: Any) -> None:
        assert X.dtype == X_chosen.dtype == np.float32
        assert len(y) == len(X) > len(X_chosen) == len(y_chosen)
        self.answer = float(y[0] if self.is_class else y.mean())

    def predict(self, X: Any) -> Any:
        return np.full((len(X), 1), self.answer)


class _FakeBoosting:
    """In place of boosting packages, which are not installed: a mean, or the first class."""

    def __init__(self, **settings: Any) -> None:
        self.categories = settings.get("cat_features")

    def fit(self, X: Any, y: Any) -> None:
        assert list(X.columns) == ["x0", "x1"]
        is_text = self.categories is not None
        assert self.categories == [1] if is_text else X["x1"].dtype == "category"
        self.levels = set(X["x1"])
        self.answer = y[0] if y.dtype.kind == "i" else y.mean()

    def predict(self, X: Any) -> Any:
        assert self.categories is not None or set(X["x1"].dropna()) <= self.levels
        return np.full((len(X), 1), self.answer)


PACKAGES = {"lightgbm": "LGBM", "xgboost": "XGB", "catboost": "CatBoost"}
QUICK = {"LSSVM", "boosting", "GP, ARD", "xRFM", "LightGBM", "XGBoost", "CatBoost"}


@pytest.mark.parametrize(
    "names", [QUICK, pytest.param(METHODS.keys() - QUICK - {"forest"}, marks=pytest.mark.slow)]
)
def test_every_method_fits_both_tasks(names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xrfm", SimpleNamespace(xRFM=_FakeMachine))
    for package, prefix in PACKAGES.items():
        both = {f"{prefix}{kind}": _FakeBoosting for kind in ("Classifier", "Regressor")}
        monkeypatch.setitem(sys.modules, package, SimpleNamespace(**both))
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"a": generator.normal(size=18), "b": ["u", "v", "w"] * 6})
    number = frame["a"].to_numpy() + (frame["b"] == "u")
    for task, y in ((methods.CLASSES, (number > 0.4).astype(int)), (methods.NUMBERS, number)):
        table = data.TargetTable("made up", frame, np.asarray(y))
        for name in names:
            error = exhibits.fit_cell(task, METHODS[name], table, 0, 0)["error"]
            assert np.isfinite(error), (name, task)


def test_methods_are_chosen_by_name() -> None:
    usual = [method.name for method in chosen_methods((), METHODS)]
    assert usual[0] == "Kernel"
    assert "GP, ARD" not in usual
    with pytest.raises(ValueError, match=r"expected methods among Kernel, .*, got 'nothing'"):
        chosen_methods(["nothing"], METHODS)
    absent = MethodColumn("absent", METHODS["Kernel"].make, needs="no_such_package")
    assert not absent.is_there
    with pytest.raises(ImportError, match="method absent needs the package no_such_package"):
        chosen_methods(["absent"], {"absent": absent})
    two = chosen_methods(["forest", "Kernel"], METHODS)
    assert [method.name for method in two] == ["Kernel", "forest"]


def test_without_data_it_says_what_is_missing(tmp_path: Path) -> None:
    for exhibit in find_paper("defaults").exhibits:
        with pytest.raises(DataNotFoundError, match="--data"):
            exhibit.reproduce(RunOptions(tmp_path, quiet=True))
