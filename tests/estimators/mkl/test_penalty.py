"""Penalties of the estimators: any object, strengths by held-out loss, kernels of other studies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.kernels import Columns, Gaussian, Linear
from kernlearn.penalties import ElasticNet, GroupNorm, LpNorm, NearKernel

KERNELS = [
    Columns([0, 1], Gaussian(0.5), name="left"),
    Columns([0, 1], Gaussian(5.0), name="left"),
    Columns([2], Linear(), name="right"),
]


def _table(n=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] * X[:, 1] + 0.1 * X[:, 2] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("penalty", [LpNorm(1.5), ElasticNet(), GroupNorm()], ids=repr)
def test_the_strength_is_that_of_the_smallest_held_out_loss(penalty):
    X, y = _table()
    options = kl.MKLOptions(penalty=penalty)
    model = kl.MKLRegressor(KERNELS, quality="least_squares", options=options).fit(X, y)
    strengths, losses = model.loss_by_strength_.T
    assert len(strengths) == 4
    assert model.penalty_strength_ == strengths[losses.argmin()]
    assert model.duality_gap_ <= 1e-6
    fixed = penalty.with_strength(model.penalty_strength_)
    if isinstance(penalty, GroupNorm):
        fixed = GroupNorm(["left", "left", "right"], fixed.strength)
    again = kl.MKLRegressor(
        KERNELS, quality="least_squares", options=kl.MKLOptions(penalty=fixed)
    ).fit(X, y)
    assert again.objective_ == pytest.approx(model.objective_, rel=2e-6)
    assert not hasattr(again, "loss_by_strength_")


def test_any_object_is_a_penalty():
    class Squares:
        def value(self, weights):
            return 50.0 * float(weights @ weights)

        def gradient(self, weights):
            return 100.0 * weights

        def hessian(self, weights):
            return 100.0 * np.eye(len(weights))

    X, y = _table()
    models = [
        kl.MKLClassifier(KERNELS, options=kl.MKLOptions(penalty=penalty)).fit(X, y > 0)
        for penalty in (Squares(), LpNorm(2.0, 100.0))
    ]
    np.testing.assert_allclose(models[0].weights_, models[1].weights_, rtol=1e-4)


def test_a_saved_kernel_of_another_table_is_stayed_near_to(tmp_path):
    X, y = _table(80, seed=1)
    kl.save(kl.MKLRegressor(KERNELS, quality="least_squares").fit(X, y), tmp_path / "there.kl")
    prior = kl.load(tmp_path / "there.kl").kernel_
    X, y = _table(15, seed=2)

    def apart(penalty):
        options = kl.MKLOptions(penalty=penalty)
        K = kl.MKLRegressor(KERNELS, quality="least_squares", options=options).fit(X, y).kernel_(X)
        K0 = prior(X)
        return np.linalg.norm(K / np.trace(K) - K0 / np.trace(K0))

    assert apart(NearKernel(prior, 1e4)) < 0.01 * apart(None)


def test_a_hyperkernel_stays_near_an_expansion():
    X, y = _table(25)
    first = kl.HyperkernelRegressor(max_pivots=8).fit(X, y)
    near = kl.HyperkernelOptions(near=first.kernel_)
    rows = slice(0, 12)

    def distance(options):
        model = kl.HyperkernelRegressor(
            first.hyperkernel_, lambda_q=100.0, max_pivots=8, options=options
        ).fit(X[rows], y[rows] + X[rows, 2])
        assert model.duality_gap_ <= 1e-6
        return np.linalg.norm(model.kernel_(X) - first.kernel_(X))

    assert distance(near) < 0.5 * distance(None)
    with pytest.raises(ValueError, match=r"expected near to be an expansion .*, got Linear"):
        kl.HyperkernelRegressor(options=kl.HyperkernelOptions(near=Linear())).fit(X, y)


@pytest.mark.parametrize("quality", ["least_squares", "epsilon_svr"])
def test_landmarks_take_penalties_as_gram_matrices_do(quality):
    X, y = _table(40)
    penalty = GroupNorm(strength=0.5)
    exact, seen = (
        kl.MKLRegressor(
            KERNELS, quality=quality, C=2.0, rank=rank, options=kl.MKLOptions(penalty=penalty)
        ).fit(X, y)
        for rank in (None, 40)
    )
    assert seen.rank_ is not None
    assert seen.duality_gap_ <= 1e-6
    # The median, which a machine takes off its targets, changes nothing.
    assert seen.objective_ == pytest.approx(exact.objective_, rel=1e-5)
    np.testing.assert_allclose(seen.weights_, exact.weights_, atol=1e-2 * exact.weights_.max())
    free = kl.MKLRegressor(KERNELS, quality=quality, C=2.0, rank=40).fit(X, y)
    assert seen.objective_ > free.objective_ * (1 + 1e-4)


def test_a_sample_chooses_the_strength_for_all_rows():
    X, y = _table(120)
    options = kl.MKLOptions(penalty=ElasticNet())
    model = kl.MKLRegressor(KERNELS, quality="least_squares", C=1.0, rank=20, options=options)
    model._engine = replace(model._engine, choices=replace(model._engine.choices, rows_for_C=60))
    strengths, losses = model.fit(X, y).loss_by_strength_.T
    assert model.penalty_strength_ == strengths[losses.argmin()]
    exact = kl.MKLRegressor(KERNELS, quality="least_squares", C=1.0, options=options).fit(X, y)
    np.testing.assert_allclose(strengths, exact.loss_by_strength_[:, 0], rtol=0.4)
    assert model.duality_gap_ <= 1e-6


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (kl.MKLNoveltyDetector(KERNELS), "a given strength for MKLNoveltyDetector, got LpNorm"),
        (
            kl.MKLRegressor(KERNELS, rank=5, options=kl.MKLOptions(penalty=NearKernel(Linear()))),
            "rank=None with a penalty that compares Gram matrices, NearKernel",
        ),
        (
            kl.MKLRegressor(KERNELS, weights="free", rank=5),
            "rank=None with a penalty on weights of both signs, got 5",
        ),
    ],
    ids=["novelty", "prior", "free"],
)
def test_penalties_that_do_not_fit_are_refused(model, message):
    X, y = _table()
    if model.options is None:
        model.set_params(options=kl.MKLOptions(penalty=LpNorm(1.5)))
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
