"""The hyperkernel estimators, with the paper's own parameters, against the paper's own programs."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn import reference

X = np.random.default_rng(5).normal(size=(16, 3)) * [1.0, 100.0, 0.01]
NOISE = np.random.default_rng(6).normal(size=16)
Y = np.where(X[:, 0] + 0.5 * NOISE > 0, 1, -1)
TARGETS = 40.0 + 5.0 * np.sin(2.0 * X[:, 0]) + 0.02 * X[:, 1] + 0.3 * NOISE


def _expansion(model):
    hyperkernel = model.hyperkernel_
    return hyperkernel.sections(X, model.pivots_), hyperkernel(model.pivots_)


def _same_kernel(model, weights):
    sections, _ = _expansion(model)
    expected = np.tensordot(weights, sections, 1)
    np.testing.assert_allclose(model.kernel_(X), expected, atol=2e-4 * expected.max())


@pytest.mark.parametrize(
    ("lambda_q", "C", "squared"), [(1.0, 100.0, True), (0.01, 100.0, False), (0.1, 0.5, True)]
)
def test_regressor_is_program_31(lambda_q, C, squared):
    """With λ = 1/(Cm), ν, and 1ᵀβ = stddev(y); the function is [−K K]α less the offset."""
    model = kl.HyperkernelRegressor(
        C=C,
        lambda_q=lambda_q,
        nu=0.3,
        options=kl.HyperkernelOptions(squared=squared),
        max_pivots=6,
        tol=1e-9,
    ).fit(X, TARGETS)
    program = reference.ong_eq31(
        *_expansion(model), TARGETS, 1 / (C * 16), 0.3, lambda_q, squared=squared
    )
    assert model.objective_ == pytest.approx(program.value, rel=1e-6)
    _same_kernel(model, program.weights)
    f = model.kernel_(X) @ (program.alpha[16:] - program.alpha[:16])
    np.testing.assert_allclose(model.predict(X) - model.intercept_, f, atol=2e-4 * np.ptp(TARGETS))


@pytest.mark.parametrize(
    ("lambda_q", "nu", "squared"), [(1.0, 0.1, True), (0.05, 0.4, False), (0.05, 0.1, True)]
)
def test_novelty_detector_is_program_30(lambda_q, nu, squared):
    model = kl.HyperkernelNoveltyDetector(
        nu=nu,
        lambda_q=lambda_q,
        options=kl.HyperkernelOptions(squared=squared),
        max_pivots=6,
        tol=1e-9,
    ).fit(X)
    program = reference.ong_eq30(*_expansion(model), nu, lambda_q, squared=squared)
    assert model.objective_ == pytest.approx(program.value, rel=1e-6)
    _same_kernel(model, program.weights)
    f = model.kernel_(X) @ program.alpha
    np.testing.assert_allclose(model.score_samples(X), f, atol=2e-4 * f.max())


@pytest.mark.parametrize(
    ("quality", "program", "lambda_q"),
    [
        ("soft_margin", lambda S, P, lq: reference.ong_eq27(S, P, Y, 100.0 * 16, lq), 0.1),
        ("nu_svm", lambda S, P, lq: reference.ong_eq28(S, P, Y, 0.3, lq), 20.0),
        ("lagrangian", lambda S, P, lq: reference.ong_eq29(S, P, Y, 1 / (100.0 * 16), lq), 20.0),
    ],
)
def test_classifier_is_programs_27_to_29(quality, program, lambda_q):
    """The default box of 100 is the paper's 1/(λm)."""
    model = kl.HyperkernelClassifier(
        quality=quality, lambda_q=lambda_q, max_pivots=6, tol=1e-9
    ).fit(X, Y)
    expected = program(*_expansion(model), lambda_q)
    assert model.objective_ == pytest.approx(expected.value, rel=1e-6)
    _same_kernel(model, expected.weights)
