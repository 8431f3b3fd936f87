"""Figure 5 of Ong et al. (2005): the order of novelty, and what is drawn."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from kernlearn import HyperkernelNoveltyDetector
from kernlearn.datasets import DataNotFoundError, UspsDigits
from kernlearn.papers import RunOptions
from kernlearn.papers.ong2005 import figure5
from kernlearn.papers.ong2005.figure5 import RankedDigit, novelty_order, reproduce_figure5

N_IMAGES = 20


def bars(position: int, odd: int, seed: int) -> np.ndarray:
    """Upright bars with a little noise; number `odd` lies on its side."""
    generator = np.random.default_rng(seed)
    images = np.full((N_IMAGES, 16, 16), -1.0)
    images[:, :, position : position + 3] = 1.0
    images[odd] = images[odd].T
    noisy = images + 0.1 * generator.standard_normal(images.shape)
    return noisy.reshape(N_IMAGES, 256).clip(-1, 1)


@pytest.fixture
def usps() -> UspsDigits:
    """Test images of two digits, interleaved with a third one; training images of no use."""
    ones, twos = bars(6, odd=4, seed=0), bars(8, odd=17, seed=1)
    X = np.stack([ones, np.zeros_like(ones), twos], axis=1).reshape(-1, 256)
    y = np.tile([1, 7, 2], N_IMAGES)
    return UspsDigits(np.ones((5, 256)), np.array([1, 1, 2, 2, 7]), X, y)


@pytest.fixture(scope="module")
def cloud() -> np.ndarray:
    """Points in enough dimensions for many of them to lie on the edge, and two far away."""
    X = np.random.default_rng(2).standard_normal((60, 12)) * np.logspace(-2, 3, 12)
    X[7] *= 3.0
    X[31] *= -4.0
    return X


@pytest.fixture(scope="module")
def detector(cloud: np.ndarray) -> HyperkernelNoveltyDetector:
    return HyperkernelNoveltyDetector(nu=0.2).fit(cloud)


def test_order_is_outside_edge_inside(
    cloud: np.ndarray, detector: HyperkernelNoveltyDetector
) -> None:
    order = novelty_order(detector, cloud)
    assert sorted(order) == list(range(len(cloud)))
    assert set(order[:2]) == {7, 31}
    decision = detector.decision_function(cloud)[order]
    multipliers = np.zeros(len(cloud))
    multipliers[detector.support_] = detector.dual_coef_[0]
    multipliers = multipliers[order]
    # Novelty never decreases by either measure, whichever part of the order we are in.
    assert (np.diff(multipliers) <= 1e-9).all()
    assert (np.diff(decision) >= -1e-6 * abs(detector.offset_)).all()
    outside = multipliers > (1 - 1e-9) / (0.2 * 60)
    edge = (multipliers > 0) & ~outside
    assert outside.any()
    assert edge.sum() >= 8, "enough for rounding not to have them in this order by chance"
    assert (multipliers == 0).any()


def test_order_does_not_depend_on_the_order_of_the_rows(
    cloud: np.ndarray, detector: HyperkernelNoveltyDetector
) -> None:
    shuffle = np.random.default_rng(3).permutation(len(cloud))
    again = HyperkernelNoveltyDetector(nu=0.2).fit(cloud[shuffle])
    order = shuffle[novelty_order(again, cloud[shuffle])]
    np.testing.assert_array_equal(order, novelty_order(detector, cloud))


def test_the_odd_image_of_each_digit_comes_first(tmp_path: Path, usps: UspsDigits) -> None:
    table = reproduce_figure5(RunOptions(tmp_path, quiet=True), usps)
    for digit, odd in ((1, 4), (2, 17)):
        images = usps.X_test[usps.y_test == digit]
        each = figure5.rank_digit(digit, images)
        np.testing.assert_array_equal(each.images[0], images[odd])
        row = {column: cell.found[0] for column, cell in table.rows()[f"‘{digit}’",].items()}
        np.testing.assert_array_equal(
            each.images[np.lexsort(each.images.T)], images[np.lexsort(images.T)]
        )
        assert row["images"] == N_IMAGES
        assert row["at most νn"] == pytest.approx(2.0)
        assert row["called novel"] <= 2
        # At least νn points have a multiplier, and those are outside or on the edge.
        assert row["called novel"] + row["on the edge"] >= 2
        assert 1 <= row["pivots with weight"] <= row["of pivots"] <= 150
        assert 0 <= row["gap"] <= 1e-6
    assert (tmp_path / "figure5.png").is_file()
    assert table.notes[-1] == f"The picture is in {tmp_path / 'figure5.png'}."


def test_novel_images_are_drawn_above_typical_ones() -> None:
    ranked = [
        RankedDigit(digit, np.linspace(-1, digit / 10, 30)[:, None] * np.ones(256), {})
        for digit in (1, 2)
    ]
    figure = Figure()
    figure5.draw_novel_digits(figure, ranked)
    axes = np.reshape(figure.axes, (4, figure5.SHOWN))
    assert [ax.get_ylabel() for ax in axes[:, 0]] == [
        "novel ‘1’",
        "novel ‘2’",
        "typical ‘1’",
        "typical ‘2’",
    ]
    expected = [each.images[:12] for each in ranked] + [each.images[:-13:-1] for each in ranked]
    for line, images in zip(axes, expected, strict=True):
        for ax, image in zip(line, images, strict=True):
            (drawn,) = ax.get_images()
            np.testing.assert_array_equal(drawn.get_array(), image.reshape(16, 16))
            assert drawn.get_clim() == (-1.0, 1.0), "all images on one scale of grey"


def test_fewer_images_than_places_leave_places_empty() -> None:
    figure = Figure()
    figure5.draw_novel_digits(figure, [RankedDigit(1, np.zeros((5, 256)), {})])
    assert [len(ax.get_images()) for ax in figure.axes] == 2 * ([1] * 5 + [0] * 7)


def test_without_matplotlib_the_table_comes_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usps: UspsDigits
) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.figure")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    table = reproduce_figure5(RunOptions(tmp_path, quiet=True), usps)
    assert len(table.rows()) == 2
    assert "figure5.png was not drawn" in table.notes[-1]
    assert 'pip install "kernlearn[plot]"' in table.notes[-1]


def test_a_folder_without_the_digits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"put usps.npz into .*images"):
        reproduce_figure5(RunOptions(tmp_path, data_dir=tmp_path, quiet=True))
