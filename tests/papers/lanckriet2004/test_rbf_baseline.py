"""The tuned Gaussian SVM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

from kernlearn.papers.lanckriet2004.rbf_baseline import Norm, RBFGrid, tuned_rbf_accuracy
from kernlearn.papers.splits import TrainTestSplit

GRID = RBFGrid(relative_sigmas=(1 / 32, 1 / 4, 2.0), C=(0.1, 10.0, 1000.0))


@pytest.fixture(scope="module")
def rings() -> TrainTestSplit:
    """A disc in a ring: no line separates them, a Gaussian kernel does."""
    generator = np.random.default_rng(0)
    y = generator.choice(np.array([-1, 1]), size=150)
    radius = np.where(y > 0, 1.0, 2.5) + 0.15 * generator.standard_normal(150)
    angle = generator.uniform(0, 2 * np.pi, size=150)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return TrainTestSplit(X[:120], y[:120], X[120:], y[120:])


@pytest.mark.parametrize("norm", ["hard", "2-norm"])
def test_finds_a_width_that_works(rings: TrainTestSplit, norm: Norm) -> None:
    assert tuned_rbf_accuracy(rings, norm, 0, GRID) >= 96


def test_test_labels_have_no_say_in_the_choice_of_one_that_works(rings: TrainTestSplit) -> None:
    flipped = replace(rings, y_test=-rings.y_test)
    accuracy = tuned_rbf_accuracy(rings, "1-norm", 0, GRID)
    assert accuracy >= 96
    assert tuned_rbf_accuracy(flipped, "1-norm", 0, GRID) == pytest.approx(100 - accuracy)


@pytest.mark.parametrize("C", [0.01, 100.0])
def test_with_one_candidate_it_is_that_svm(rings: TrainTestSplit, C: float) -> None:
    noisy = replace(rings, y_train=rings.y_train * np.where(np.arange(120) % 5, 1, -1))
    one = RBFGrid(relative_sigmas=(0.25,), C=(C,))
    X = noisy.X[:120]
    distances = [((a - b) ** 2).sum() for i, a in enumerate(X) for b in X[:i]]
    machine = SVC(C=C, gamma=0.5 / (0.25 * np.median(distances))).fit(X, noisy.y_train)
    expected = 100 * machine.score(noisy.X[120:], noisy.y_test)
    assert tuned_rbf_accuracy(noisy, "1-norm", 0, one) == pytest.approx(expected)
