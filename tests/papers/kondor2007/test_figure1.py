"""Figure 1 of Kondor and Jebara (2007), on invented digits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA

import kernlearn as kl
from kernlearn.datasets import DataNotFoundError, ImageSet
from kernlearn.papers import RunOptions
from kernlearn.papers.kondor2007 import figure1
from kernlearn.papers.kondor2007.figure1 import (
    Components,
    fitted_metric,
    fixed_gram,
    metric_gram,
    squared_distances,
)
from kernlearn.papers.kondor2007.protocol import DigitProtocol, draw_digits
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.papers.tables import ComparisonTable


def invented() -> ImageSet:
    """Threes are one blob and eights are two, each where chance puts them."""
    generator = np.random.default_rng(0)
    y = np.repeat([3, 8], 40)
    images = 0.02 * generator.random((80, 12, 12))
    for image, digit in zip(images, y, strict=True):
        for row in (3, 8) if digit == 8 else (5,):
            top, left = row + generator.integers(-1, 2), 5 + generator.integers(-1, 2)
            image[top : top + 3, left : left + 3] += 0.8
    return ImageSet("invented", images, y)


SMALL = DigitProtocol(n_train=6, n_test=10, sigmas=(0.3, 0.6), sigma_hs=(0.0,), costs=(100.0,))
PIVOTS = SMALL.pivots[1]


@pytest.fixture(scope="module")
def sample() -> TrainTestSplit:
    return draw_digits(invented(), 0, 0, SMALL)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figure1")


@pytest.fixture(scope="module")
def table(out: Path) -> ComparisonTable:
    return figure1.reproduce_figure1(RunOptions(out, splits=2, quiet=True), SMALL, invented())


def test_the_rows_hold_the_areas_of_the_sample(
    table: ComparisonTable, sample: TrainTestSplit
) -> None:
    rows = table.rows()
    X, y = sample.X_test, sample.y_test
    found = {row[0]: cells["test AUC"].found for row, cells in rows.items()}
    assert all(len(numbers) == 2 for numbers in found.values())
    assert found["original space"][0] == pytest.approx(kl.metrics.retrieval_auc(cdist(X, X), y))
    numbers = rows["conic, distance",]
    choice = [numbers[name].found[0] for name in figure1.WIDTHS]
    model = fitted_metric(sample, "conic", tuple(choice), PIVOTS)
    K = model.kernel_(X)
    assert found["conic, distance"][0] == pytest.approx(
        kl.metrics.retrieval_auc(squared_distances(K), y)
    )
    assert found["conic, score"][0] == pytest.approx(kl.metrics.retrieval_auc(-K, y))
    plane = model.transform(X)
    expected = kl.metrics.retrieval_auc(cdist(plane, plane), y)
    assert found["conic, two components"][0] == pytest.approx(expected, abs=1e-6)


def test_the_published_numbers_stand_in_their_rows_only(table: ComparisonTable) -> None:
    published = {
        (row[0], column): cell.published
        for row, cells in table.rows().items()
        for column, cell in cells.items()
        if cell.published is not None
    }
    assert published == {
        ("original space", "test AUC"): 0.5575,
        ("conic, distance", "test AUC"): 0.7341,
    }


def test_widths_are_those_that_do_best_on_held_out_training_points(sample: TrainTestSplit) -> None:
    """With one width that sees nothing, the other is chosen."""
    for sigmas in ((1e-3, 0.5), (0.5, 1e-3)):
        protocol = replace(SMALL, sigmas=sigmas)
        assert figure1.choose_widths(sample, "linear", 0, protocol) == (0.5, 0.0, 100.0)


def test_components_are_scikit_learns_where_it_has_them(sample: TrainTestSplit) -> None:
    K = fixed_gram(sample, sample.X_train, sample.X_train)
    pca = KernelPCA(2, kernel="precomputed", eigen_solver="dense").fit(K)
    new = fixed_gram(sample, sample.X_test, sample.X_train)
    np.testing.assert_allclose(
        np.abs(Components(K).of(new)), np.abs(pca.transform(new)), rtol=1e-8, atol=1e-10
    )


def test_components_of_an_indefinite_matrix_are_its_largest() -> None:
    generator = np.random.default_rng(0)
    Q = np.linalg.qr(generator.standard_normal((6, 6))).Q
    Q[:, 0] = 1.0
    Q = np.linalg.qr(Q).Q  # the first vector is the constant one, which centring removes
    K = Q @ np.diag([0.0, 3.0, 2.0, 1.0, -1.0, -7.0]) @ Q.T
    np.testing.assert_allclose(
        np.abs(Components(K).of(K)), np.abs(Q[:, 1:3] * np.sqrt([3.0, 2.0])), atol=1e-12
    )


def test_the_table_of_a_metric_is_its_scores_without_b(sample: TrainTestSplit) -> None:
    for combination in ("conic", "linear"):
        model = fitted_metric(sample, combination, (0.5, 1.0, 10.0), PIVOTS)
        X, Y = sample.X_test[:3], sample.X_train[:4]
        K = metric_gram(model, X, Y)
        for i, j in [(0, 0), (2, 1), (1, 3)]:
            score = model.pair_score([[X[i], Y[j]]])[0]
            assert K[i, j] == pytest.approx(score - model.intercept_, rel=1e-10, abs=1e-12)


def test_the_picture_has_training_above_testing(
    table: ComparisonTable, sample: TrainTestSplit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = Path(table.notes[-1].removeprefix("The picture is in ").removesuffix("."))
    assert imread(path).shape[1] > imread(path).shape[0]
    figure = Figure()
    monkeypatch.setattr(
        "kernlearn.papers.kondor2007.figure1.save_picture",
        lambda path, draw, **_: draw(figure),
    )
    chosen = {"conic": dict(zip(figure1.WIDTHS, (0.6, 0.0, 10.0), strict=True))}
    figure1.draw_spaces(tmp_path / "a.png", sample, chosen, PIVOTS)
    titles = [ax.get_title().partition(":")[0] for ax in figure.axes]
    assert titles == [
        "conic hyperkernel, training",
        "fixed RBF, training",
        "conic hyperkernel, test",
        "fixed RBF, test",
    ]
    drawn = [sum(len(c.get_offsets()) for c in ax.collections) for ax in figure.axes]
    assert drawn == [12, 12, 20, 20]


@pytest.mark.usefixtures("table")
def test_a_second_run_goes_on_where_the_first_stopped(
    out: Path, monkeypatch: pytest.MonkeyPatch, computed_cells: Callable[[Path], list[str]]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure")
    table = figure1.reproduce_figure1(RunOptions(out, splits=1, quiet=True), SMALL, invented())
    assert computed_cells(out) == ["digits/0", "digits/1"]
    assert "figure1.png was not drawn" in table.notes[-1]


def test_a_folder_without_the_digits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"put mnist_3v8.npz into .*images"):
        figure1.reproduce_figure1(RunOptions(tmp_path, data_dir=tmp_path, quiet=True))
