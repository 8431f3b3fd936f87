"""A few targets that are far off do not rule the model, and ordinary tables keep theirs."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture.targets.outlying import (
    has_outliers,
    is_better,
    pseudo_targets,
)

FEW = ["linear", "Gaussian"]


def law(n, seed=0, sided=True):
    """Rows, targets of which a twentieth is far off, and the law."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    truth = X @ [2.0, -1.0, 0.5]
    y = truth + 0.3 * rng.normal(size=n)
    y[: n // 20] += 50.0 * (rng.choice([-1.0, 1.0], n // 20) if sided else 1.0)
    return X, y, truth


@pytest.mark.parametrize("sided", [True, False])
def test_outlying_targets_do_not_rule_the_model(sided):
    X, y, truth = law(100, sided=sided)
    model = kl.KernelRegressor(FEW).fit(X, y)
    assert model.has_outliers_
    assert np.sqrt(np.mean((model.predict(X) - truth) ** 2)) < 0.2
    # Scores and intervals are of targets as they come.
    assert model.held_out_score_ < 0.5
    low, high = model.predict_interval(X, 0.98).T
    assert np.median(high - low) > 20.0
    low, high = model.predict_interval(X, 0.8).T
    assert np.median(high - low) < 2.0


def test_ordinary_and_skewed_targets_are_learned_as_they_are():
    X, _, truth = law(100)
    rng = np.random.default_rng(1)
    for y in (truth + rng.normal(size=100), np.exp(0.5 * truth + rng.normal(size=100))):
        assert not kl.KernelRegressor(["linear"]).fit(X, y).has_outliers_


def test_targets_of_which_most_are_the_same_are_left_alone():
    X, y, _ = law(60)
    y[12:] = 0.0  # amounts that most people do not give
    assert pseudo_targets(X, y[:, None], np.ones(60), [], np.random.RandomState(0)) is None


def test_rows_that_the_pilot_did_not_see_are_pulled_in_too():
    X, y, truth = law(160)
    pulled = pseudo_targets(X, y[:, None], np.ones(160), [], np.random.RandomState(0), 100)
    assert np.abs(pulled[:, 0] - truth).max() < 1.2
    assert np.mean(pulled[:, 0] != y) < 0.25
    usual = truth[:, None] + np.random.default_rng(2).normal(size=(160, 1))
    assert pseudo_targets(X, usual, np.ones(160), [], np.random.RandomState(0), 100) is None


def test_several_targets_are_pulled_in_each_by_its_own_scale():
    X, y, truth = law(120)
    Y = np.column_stack([y, 1000.0 * truth])
    pulled = pseudo_targets(X, Y, np.ones(120), [], np.random.RandomState(0))
    assert np.abs(pulled[:, 0] - truth).max() < 1.5
    np.testing.assert_allclose(pulled[:, 1], Y[:, 1], atol=50.0)


def test_a_mean_is_not_given_up_for_a_median():
    y = np.random.default_rng(0).lognormal(sigma=1.5, size=(300, 1))
    assert has_outliers(y - y.mean())
    assert not is_better(y - np.median(y), y - y.mean(), np.ones(300))
