"""How digits are turned and faces drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from kernlearn.datasets import ImageSet
from kernlearn.papers.kondor2007 import PAPER, published
from kernlearn.papers.kondor2007.protocol import (
    DigitProtocol,
    FaceProtocol,
    draw_digits,
    draw_faces,
    rotated_images,
)


@pytest.fixture(scope="module")
def digits() -> ImageSet:
    generator = np.random.default_rng(0)
    y = generator.permutation(np.repeat([3, 8], [90, 80]))
    return ImageSet("digits", generator.random((170, 9, 9)), y)


@pytest.fixture(scope="module")
def faces() -> ImageSet:
    images = 0.1 + np.random.default_rng(0).random((400, 20, 15))
    return ImageSet("faces", images, np.repeat(np.arange(40), 10))


def test_an_image_is_turned_about_its_middle_by_up_to_45_degrees() -> None:
    bar = np.zeros((200, 41, 41))
    bar[:, 18:23, 20:36] = 1.0  # from the middle to the right
    images = rotated_images(bar, np.random.default_rng(0), 45.0)
    assert images.min() >= 0
    assert images.max() <= 1 + 1e-12
    rows, columns = np.mgrid[:41, :41] - 20
    weight = images.sum(axis=(1, 2))
    middles = [(images * grid).sum(axis=(1, 2)) / weight for grid in (rows, columns)]
    angles = np.degrees(np.arctan2(*middles))
    assert np.abs(angles).max() < 46
    assert angles.min() < -42
    assert angles.max() > 42
    np.testing.assert_allclose(np.hypot(*middles), 7.5, atol=0.1)


def test_digits_are_twenty_of_each_and_others_to_test_on(digits: ImageSet) -> None:
    sample = draw_digits(digits, 0, 0, DigitProtocol(largest_angle=0.0))
    assert np.unique(sample.y_train, return_counts=True)[1].tolist() == [20, 20]
    assert np.unique(sample.y_test, return_counts=True)[1].tolist() == [50, 50]
    both = np.vstack([sample.X_train, sample.X_test])
    assert pdist(both).min() > 1e-6, "no image is drawn twice"
    # Lengths tell the images apart, and whose they are.
    lengths = np.linalg.norm(digits.X, axis=1)
    near = np.abs(np.linalg.norm(both, axis=1)[:, None] - lengths[None])
    np.testing.assert_allclose(near.min(axis=1), 0.0, atol=1e-12)
    labels = np.concatenate([sample.y_train, sample.y_test])
    np.testing.assert_array_equal(digits.y[near.argmin(axis=1)], labels)


def test_samples_come_back_with_the_seed_and_differ_otherwise(
    digits: ImageSet, faces: ImageSet
) -> None:
    for draw, data in ((draw_digits, digits), (draw_faces, faces)):
        first = draw(data, 1, seed=5).X_train
        np.testing.assert_array_equal(first, draw(data, 1, seed=5).X_train)
        assert not np.array_equal(first, draw(data, 2, seed=5).X_train)
        assert not np.array_equal(first, draw(data, 1, seed=6).X_train)


def test_faces_have_length_one_and_keep_their_distances(faces: ImageSet) -> None:
    sample = draw_faces(faces, 3, seed=0)
    assert sample.X_train.shape == (20, 120)
    assert sample.X_test.shape == (100, 120)
    X = np.vstack([sample.X_train, sample.X_test])
    y = np.concatenate([sample.y_train, sample.y_test])
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1.0, rtol=1e-12)
    assert len(np.unique(y)) <= 30
    pictures = faces.X / np.linalg.norm(faces.X, axis=1, keepdims=True)
    for i, j in [(0, 1), (3, 19), (19, 20), (50, 119)]:
        cosines = pictures[faces.y == y[i]] @ pictures[faces.y == y[j]].T
        assert np.abs(cosines - X[i] @ X[j]).min() < 1e-12, "of two pictures of these people"


def test_twenty_strangers_are_not_drawn(faces: ImageSet) -> None:
    """With four training faces, two of one person are rare: without the rule most lack them."""
    for index in range(15):
        labels = draw_faces(faces, index, 0, FaceProtocol(n_train=4)).y_train
        assert len(np.unique(labels)) < 4


def test_the_paper_has_its_two_figures_and_their_numbers() -> None:
    assert PAPER.numbers("figure") == [1, 2]
    assert published.DIGITS_AUC == {"original space": 0.5575, "hyperkernel space": 0.7341}
    assert [seconds for seconds, _ in published.FACES_SECONDS.values()] == [7.63, 2.75, 2.08]
