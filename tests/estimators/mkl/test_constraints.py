"""Constraints on the weights of an estimator, by number and by name, exact and by landmarks."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.constraints import AtLeast, AtMost, Group, Tie
from kernlearn.kernels import Columns, Gaussian, Linear

KERNELS = [Columns([0, 1], Gaussian(0.5), name="left"), Columns([2], Linear(), name="right")]


def _table(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] * X[:, 1] + 0.1 * X[:, 2] + 0.05 * rng.normal(size=n)


def _shares(model, X):
    terms = model.weights_ * [kernel.diag(X).sum() for kernel in model.kernels_]
    return terms / terms.sum()


@pytest.mark.parametrize("rank", [None, 30])
def test_a_name_holds_a_share_of_the_trace(rank, tmp_path):
    X, y = _table()
    options = kl.MKLOptions(constraints=[Group("left", at_most=0.6)], certify="exact")
    model = kl.MKLRegressor(KERNELS, quality="least_squares", rank=rank, options=options).fit(X, y)
    np.testing.assert_allclose(_shares(model, X), [0.6, 0.4])
    assert model.duality_gap_ <= 1e-6
    kl.save(model, tmp_path / "model.kl")
    loaded = kl.load(tmp_path / "model.kl")
    assert repr(loaded.options.constraints) == repr(options.constraints)


def test_free_signs_have_the_same_optimum_through_landmarks():
    X, y = _table()
    kernels = [*KERNELS, Columns([0, 1], Gaussian(3.0), name="left")]
    options = kl.MKLOptions(constraints=[AtMost(0, 0.2), Group("left", at_least=0.5)])
    exact, through = (
        kl.MKLRegressor(
            kernels,
            quality="least_squares",
            weights="free",
            normalize=True,
            rank=rank,
            options=options,
        ).fit(X, y)
        for rank in (None, 60)
    )
    assert through.duality_gap_ <= 1e-6
    assert through.objective_ == pytest.approx(exact.objective_, rel=3e-6)
    assert _shares(through, X)[0] <= 0.2 + 1e-9


def test_classes_and_novelties_take_constraints():
    X, y = _table()
    options = kl.MKLOptions(constraints=[Tie([0, 1])])
    for model in (
        kl.MKLClassifier(KERNELS, options=options),
        kl.MKLNoveltyDetector(KERNELS, options=options),
    ):
        np.testing.assert_allclose(_shares(model.fit(X, y > 0), X), [0.5, 0.5])


@pytest.mark.parametrize(
    "constraints",
    [
        [AtMost(j, 0.025) for j in range(66)],  # forty have weight: more than join in a round
        [AtLeast(60, 0.3), Tie([0, 8])],
    ],
    ids=["caps", "floor and tie"],
)
def test_a_family_is_constrained_as_the_list_of_its_kernels_is(constraints):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 11))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=20)
    family = kl.kernels.Grid(Gaussian(0.5), size=[1, 2])
    given = {
        "quality": "least_squares",
        "C": 1.0,
        "options": kl.MKLOptions(constraints=constraints),
    }
    found = kl.MKLRegressor(family, **given).fit(X, y)
    bound = family.bind(X)
    of_list = kl.MKLRegressor([bound[i] for i in range(len(bound))], **given).fit(X, y)
    assert found.status_.is_optimal
    assert found.objective_ == pytest.approx(of_list.objective_, rel=2e-6)
    assert found.lower_bound_ <= of_list.objective_
    free = kl.MKLRegressor(family, quality="least_squares", C=1.0).fit(X, y)
    assert found.objective_ > free.objective_ * (1 + 1e-4)
    shares = found.weights_ / found.weights_.sum()
    if len(constraints) == 66:
        assert shares.max() <= 0.025 * (1 + 1e-6)
    else:
        assert shares[60] >= 0.3 * (1 - 1e-6)
        assert shares[0] == pytest.approx(shares[8], abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"kernels": kl.kernels.GaussianRange(0.1, 1.0), "C": 1.0},
            "a list of kernels with constraints, got",
        ),
        (
            {"kernels": kl.kernels.PerColumn(Gaussian()), "C": "auto"},
            "a list of kernels with constraints and C='auto', got a family .* give C a number",
        ),
        (
            {"kernels": kl.kernels.PerColumn(Gaussian()), "C": 1.0, "rank": 5},
            "rank=None with constraints on a family of kernels, got 5",
        ),
        (
            {"kernels": [Linear()]},
            "the name of a kernel in .*, got 'left'; the kernels have no names",
        ),
    ],
)
def test_constraints_that_do_not_fit_are_refused(parameters, message):
    X, y = _table()
    options = kl.MKLOptions(constraints=[AtMost("left", 0.5)])
    with pytest.raises(ValueError, match=message):
        kl.MKLRegressor(**{"kernels": KERNELS, **parameters}, options=options).fit(X, y)
