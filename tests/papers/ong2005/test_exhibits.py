"""Tables 3 to 5 and Figure 4 from end to end, on small data that need no file."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from kernlearn import HyperkernelClassifier, HyperkernelRegressor
from kernlearn.datasets import DataNotFoundError, DataSet, RegressionSet, make_two_scales
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.papers import find_paper
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.ong2005 import figure4, tables
from kernlearn.papers.ong2005.protocol import REGRESSION_SETS, draw_split
from kernlearn.papers.ong2005.tuned_rbf import RBFSearch
from kernlearn.papers.tables import ComparisonTable

PAPER = find_paper("ong2005")


SEARCH = RBFSearch(C=(1.0, 100.0), folds=3, splits=1)
TWO_SETS = {
    "syndata": make_two_scales(random_state=0),
    "pima": make_two_scales(40, 2.0, random_state=1),
}


def small_set(index: int) -> DataSet:
    """A split of what stands for pima."""
    return draw_split(TWO_SETS["pima"], index, 0)


def numbers(table: ComparisonTable, name: str, column: str) -> list[float]:
    return table.rows()[name,][column].found


def test_everything_of_the_paper_is_registered() -> None:
    exhibits = {(exhibit.kind, exhibit.number) for exhibit in PAPER.exhibits}
    assert exhibits == {("table", n) for n in (3, 4, 5)} | {("figure", n) for n in (1, 4, 5)}


def test_table_3(tmp_path: Path, computed_cells: Callable[[Path], list[str]]) -> None:
    options = RunOptions(tmp_path, splits=2, quiet=True)
    table = tables.reproduce_table3(options, SEARCH, TWO_SETS)
    expected = []
    for index in range(2):
        split = small_set(index)
        model = HyperkernelClassifier(quality="nu_svm", gamma_factor=1.0).fit(
            split.X_train, split.y_train
        )
        expected.append(100 * np.mean(model.predict(split.X_test) != split.y_test))
    assert numbers(table, "pima", "ν-SVM") == pytest.approx(expected)
    pima = table.rows()["pima",]
    assert pima["C-SVM"].published_text() == "23.5 ± 2.0"
    mean, deviation = statistics.mean(expected), statistics.stdev(expected)
    assert pima["ν-SVM"].our_text() == f"{mean:.1f} ± {deviation:.1f}"
    assert (pima["best other"].published_text(), pima["best other"].our_text()) == ("23.5", "–")
    # The rival was spared the second split, and says so.
    assert pima["tuned SVM"].our_text().endswith("(1 of 2)")
    assert numbers(table, "pima", "its log₁₀ C")[0] in (0, 2)
    notes = " ".join(table.notes)
    for part in ("1/(50 q_j²)", "gap of 12 fits", "sample of 100 points", "one pivot: C-SVM in"):
        assert part in notes
    # Nothing is computed a second time.
    cells = computed_cells(tmp_path)
    assert tables.reproduce_table3(options, SEARCH, TWO_SETS) == table
    assert computed_cells(tmp_path) == cells


def test_table_4(tmp_path: Path) -> None:
    sweeps = tables.LambdaSweeps((0.2, 0.6), (1e-4, 1.0, 1e5))
    options = RunOptions(tmp_path, splits=2, quiet=True)
    table = tables.reproduce_table4(options, sweeps, TWO_SETS)
    errors = np.empty((2, 2))
    for index in range(2):
        split = small_set(index)
        for s, lambda_h in enumerate((0.2, 0.6)):
            model = HyperkernelClassifier(ARDHarmonic(lambda_h), gamma_factor=1.0).fit(
                split.X_train, split.y_train
            )
            errors[index, s] = 100 * np.mean(model.predict(split.X_test) != split.y_test)
    over_settings = [statistics.mean(errors[:, s]) for s in (0, 1)]
    assert numbers(table, "pima", "λ_h: error") == pytest.approx(over_settings)
    over_splits = statistics.mean(statistics.stdev(errors[:, s]) for s in (0, 1))
    assert numbers(table, "pima", "λ_h: deviation") == pytest.approx([over_splits])
    assert len(numbers(table, "pima", "λ_Q: error")) == 3
    row = table.rows()["pima",]
    assert row["λ_h: error"].published_text() == "25.7 ± 2.6"
    assert row["λ_Q: deviation"].published_text() == "1.5"


def test_the_sweeps_are_the_papers() -> None:
    tenths = [round(0.1 * i, 1) for i in range(1, 10)]
    sweeps = tables.LambdaSweeps()
    assert list(sweeps.lambda_h) == [*tenths, 0.92, 0.94, 0.96, 0.98]
    np.testing.assert_allclose(np.log10(sweeps.lambda_q), np.arange(-4, 6))


def test_the_claim_about_the_usual_lambda_is_checked() -> None:
    best = np.full((2, 13), 20.0)
    best[1] += 4.0  # a deviation of 2.8
    worse = best.copy()
    worse[:, 5] += 3.0  # λ_h = 0.6 by more than that
    note = partial(tables.usual_choice_note, sweeps=tables.LambdaSweeps())
    assert "for all sets, as the paper says" in note({"a": best, "b": best})
    assert "for all sets but b." in note({"a": best, "b": worse})
    assert "With one split" in note({"a": best[:1]})


def test_figure_4(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: draws a picture")
    table = figure4.reproduce_figure4(RunOptions(tmp_path, splits=2, quiet=True, jobs=2), TWO_SETS)
    assert numbers(table, "syndata", "training points") == [60]
    assert numbers(table, "pima", "training points") == [24]
    for machine, printed in (("C-SVM", 3.13), ("ν-SVM", 3.05), ("Lag-SVM", 3.03)):
        small, large = (np.mean(numbers(table, name, machine)) for name in ("pima", "syndata"))
        slope = np.log(large / small) / np.log(60 / 24)
        assert numbers(table, "slope", machine) == pytest.approx([slope])
        assert table.rows()["slope",][machine].published == printed
    assert (tmp_path / "figure4.png").read_bytes().startswith(b"\x89PNG")
    assert "figure4.png" in table.notes[-1]


def test_the_fitted_line_is_the_one_drawn() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    sizes = np.array([50.0, 100.0, 400.0])
    means = {"a": sizes**3, "b": 2 * sizes**2, "c": 1e-3 * sizes}
    figure4.draw_times(figure, sizes, means)
    lines = figure.axes[0].get_lines()
    for i, machine in enumerate(means):
        np.testing.assert_allclose(lines[2 * i].get_ydata(), means[machine])
        np.testing.assert_allclose(lines[2 * i + 1].get_ydata(), means[machine][[0, 2]])
    texts = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert texts == ["a, slope 3.00", "b, slope 2.00", "c, slope 1.00"]


def test_table_5(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    X = generator.uniform(-2, 2, size=(40, 2))
    data = RegressionSet("small", X, 1000 * np.sin(X[:, 0]), ("a", "b"), "y", n_dropped=3)
    options = RunOptions(tmp_path, splits=2, quiet=True)
    table = tables.reproduce_table5(options, SEARCH, dict.fromkeys(REGRESSION_SETS, data))
    expected = []
    for index in range(2):
        split = draw_split(data, index, 0)
        model = HyperkernelRegressor(gamma_factor=1.0).fit(split.X_train, split.y_train)
        expected.append(np.mean((model.predict(split.X_test) - split.y_test) ** 2))
    for name, unit in (("servo", 1), ("cpu (×10³)", 1e3), ("auto imports (×10⁶)", 1e6)):
        assert numbers(table, name, "ν-SVR") == pytest.approx(np.array(expected) / unit)
        assert len(numbers(table, name, "tuned ε-SVR")) == 1
    assert table.rows()["boston",]["ν-SVR"].published_text() == "12.96 ± 3.38"
    for part in ("1/(50 q_j²)", "3 of auto-mpg, 3 of boston", "gap of 10 fits", "ε; here it is"):
        assert part in " ".join(table.notes)


@pytest.mark.parametrize("number", [3, 4, 5])
def test_missing_data_are_named(tmp_path: Path, number: int) -> None:
    with pytest.raises(DataNotFoundError, match=r"put (pima|auto_mpg).csv.gz into"):
        PAPER.find("table", number).reproduce(RunOptions(tmp_path, data_dir=tmp_path))
