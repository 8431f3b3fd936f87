"""The evidence of first-level learning against integrals by sums, and its use by the estimators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from kernlearn import FirstLevelClassifier, FirstLevelRegressor
from kernlearn.families.parametric import ARDGaussianFamily, GaussianFamily
from kernlearn.quality.logistic_evidence import INTERCEPT_VARIANCE, negative_log_evidence
from kernlearn.quality.logistic_mode import find_logistic_mode
from kernlearn.quality.registry import Settings
from kernlearn.solvers.first_level.evidence import evidence_at
from kernlearn.solvers.first_level.loss_point import MachineLoss
from kernlearn.solvers.first_level.problem import FirstLevelProblem, alone


def table(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)


def trained(family, lam, mu, d=3):
    X, y = table(d=d)
    Y = (y - y.mean())[:, None]
    problem = FirstLevelProblem(family, X, Y, np.ones(len(X)), np.asarray(family.start(X)))
    descent = alone(problem.descent(problem.scale, lam, mu, 1e-12, 200))
    return problem, descent.point


def test_it_is_the_integral_over_the_kernel_parameter():
    """Over w and b in closed form, over θ by a sum of J's neighbourhood."""
    lam, mu = 0.3, 40.0
    problem, point = trained(GaussianFamily(), lam, mu)
    n = len(problem.X)
    beta = (n - 1) / (2 * float(point.objective))
    std = 1 / np.sqrt(beta * point.hessian[0, 0])
    found = evidence_at(point)
    # The posterior of Laplace: the same slope of |P| everywhere, and J as it is.
    thetas = np.linspace(max(point.theta[0] - 8 * std, 1e-9), point.theta[0] + 8 * std, 801)
    J = np.array([problem.at(np.array([t]), lam, mu).objective for t in thetas])
    over_theta = np.trapezoid(np.exp(-beta * (J - float(point.objective))), thetas)
    contrasts = np.linalg.svd(np.eye(n) - 1 / n)[0][:, :-1]
    A = contrasts.T @ (point.K + lam * np.eye(n)) @ contrasts / (beta * lam)
    density = multivariate_normal(np.zeros(n - 1), A).logpdf(contrasts.T @ problem.Y[:, 0])
    prior = np.log(2 * np.sqrt(beta * mu / (2 * np.pi))) - 0.5 * beta * mu * point.theta[0] ** 2
    # Laplace's form is exact up to the third derivative of J.
    assert -found.value == pytest.approx(density + prior + np.log(over_theta), abs=0.05)
    assert found.std[0] == pytest.approx(std, rel=0.05)


def test_a_parameter_at_zero_has_half_a_posterior():
    problem, point = trained(ARDGaussianFamily(), 0.5, 1e4)
    assert point.theta.min() >= problem.low.min()
    found = evidence_at(point)
    assert np.isfinite(found.value)
    assert ((found.std > 0) & (found.p_values > 0) & (found.p_values <= 1)).all()


def test_no_other_lam_or_mu_has_more_evidence():
    X, y = table(60, 4)
    model = FirstLevelRegressor(lam="evidence", mu="evidence").fit(X, y)
    assert model.status_.has_converged
    assert model.cv_loss_ is None
    for factor in (0.5, 2.0):
        other_lam = FirstLevelRegressor(lam=factor * model.lam_, mu="evidence").fit(X, y)
        other_mu = FirstLevelRegressor(lam="evidence", mu=factor * model.mu_).fit(X, y)
        assert max(other_lam.log_evidence_, other_mu.log_evidence_) < model.log_evidence_
        assert other_lam.lam_ == factor * model.lam_


def test_columns_that_matter_are_told_from_noise():
    X, y = table(100, 5)
    for model in (
        FirstLevelRegressor(lam="evidence", mu="evidence").fit(X, y),
        FirstLevelClassifier(lam="evidence", mu="evidence").fit(X, y > 0),
    ):
        assert model.theta_p_[:2].max() < 0.05 < model.theta_p_[2:].min()
        assert (model.theta_std_ > 0).all()
    assert FirstLevelRegressor(lam=1.0, mu=1.0).fit(X[:20], y[:20]).theta_p_ is None


def test_of_classes_it_is_the_integral_with_the_logistic_likelihood():
    """Over w and b as in Gaussian processes of classes, over θ by a sum of J's neighbourhood."""
    lam, mu = 0.2, 10.0
    X, y = table()
    signs = np.where(y > np.median(y), 1.0, -1.0)
    family, ones = GaussianFamily(), np.ones(len(X))
    loss = MachineLoss("logistic", Settings(1.0, 0.3, 0.1, ones, 0.5))
    start = np.asarray(family.start(X))
    problem = FirstLevelProblem(family, X, signs[:, None], ones, start, loss=loss)
    point = alone(problem.descent(problem.scale, lam, mu, 1e-12, 200)).point
    found = evidence_at(point)
    std = 1 / np.sqrt(point.hessian[0, 0])
    thetas = np.linspace(max(point.theta[0] - 8 * std, 1e-9), point.theta[0] + 8 * std, 61)
    J = np.array([problem.at(np.array([t]), lam, mu).objective for t in thetas])
    over_theta = np.trapezoid(np.exp(point.objective - J), thetas)
    mode = find_logistic_mode(point.K / lam + INTERCEPT_VARIANCE, signs, ones)
    prior = np.log(2 * np.sqrt(mu / (2 * np.pi))) - 0.5 * mu * point.theta[0] ** 2
    expected = negative_log_evidence(mode) - prior - np.log(over_theta)
    # Laplace's form is exact up to the third derivative of J, and J has no prior of b.
    assert found.value == pytest.approx(expected, abs=0.1)


def test_no_other_lam_or_mu_has_more_evidence_of_classes():
    X, y = table(d=2)
    y = y > np.median(y)
    model = FirstLevelClassifier(lam="evidence", mu="evidence", loss="logistic").fit(X, y)
    assert model.status_.has_converged
    assert model.theta_std_.shape == model.theta_p_.shape == (2,)
    for name, value in {"lam": 0.6 * model.lam_, "mu": 1.6 * model.mu_}.items():
        chosen = {"lam": "evidence", "mu": "evidence", name: value}
        other = FirstLevelClassifier(**chosen, loss="logistic").fit(X, y)
        assert other.log_evidence_ < model.log_evidence_
