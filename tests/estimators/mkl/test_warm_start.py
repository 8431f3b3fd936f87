"""Beginning near the weights of the last fit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import scale

import kernlearn as kl
from kernlearn.kernels import Gaussian, Linear, Normalized

KERNELS = [Normalized(Linear()), *(Gaussian(gamma) for gamma in (1e-3, 1e-2, 1e-1, 1.0))]
ALONG_C = np.logspace(-1, 1, 3)


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:60], y[:60]


def solved(model, X, y):
    """Objectives at every C, one after the other with one model, and all machine solves."""
    objectives, solves = [], 0
    for C in ALONG_C:
        model.set_params(C=C).fit(X, y)
        objectives.append(model.objective_)
        solves += model.n_machine_solves_
    return np.array(objectives), solves


@pytest.mark.parametrize(
    ("quality", "weights"), [("soft_margin", "positive"), ("squared_soft_margin", "free")]
)
def test_the_solution_is_the_same_and_comes_sooner(tumours, quality, weights):
    model = kl.MKLClassifier(KERNELS, quality=quality, weights=weights)
    cold, cold_solves = solved(model, *tumours)
    warm_model = clone(model).set_params(options__warm_start=True)
    warm, warm_solves = solved(warm_model, *tumours)
    np.testing.assert_allclose(warm, cold, rtol=2e-6)
    assert warm_solves < cold_solves


def test_other_estimators_have_it_too():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:80], scale(y[:80])
    for model in (kl.MKLRegressor(KERNELS), kl.HyperkernelRegressor(random_state=0)):
        cold = model.set_params(C=1.0).fit(X, y).objective_
        model.set_params(C=10.0).fit(X, y)
        again = model.set_params(C=1.0, options__warm_start=True).fit(X, y).objective_
        assert again == pytest.approx(cold, rel=2e-6)


def test_another_number_of_kernels_is_a_fresh_start(tumours):
    model = kl.MKLClassifier(KERNELS, options=kl.MKLOptions(warm_start=True)).fit(*tumours)
    model.set_params(kernels=KERNELS[:3]).fit(*tumours)
    fresh = kl.MKLClassifier(KERNELS[:3]).fit(*tumours)
    np.testing.assert_array_equal(model.weights_, fresh.weights_)


def test_a_start_where_no_machine_would_have_a_value(tumours):
    X, y = tumours
    # On its own the constant kernel separates nothing: only a trace of the others helps.
    grams = np.stack([np.ones((len(X), len(X))), Gaussian(1.0)(X), Gaussian(0.1)(X)])
    cold = kl.learn_weights(grams, y, quality="hard_margin")
    warm = kl.learn_weights(grams, y, quality="hard_margin", start=[1.0, 0.0, -1.0])
    assert warm.status.is_optimal
    assert warm.objective == pytest.approx(cold.objective, rel=2e-6)


@pytest.mark.parametrize("start", [[1.0], [1.0, np.nan], "ab", [[1.0, 2.0]]])
def test_a_wrong_start_is_refused_in_a_sentence(start):
    K = np.eye(4)
    with pytest.raises(ValueError, match="expected start of shape \\(2,\\)"):
        kl.learn_weights([K, 2 * K], [1, 1, -1, -1], start=start)
