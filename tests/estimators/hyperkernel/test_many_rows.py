"""Sections seen through landmarks: the exact problem where they are all rows, else near it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.hyperkernel.hyperkernel import through_rows
from kernlearn.families.kernel_pool import KernelPool, LandmarkPool
from kernlearn.families.section_pool import SectionPool
from kernlearn.hyperkernels import ARDHarmonic, Harmonic
from kernlearn.kernels import Gaussian
from kernlearn.solvers.engine.sections import SectionOptions


def data(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X * [1.0, 100.0], np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=n)


def test_all_sections_together_are_sections_one_by_one():
    X = data(40)[0] / [1.0, 100.0]
    hyperkernel, marks = ARDHarmonic(gammas=[0.5, 2.0]), np.array([1, 5, 9, 20, 33])
    pivots = np.stack([X[:7], X[7:14]], axis=1)
    together = SectionPool(hyperkernel, pivots, X, marks, block_numbers=2000)  # several blocks
    kernels = [hyperkernel.section(pair) for pair in pivots]
    one_by_one = LandmarkPool(KernelPool(kernels, X, 40, "trust"), marks)
    F = np.random.default_rng(1).normal(size=(2, 40)) * (np.arange(40) % 3 > 0)
    for name in ("forms", "exact_forms"):
        found, expected = (getattr(pool, name)(F, lambda: None) for pool in (together, one_by_one))
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(together.traces, one_by_one.traces, rtol=1e-12)
    assert (together.forms(F, lambda: None) < together.exact_forms(F, lambda: None)).all()


@pytest.mark.parametrize(
    "model",
    [
        kl.HyperkernelClassifier(Harmonic(0.6, 0.3), C=1.0, max_pivots=12),
        kl.HyperkernelClassifier(Harmonic(0.6, 0.3), "least_squares", C=1.0, max_pivots=12),
        kl.HyperkernelRegressor(Harmonic(0.6, 0.3), "epsilon_svr", C=1.0, max_pivots=12),
        kl.HyperkernelNoveltyDetector(Harmonic(0.6, 0.3), max_pivots=12),
    ],
    ids=["soft_margin", "least_squares", "epsilon_svr", "one_class"],
)
def test_with_all_rows_as_landmarks_the_optimum_is_the_exact_one(model):
    """Against the solver on Gram matrices, which is tested against the paper's programs."""
    X, y = data(45)
    X = X / [1.0, 100.0]
    y = y if isinstance(model, kl.HyperkernelRegressor) else y > 0
    model.set_params(options=kl.HyperkernelOptions(certify="exact"))
    exact = model.set_params(rank=None).fit(X, y).objective_
    found = model.set_params(rank=45).fit(X, y)
    assert found.rank_ > 10
    assert found.status_.is_optimal
    assert found.objective_ == pytest.approx(exact, rel=1e-5)
    assert found.exact_lower_bound_ == pytest.approx(exact, rel=1e-4)
    few = model.set_params(rank=8).fit(X, y)
    assert few.status_.is_optimal
    assert few.exact_lower_bound_ <= exact * (1 + 1e-9 * np.sign(exact))
    assert few.objective_ >= exact - 1e-5 * abs(exact)  # ZZᵀ ⪯ K, so the value can only rise


def test_more_rows_than_matrices_are_learned_from_and_predicted(monkeypatch, capsys):
    X, y = data(300)
    monkeypatch.setattr(
        kl.HyperkernelClassifier, "_engine", kl.HyperkernelClassifier._engine.__class__(200)
    )
    few = SectionOptions(landmarks=8, most_columns=40, first_rows=60)
    monkeypatch.setattr(kl.HyperkernelClassifier, "_section_options", few)
    model = kl.HyperkernelClassifier(C="auto", tol=1e-3, max_pivots=8, n_pairs=1000, verbose=1)
    model.fit(X[:250], y[:250] > 0)
    assert "of 8 pairs: it is" in capsys.readouterr().out
    assert model.rank_ > 8  # the held-out loss asks for more
    assert model.status_.is_optimal
    assert len(model.weights_) == len(model.pivots_) == 8
    assert model.score(X[250:], y[250:] > 0) > 0.8
    assert model.feature_scales_[1] > 20 * model.feature_scales_[0]
    assert model.loss_by_C_.shape[1] == 2
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_bandwidths_are_chosen_for_the_number_of_landmarks():
    K = Gaussian(2.0)(data(60)[0] / [1.0, 100.0])
    np.testing.assert_allclose(through_rows(K, 60), K, atol=1e-4)
    few = through_rows(K, 6)
    assert np.linalg.eigvalsh(K - few)[0] > -1e-10
    assert np.linalg.matrix_rank(few) == 6


def test_what_landmarks_cannot_do_is_said():
    X, y = data(30)
    with pytest.raises(ValueError, match=r"expected rank=None with quality='nu_svr', got 5"):
        kl.HyperkernelRegressor(rank=5).fit(X, y)
