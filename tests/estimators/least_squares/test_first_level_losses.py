"""First-level estimators with the logistic, Huber's and the pinball loss, and with other Ω(θ)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss

import kernlearn as kl
from kernlearn import FirstLevelClassifier, FirstLevelRegressor

P = kl.penalties
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
F = np.sin(2 * X[:, 0]) + X[:, 1]
LABELS = np.where(F + RNG.normal(size=80) > 0, "yes", "no")
NOISY = F + 0.1 * RNG.normal(size=80)
NOISY[:8] += 10.0
GIVEN = {"lam": 0.3, "mu": 2.0}


def test_probabilities_are_those_of_the_logistic_loss():
    model = FirstLevelClassifier(
        loss="logistic",
        lam=1.0,
        mu="cv",
        cv=2,
        tol=1e-1,
        options=kl.FirstLevelOptions(starts="one"),
    ).fit(X, LABELS)
    odds = np.exp(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], odds / (1.0 + odds), rtol=1e-9)
    # Without class or sample weights they sum to the frequency: the intercept is not penalised.
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(np.mean(LABELS == "yes"), abs=1e-8)
    left = 1.0 / (1.0 + np.exp(-model.loo_predictions_))
    assert model.loo_loss_ == pytest.approx(log_loss(LABELS == "yes", left), rel=1e-9)
    assert model.loo_loss_ < model.cv_loss_ < np.log(2.0)


def test_huber_is_not_moved_by_outliers():
    robust = FirstLevelRegressor(loss="huber", **GIVEN).fit(X, NOISY)
    squares = FirstLevelRegressor(**GIVEN).fit(X, NOISY)
    errors = [np.mean((model.predict(X[8:]) - F[8:]) ** 2) for model in (robust, squares)]
    assert errors[0] < 0.2 * errors[1]
    ends = robust.predict_interval(X[8:], 0.8)
    assert np.mean((NOISY[8:] > ends[:, 0]) & (NOISY[8:] < ends[:, 1])) > 0.7
    with pytest.raises(ValueError, match="loss='squared' for return_std=True, got loss='huber'"):
        robust.predict(X, return_std=True)


def test_a_wide_threshold_makes_squares_of_hubers_loss():
    wide = FirstLevelRegressor(loss="huber", epsilon=1e6, **GIVEN).fit(X, NOISY)
    squares = FirstLevelRegressor(**GIVEN).fit(X, NOISY)
    np.testing.assert_allclose(wide.theta_, squares.theta_, rtol=1e-5)
    np.testing.assert_allclose(wide.predict(X), squares.predict(X), rtol=1e-5)
    np.testing.assert_allclose(wide.loo_predictions_, squares.loo_predictions_, atol=1e-5)


def test_quantiles_have_their_share_of_targets_below():
    for level in (0.2, 0.8):
        model = FirstLevelRegressor(
            loss="quantile", options=kl.FirstLevelOptions(quantile=level), **GIVEN
        ).fit(X, NOISY)
        assert np.mean(model.predict(X) - 1e-6 > NOISY) <= level
        assert np.mean(model.predict(X) + 1e-6 >= NOISY) >= level


def test_the_unit_of_y_does_not_matter_to_huber():
    one, other = (
        FirstLevelRegressor(loss="huber", lam=0.3, mu=2.0 * s**2).fit(X, s * NOISY + 7.0)
        for s in (1.0, 100.0)
    )
    np.testing.assert_allclose((other.predict(X) - 7.0) / 100.0, one.predict(X) - 7.0, rtol=1e-5)


def test_a_prior_from_another_study_is_kept_where_mu_is_large():
    prior = np.array([0.7, 0.4, 0.0])
    model = FirstLevelClassifier(penalty=P.NearTheta(prior), lam=0.3, mu=1e6)
    np.testing.assert_allclose(model.fit(X, LABELS).theta_, prior, atol=1e-3)
    copied = clone(model)
    assert copied.penalty is not model.penalty
    np.testing.assert_array_equal(copied.penalty.theta0, prior)


def test_the_sum_of_theta_leaves_out_columns_and_mu_is_chosen():
    model = FirstLevelRegressor(
        penalty=P.L1Norm(), cv=2, tol=1e-1, options=kl.FirstLevelOptions(starts="one")
    )
    model.fit(X[8:], np.sin(2 * X[8:, 0]))
    assert model.theta_[0] > 10 * model.theta_[1:].max()
    assert model.mu_ > 0


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (FirstLevelClassifier(loss="huber"), "loss to be one of squared, logistic, got 'huber'"),
        (FirstLevelRegressor(loss="logistic"), "loss to be one of squared, huber, quantile"),
        (
            FirstLevelRegressor(loss="quantile", options=kl.FirstLevelOptions(quantile=0.0)),
            "quantile between 0 and 1, got 0.0",
        ),
        (FirstLevelRegressor(loss="huber", epsilon=-1.0), "expected epsilon ≥ 0, got -1.0"),
        (FirstLevelRegressor(loss="huber", mu=-1.0), "mu to be a positive number, got -1.0"),
        (FirstLevelRegressor(loss="huber", rank=9), "rank=None with loss='huber', got 9"),
        (
            FirstLevelRegressor(loss="huber", lam="evidence", mu="evidence"),
            "logistic loss and penalty=None with 'evidence', got loss='huber'",
        ),
        (FirstLevelRegressor(penalty=P.NearTheta([1.0])), "theta0 to hold 3 numbers, one for each"),
        (FirstLevelRegressor(penalty=P.LinearPenalty([1.0])), "a penalty on 3 parameters, got Lin"),
        (FirstLevelRegressor(penalty="l1"), "a penalty of kernlearn.penalties on θ, or None"),
    ],
)
def test_refusals(model, text):
    y = LABELS if isinstance(model, FirstLevelClassifier) else NOISY
    with pytest.raises(ValueError, match=text):
        model.fit(X, y)


def test_labels_are_no_targets_of_huber():
    with pytest.raises(ValueError, match=r"expected numbers in y, .*labels are what a classifier"):
        FirstLevelRegressor(loss="huber").fit(X, LABELS)
