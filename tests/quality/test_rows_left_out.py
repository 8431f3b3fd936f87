"""Decision values of rows left out one at a time, against machines trained without them."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.kernels import Gaussian, Linear
from kernlearn.quality.registry import QUALITIES, Settings
from kernlearn.quality.rows_left_out import values_left_out
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.engine.refits import refit_machines


def noisy(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)


def trained(K, y, quality, settings):
    s = kl.learn_weights(
        K[None],
        y,
        quality=quality,
        C=settings.C,
        sample_weight=settings.sample_weight,
        epsilon=settings.epsilon,
        constraint="sum",
        tol=1e-10,
    )
    return s.dual_coef, K @ s.dual_coef + s.intercept


def both(K, y, quality, C=3.0):
    """In closed form; by as many machines as rows; and where no other row changes its role."""
    n = len(y)
    settings = Settings(C, 0.3, 0.5, np.random.default_rng(0).uniform(0.5, 2.0, n))
    a, f = trained(K, y, quality, settings)
    left = values_left_out(QUALITIES[quality].build(y, settings), K, a, f)
    folds = [np.array([i]) for i in range(n)]
    refits = refit_machines(K, [y], quality, settings, folds, StoppingControl())
    upper = settings.upper if quality in ("soft_margin", "lagrangian") else np.inf
    upper = settings.epsilon * settings.upper if quality == "huber" else upper

    def role(coef):
        return (coef != 0) * 1 + (np.abs(coef) >= upper * (1 - 1e-9))

    changed = (role(refits.coef[:, :, 0]) != role(a)) & ~np.eye(n, dtype=bool)
    return left, refits.values[:, 0], ~changed.any(axis=1)


@pytest.mark.parametrize(
    ("quality", "C", "width"),
    [
        ("soft_margin", 1.0, 3.0),
        ("soft_margin", 0.3, 0.3),  # most coefficients are at their bound
        ("squared_soft_margin", 3.0, 3.0),
        ("hard_margin", 3.0, 30.0),
        ("lagrangian", 3.0, 3.0),
        ("least_squares", 3.0, 3.0),
        ("huber", 3.0, 3.0),  # half of the rows are beyond the threshold
    ],
)
def test_they_are_those_of_machines_without_the_row(quality, C, width):
    X, y = noisy(60)
    left, slowly, same = both(Gaussian(width)(X), y, quality, C)
    assert same.sum() >= 15
    np.testing.assert_allclose(left[same], slowly[same], atol=1e-4)
    right, slowly_right = (np.mean(values * y > 0) for values in (left, slowly))
    assert right == pytest.approx(slowly_right, abs=0.1)
    assert np.corrcoef(left, slowly)[0, 1] > 0.9


def test_one_newton_step_of_the_logistic_loss_is_all_but_the_machine_without_the_row():
    X, y = noisy(60)
    left, slowly, _ = both(Gaussian(0.3)(X), y, "logistic", 1.0)
    np.testing.assert_allclose(left, slowly, atol=0.02 * np.abs(slowly).max())
    # What training values miss is ten times as much.
    settings = Settings(1.0, 0.3, 0.1, np.random.default_rng(0).uniform(0.5, 2.0, 60))
    f = trained(Gaussian(0.3)(X), y, "logistic", settings)[1]
    assert np.abs(f - slowly).mean() > 10 * np.abs(left - slowly).mean()


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.3)])
def test_rows_that_are_there_twice_are_known_when_one_is_left_out(kernel):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(20, 2)), 2, axis=0)
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    left, slowly, _ = both(kernel(X), y, "hard_margin")
    assert np.isfinite(left).all()
    assert (left * y > 0.9).all()
    assert (slowly * y > 0.9).all()


def test_refits_are_made_where_it_cannot_be_told():
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    settings = Settings(0.1, 0.3, 0.1, np.ones(40))
    # All coefficients are at their bound.
    a, machine = 0.1 * y, QUALITIES["soft_margin"].build(y, settings)
    assert values_left_out(machine, np.eye(40), a, a) is None
    assert values_left_out(QUALITIES["nu_svm"].build(y, settings), np.eye(40), a, a) is None
    # No row has a role.
    np.testing.assert_array_equal(values_left_out(machine, np.eye(40), 0.0 * a, y), y)
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = kl.MKLClassifier([Gaussian(9.0)], C=1e-3).fit(X + y[:, None], y)
    assert np.isfinite(model.calibration_).all()
