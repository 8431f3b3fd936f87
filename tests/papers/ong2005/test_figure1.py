"""Figure 1 of Ong et al. (2005): errors, scales, and what is drawn."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from kernlearn import HyperkernelClassifier
from kernlearn.datasets import make_two_scales
from kernlearn.papers import RunOptions
from kernlearn.papers.ong2005 import figure1
from kernlearn.papers.ong2005.figure1 import MACHINES, reproduce_figure1, run_sample
from kernlearn.papers.tables import ComparisonTable

MODERATE, LARGE, HYPER = MACHINES


COARSE = {"n_test": 2000, "n_grid": 31}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> ComparisonTable:
    out = tmp_path_factory.mktemp("figure1") / "new"
    return reproduce_figure1(RunOptions(out, splits=2, quiet=True), n_grid=31)


def found(table: ComparisonTable, machine: str, column: str) -> list[float]:
    return table.rows()[machine,][column].found


def test_one_width_fails_and_a_width_for_each_column_does_not(table: ComparisonTable) -> None:
    # The standard error of one test error here is below 0.5.
    assert min(found(table, MODERATE, "test error %")) > 45
    assert np.mean(found(table, LARGE, "test error %")) > 5
    assert max(found(table, HYPER, "test error %")) < 4
    assert np.mean(found(table, HYPER, "test error %")) > 1.5, "no rule can have less than 2.3"


def test_the_scales_are_those_of_the_kernels(table: ComparisonTable) -> None:
    train, _ = figure1.draw_sample(0, 0)
    for machine in (MODERATE, LARGE):
        assert found(table, machine, "ratio of scales") == [1.0, 1.0]
        # exp(−d²/(2 var)) is the Gaussian with scikit-learn's γ = 1/(2 var) for two columns.
        assert found(table, machine, "scale of column 2")[0] == pytest.approx(train.X.std())
    ratios = found(table, HYPER, "ratio of scales")
    assert all(300 < ratio < 650 for ratio in ratios), "447 is the ratio of the columns' deviations"
    # The distance at which k has the curvature of exp(−d²/(2s²)), by finite differences.
    kernel = HyperkernelClassifier(gamma_factor=1.0).fit(train.X, train.y).kernel_
    for j, column in enumerate(("scale of column 1", "scale of column 2")):
        s = found(table, HYPER, column)[0]
        near = np.zeros((2, 2))
        near[1, j] = 1e-2 * s
        K = kernel(near)
        assert -np.log(K[0, 1] / K[0, 0]) * 2e4 == pytest.approx(1.0, rel=1e-3)


def test_the_true_ratio_stands_beside_the_hyperkernels_only(table: ComparisonTable) -> None:
    published = {row[0]: cells["ratio of scales"].published for row, cells in table.rows().items()}
    assert published == {MODERATE: None, LARGE: None, HYPER: 1000.0}


def test_samples_differ_and_come_back_with_the_seed() -> None:
    first = run_sample(0, 3, 2000)
    assert first == run_sample(0, 3, 2000)
    assert first != run_sample(1, 3, 2000)
    assert first != run_sample(0, 4, 2000)


def test_the_picture_is_written_and_named(table: ComparisonTable) -> None:
    note = table.notes[-1]
    path = Path(note.removeprefix("The picture is in ").removesuffix("."))
    assert path.name == "figure1.png"
    pixels = imread(path)
    assert pixels.shape[1] > 2 * pixels.shape[0], "three panels side by side"


class Plane:
    """A machine whose function is the second column, or a constant."""

    def __init__(self, slope: float, offset: float = 0.0) -> None:
        self.slope, self.offset = slope, offset

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return self.slope * X[:, 1] + self.offset


def test_lines_are_drawn_where_the_function_is_zero_and_plus_minus_one() -> None:
    ax = Figure().subplots()
    X = make_two_scales(50, random_state=0).X
    figure1.draw_surface(ax, Plane(0.5), X, 31)
    heights = [
        np.unique(np.concatenate([path.vertices[:, 1] for path in lines.get_paths()]).round(9))
        for lines in ax.collections[1:]
    ]
    np.testing.assert_allclose(np.concatenate(heights), [-2.0, 0.0, 2.0], atol=1e-9)
    assert [lines.get_linestyle()[0][1] is None for lines in ax.collections[1:]] == [
        False,
        True,
        False,
    ], "the margins are dashed, the separating line is not"


def test_a_margin_out_of_reach_is_not_drawn() -> None:
    ax = Figure().subplots()
    figure1.draw_surface(ax, Plane(0.0, 0.5), make_two_scales(50, random_state=0).X)
    assert len(ax.collections) == 1


def test_without_matplotlib_the_table_comes_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.figure")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    table = reproduce_figure1(RunOptions(tmp_path, splits=1, quiet=True), **COARSE)
    assert len(found(table, HYPER, "test error %")) == 1
    assert table.notes[-1] == (
        "figure1.png was not drawn, since drawing needs the package matplotlib: run "
        'pip install "kernlearn[plot]".'
    )
    assert list(tmp_path.iterdir()) == []
