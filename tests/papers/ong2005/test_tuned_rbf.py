"""The rival, tuned by cross-validation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC, SVR

from kernlearn.papers.ong2005.tuned_rbf import RBFSearch, candidate_widths, tuned_svm, tuned_svr
from kernlearn.papers.splits import TrainTestSplit

FEW = RBFSearch(C=(0.01, 1.0, 1e4), folds=5)


@pytest.fixture(scope="module")
def rings() -> TrainTestSplit:
    """A disc in a ring: no line separates them, a Gaussian kernel does."""
    generator = np.random.default_rng(0)
    y = generator.choice(np.array([-1, 1]), size=150)
    radius = np.where(y > 0, 1.0, 2.5) + 0.15 * generator.standard_normal(150)
    angle = generator.uniform(0, 2 * np.pi, size=150)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return TrainTestSplit(X[:90], y[:90], X[90:], y[90:])


@pytest.fixture(scope="module")
def wave() -> TrainTestSplit:
    """A smooth function with a little noise, in units of thousands."""
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, size=(100, 1))
    y = 5000.0 * np.sin(X[:, 0]) + 100.0 * generator.standard_normal(100)
    return TrainTestSplit(X[:60], y[:60], X[60:], y[60:])


def test_it_finds_parameters_that_work_and_the_test_targets_have_no_say(
    rings: TrainTestSplit, wave: TrainTestSplit
) -> None:
    flipped = replace(rings, y_test=-rings.y_test)
    one, other = tuned_svm(rings, 0, FEW), tuned_svm(flipped, 0, FEW)
    assert one["error"] <= 5
    assert one["C"] in (1.0, 1e4)
    assert one["error"] + other["error"] == pytest.approx(100)
    assert (one["C"], one["width"]) == (other["C"], other["width"])
    shifted = replace(wave, y_test=wave.y_test + 1e6)
    one, other = tuned_svr(wave, 0, FEW), tuned_svr(shifted, 0, FEW)
    # The noise has the variance 1e4, the targets one of 1.25e7.
    assert one["mse"] < 3e4
    assert one["C"] == 1e4
    assert (one["C"], one["width"]) == (other["C"], other["width"])
    assert other["mse"] == pytest.approx(1e12, rel=0.02)


def test_the_widths_are_quantiles_of_the_distances_in_a_fifth(rings: TrainTestSplit) -> None:
    squared = euclidean_distances(rings.X, squared=True)
    sample = np.random.default_rng(5).choice(150, 30, replace=False)
    pairs = [np.sqrt(squared[i, j]) for n, i in enumerate(sample) for j in sample[:n]]
    expected = np.quantile(pairs, [0.1, 0.3, 0.5, 0.7, 0.9])
    np.testing.assert_allclose(candidate_widths(rings.X, 5, RBFSearch()), expected)
    whole = RBFSearch(sample_share=1.0)
    everything = squared[np.triu_indices(150, 1)]
    expected = np.sqrt(np.quantile(everything, [0.1, 0.9]))
    np.testing.assert_allclose(candidate_widths(rings.X, 5, whole)[::4], expected, rtol=1e-3)


def test_equal_points_give_no_width_of_zero() -> None:
    X = np.repeat(np.arange(3.0), 20)[:, None]
    assert min(candidate_widths(X, 0, FEW)) > 0


@pytest.mark.parametrize("C", [0.01, 100.0])
def test_with_one_candidate_it_is_that_machine(
    rings: TrainTestSplit, wave: TrainTestSplit, C: float
) -> None:
    one = RBFSearch(C=(C,), quantiles=(0.3,))
    noisy = replace(rings, y_train=rings.y_train * np.where(np.arange(90) % 5, 1, -1))
    found = tuned_svm(noisy, 0, one)
    machine = SVC(C=C, gamma=0.5 / found["width"] ** 2).fit(noisy.X_train, noisy.y_train)
    expected = 100 * (1 - machine.score(noisy.X_test, noisy.y_test))
    assert found["error"] == pytest.approx(expected)
    # C and ε are in the units of the raw targets, whatever the unit of the computation.
    found = tuned_svr(wave, 0, one)
    regressor = SVR(C=C, gamma=0.5 / found["width"] ** 2, epsilon=0.1, tol=1e-6)
    predicted = regressor.fit(wave.X_train, wave.y_train).predict(wave.X_test)
    assert found["mse"] == pytest.approx(np.mean((predicted - wave.y_test) ** 2), rel=1e-3)
