"""Figure 2 of Kondor and Jebara (2007), on invented faces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from kernlearn.datasets import DataNotFoundError, ImageSet
from kernlearn.papers import RunOptions
from kernlearn.papers.kondor2007 import figure2
from kernlearn.papers.kondor2007.figure2 import (
    EUCLIDEAN,
    SVM,
    best_setting,
    conic_wins,
    draw_areas,
    setting,
)
from kernlearn.papers.kondor2007.protocol import FaceProtocol, draw_faces
from kernlearn.papers.tables import ComparisonTable

SIGMAS, SIGMA_HS = (0.2, 0.5), (0.0, 10.0)
SMALL = FaceProtocol(sigmas=SIGMAS, sigma_hs=SIGMA_HS)


def invented() -> ImageSet:
    """People differ, poses differ less."""
    generator = np.random.default_rng(0)
    people = generator.random((40, 1, 8, 6)) + 0.5
    images = people + 0.25 * generator.random((40, 10, 8, 6))
    return ImageSet("invented", images.reshape(400, 8, 6), np.repeat(np.arange(40), 10))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> ComparisonTable:
    out = tmp_path_factory.mktemp("figure2")
    return figure2.reproduce_figure2(RunOptions(out, splits=1, quiet=True), SMALL, invented())


def test_areas_are_scikit_learns_over_all_ordered_pairs() -> None:
    generator = np.random.default_rng(0)
    scores, labels = generator.random((6, 6)), np.array([0, 0, 1, 1, 1, 2])
    pairs = [(i, j) for i in range(6) for j in range(6)]
    same = [labels[i] == labels[j] for i, j in pairs]
    areas = figure2.pair_areas(scores, labels)
    assert areas["all"] == roc_auc_score(same, [scores[p] for p in pairs])
    pairs = [(i, j) for i, j in pairs if i != j]
    same = [labels[i] == labels[j] for i, j in pairs]
    assert areas["different"] == roc_auc_score(same, [scores[p] for p in pairs])


def test_the_svm_sees_every_ordered_pair_end_to_end(table: ComparisonTable) -> None:
    sample = draw_faces(invented(), 0, seed=0)
    X, y = sample.X_train, sample.y_train
    pairs = [(i, j) for i in range(20) for j in range(20)]
    machine = SVC(C=10.0, gamma=1 / (2 * 0.5**2)).fit(
        [np.concatenate([X[i], X[j]]) for i, j in pairs], [y[i] == y[j] for i, j in pairs]
    )
    T, t = sample.X_test, sample.y_test
    scores = [machine.decision_function(np.hstack([np.tile(x, (100, 1)), T])) for x in T]
    expected = roc_auc_score((t[:, None] == t[None]).ravel(), np.concatenate(scores))
    found = table.rows()[SVM, "–"]["σ = 0.5"].found[0]
    assert found == pytest.approx(expected, abs=1e-9)


def test_wide_hyperkernels_rank_pairs_by_distance(table: ComparisonTable) -> None:
    """For σ_h → ∞ the learned kernel is a Gaussian of the distance, whatever was learned."""
    rows = table.rows()
    euclidean = rows[EUCLIDEAN, "–"]["best AUC"].found
    assert min(euclidean) > 0.9, "these people are easy to tell apart"
    np.testing.assert_allclose(rows["conic", "10σ"]["σ = 0.5"].found, euclidean, atol=0.01)


def made_up(conic: dict[str, float], linear: float) -> list[dict[str, dict[str, float]]]:
    folds = []
    for shift in (-0.01, 0.01):
        fold = {EUCLIDEAN: {"all": 0.5, "different": 0.5}}
        for sigma in SIGMAS:
            fold[setting(SVM, sigma)] = {"all": sigma + shift, "different": 0.4, "seconds": 3.0}
            for sigma_h in SIGMA_HS:
                name = setting("conic", sigma, sigma_h)
                fold[name] = {"all": conic[name] + shift, "different": 0.6, "seconds": 1 + shift}
                other = {"all": linear + shift, "different": 0.7, "seconds": 2.0}
                fold[setting("linear", sigma, sigma_h)] = other
        folds.append(fold)
    return folds


@pytest.fixture
def results() -> list[dict[str, dict[str, float]]]:
    values = dict(
        zip(
            [setting("conic", s, h) for s in SIGMAS for h in SIGMA_HS],
            [0.8, 0.95, 0.85, 0.7],
            strict=True,
        )
    )
    return made_up(values, linear=0.82)


def test_the_best_setting_and_the_share_of_wins(results: list[dict[str, dict[str, float]]]) -> None:
    assert best_setting("conic", results) == "conic, σ = 0.2, σ_h = 10σ"
    assert best_setting(SVM, results) == "SVM on pairs, σ = 0.5"
    assert conic_wins(results, SMALL) == 50.0


def test_the_summary_stands_beside_the_papers_numbers(
    results: list[dict[str, dict[str, float]]],
) -> None:
    columns, entries = figure2.faces_entries(results, SMALL)
    rows = ComparisonTable("", ("", ""), columns, entries).rows()
    best = rows["conic", "best"]
    assert best["best AUC"].published == 0.9
    np.testing.assert_allclose(best["best AUC"].found, [0.94, 0.96])
    assert best["training seconds"].published_text() == "7.630 ± 0.500"
    np.testing.assert_allclose(best["training seconds"].found, [0.99, 1.01])
    assert best["conic ahead %"].published == 92.0
    assert best["conic ahead %"].found == [50.0]
    assert rows["linear", "best"]["training seconds"].published == 2.75
    assert rows[SVM, "best"]["training seconds"].published == 2.08
    assert rows[SVM, "best"]["best AUC"].published == 0.75
    np.testing.assert_allclose(rows["conic", "10σ"]["σ = 0.5"].found, [0.69, 0.71])


def test_a_line_is_drawn_for_every_machine_and_width(
    results: list[dict[str, dict[str, float]]],
) -> None:
    figure = Figure()
    draw_areas(figure, results, SMALL)
    lines = {line.get_label(): line.get_ydata() for line in figure.axes[0].get_lines()}
    assert len(lines) == 2 + 2 + 1 + 1
    np.testing.assert_allclose(lines["conic, σ_h = 10σ"], [0.95, 0.7])
    np.testing.assert_allclose(lines["SVM on pairs"], SIGMAS)


def test_the_notes_tell_the_size_of_the_images_and_where_the_picture_is(
    table: ComparisonTable,
) -> None:
    assert table.notes[-2] == "Images of 8 by 6 pixels."
    assert Path(table.notes[-1].removeprefix("The picture is in ").removesuffix(".")).is_file()


def test_a_folder_without_the_faces_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"put att_faces.npz into .*images"):
        figure2.reproduce_figure2(RunOptions(tmp_path, data_dir=tmp_path, quiet=True))
