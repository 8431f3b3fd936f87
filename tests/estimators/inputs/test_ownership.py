"""A fitted model is its own: nothing outside changes it, nor does a fit that fails."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.kernels import Gaussian

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(60, 3))
S = np.sin(X[:, 0]) + 0.1 * GENERATOR.normal(size=60)
FEW = ["linear", "Gaussian"]


def answers(model, rows=X):
    return np.asarray(getattr(model, "predict_proba", getattr(model, "predict", None))(rows))


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (kl.KernelRegressor(FEW), {"candidates": ["nope"]}),
        (kl.KernelClassifier(FEW), {"max_members": 0}),
        (kl.MKLClassifier(), {"C": -1}),
        (kl.MKLRegressor(), {"C": -1}),
        (kl.LSSVMRegressor(), {"lam": -1}),
        (kl.LSSVMClassifier(), {"lam": -1}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_fit_that_fails_leaves_the_model_as_it_was(model, wrong):
    y = np.where(S > 0, "yes", "no") if hasattr(model, "predict_proba") else S
    other = np.where(S > 0, "cat", "dog") if hasattr(model, "predict_proba") else 1000 * S + 5
    before = answers(model.fit(X, y))
    with pytest.raises(ValueError, match="expected"):
        model.set_params(**wrong).fit(X[:, :2], other)
    np.testing.assert_array_equal(answers(model), before)
    assert model.n_features_in_ == 3


def test_a_metric_is_left_as_it_was_too():
    model = kl.HyperkernelMetric(n_pairs=50).fit(X, S > 0)
    before = model.transform(X)
    with pytest.raises(ValueError, match="expected"):
        model.fit(X[:, :2], np.ones(60))
    np.testing.assert_array_equal(model.transform(X), before)


@pytest.mark.parametrize(
    "make",
    [
        lambda kernel: kl.KernelRegressor([kernel]),
        lambda kernel: kl.MKLRegressor([kernel + Gaussian(1.0)]),
        lambda kernel: kl.LSSVMRegressor(kernel),
    ],
    ids=["KernelRegressor", "MKLRegressor", "LSSVMRegressor"],
)
def test_neither_the_kernel_nor_the_rows_of_the_user_change_it(make):
    kernel, rows = Gaussian(0.2), X.copy()
    model = make(kernel).fit(rows, S)
    before = answers(model)
    kernel.set_params(gamma=50.0)
    rows *= 3.0
    np.testing.assert_array_equal(answers(model), before)


def test_a_fit_does_not_touch_the_generator_of_numpy():
    drawn = []
    for _ in range(2):
        np.random.seed(1)  # noqa: NPY002
        if drawn:
            kl.KernelRegressor(["sparse linear"]).fit(X, S)
        drawn.append(np.random.rand())  # noqa: NPY002
    assert drawn[0] == drawn[1]


def test_equal_weights_are_no_weights():
    model = kl.KernelRegressor(FEW)
    plain = answers(model.fit(X, S))
    np.testing.assert_array_equal(answers(model.fit(X, S, sample_weight=np.full(60, 7.3))), plain)


def test_huge_units_are_units():
    model = kl.KernelRegressor(FEW)
    plain = answers(model.fit(X, S))
    huge = answers(model.fit(X * 1e160, S), X * 1e160)
    np.testing.assert_allclose(huge, plain, rtol=1e-6)


def test_logarithms_may_be_asked_for_alone():
    model = kl.KernelRegressor(["log target"], random_state=0).fit(X[:24], np.exp(2 * S[:24]))
    assert any("log target" in name for name in model.candidates_["candidate"])
