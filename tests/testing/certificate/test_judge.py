"""The judge of certificates: what is true has no complaint, and what is false has one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.testing.certificate import Case, complaints
from kernlearn.testing.certificate.judge import moved_into_cone


@pytest.mark.parametrize("weights", ["positive", "free"])
@pytest.mark.parametrize("change", [0.01, -0.01])
def test_the_judge_sees_a_false_determinant(weights, change):
    X = np.random.default_rng(0).normal(size=(9, 2))
    grams = np.array([kl.kernels.Gaussian(gamma)(X) for gamma in (0.3, 1.0, 3.0)])
    options = {"quality": "max_determinant", "weights": weights, "total": 5.0}
    stated = Case(grams, np.ones(9), **options)
    solution = kl.learn_weights(grams, **options)
    assert complaints(stated, solution) == []
    wrong = replace(solution, objective=solution.objective + change)
    assert any("is " in said for said in complaints(stated, wrong))
    bound = solution.objective + abs(change)
    wrong = replace(solution, objective=bound, lower_bound=bound)
    assert any("above" in said for said in complaints(stated, wrong))


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(14, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=14) > 0, 1.0, -1.0)
    squares = ((X[:, None] - X[None]) ** 2).sum(-1)
    grams = np.array([X @ X.T, np.exp(-squares), np.exp(-0.1 * squares)])
    return Case(grams, y), kl.learn_weights(grams, y)


def test_a_true_certificate_has_no_complaint(case):
    assert complaints(*case) == []


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda s: {"lower_bound": s.objective * 1.001, "objective": s.objective * 1.002}, "above"),
        (lambda s: {"weights": s.weights * 1.01}, "sum to"),
        (lambda s: {"weights": s.weights - [1.0, 0.0, -0.2]}, "negative weight"),
        (lambda s: {"intercept": s.intercept + 0.1}, "the function returned"),
        (lambda s: {"dual_coef": s.dual_coef * 1.5}, "infeasible"),
        (lambda s: {"status": kl.results.Status.INACCURATE}, "status"),
    ],
)
def test_the_judge_sees_what_is_false(case, change, word):
    stated, solution = case
    said = complaints(stated, replace(solution, **change(solution)))
    assert any(word in sentence for sentence in said), said


# "breslow" is the quality "cox" with Breslow's ties.
FURTHER = ["logistic", "huber", "quantile", "ranking", "cox", "breslow"]


def _further(quality, weights):
    """A stated problem of a quality, and its solution."""
    rng = np.random.default_rng(3)
    X, s = rng.normal(size=(12, 2)), rng.uniform(0.3, 3.0, size=12)
    squares = ((X[:, None] - X[None]) ** 2).sum(-1)
    grams = np.array([X @ X.T, np.exp(-squares), np.exp(-0.1 * squares)])
    y = X[:, 0] + 0.5 * rng.normal(size=12)
    if quality == "logistic":
        y = np.sign(y)
    elif quality == "ranking":
        y, pairs = np.zeros(12), np.eye(12) - np.eye(12)[rng.permutation(12)]
        grams = pairs @ grams @ pairs.T
    elif quality in ("cox", "breslow"):
        event, time = rng.random(12) < 0.7, np.ceil(np.exp(y + 1.0))
        time[:2], event[:2] = 0.0, False
        y = np.array(list(zip(event, time, strict=True)), dtype=[("event", bool), ("time", float)])
    options = {"quality": quality, "weights": weights, "sample_weight": s, "C": 5.0}
    if quality == "breslow":
        options |= {"quality": "cox", "ties": "breslow"}
    return Case(grams, y, **options), kl.learn_weights(grams, y, **options)


@pytest.mark.parametrize("weights", ["positive", "free"])
@pytest.mark.parametrize("quality", FURTHER)
def test_the_judge_sees_what_is_false_of_further_qualities(quality, weights):
    stated, solution = _further(quality, weights)
    assert solution.status.is_optimal
    assert complaints(stated, solution) == []
    objective, coef = solution.objective, solution.dual_coef
    outside = coef.copy()
    outside[np.argmax(np.abs(coef))] *= 20.0
    low = objective * (1.0 - 1e-3)
    too_high = objective * 1.001
    for change, word in (
        ({"objective": low, "lower_bound": low}, "the function returned has"),
        ({"lower_bound": too_high, "objective": too_high}, "above"),
        ({"dual_coef": outside}, "infeasible"),
        ({"dual_coef": 0.9 * coef}, "the function returned has"),
    ):
        said = complaints(stated, replace(solution, **change))
        assert any(word in sentence for sentence in said), (change, said)


def test_the_value_at_any_weights_is_that_of_the_solver():
    for quality in FURTHER:
        stated, solution = _further(quality, "positive")
        assert stated.value(solution.weights) == pytest.approx(solution.objective, rel=1e-9)


def test_the_judge_sees_a_false_gap(case):
    stated, solution = case
    false = replace(solution)
    object.__setattr__(false, "gap", 0.5 * solution.gap + 1e-4)
    assert any("is not (objective" in sentence for sentence in complaints(stated, false))


@pytest.mark.parametrize("below", [1e-17, 1e-15, 1e-14])
def test_other_weights_are_in_the_cone_or_brought_there(below):
    # A small matrix of rank one beside the identity: below zero it is indefinite, however little.
    small = np.zeros((4, 4))
    small[0, 0] = 1.0
    flat = np.diag([0.0, 1.0, 1.0, 1.0])
    grams = np.array([flat, small], dtype=np.longdouble)
    case = Case(grams, np.array([1.0, -1.0, 1.0, -1.0]), weights="free")
    outside = np.array([4.0 / 3.0, -below])
    inside = moved_into_cone(case, outside)
    assert inside is not None
    assert inside[1] >= -1e-17
    np.testing.assert_allclose(inside, outside, atol=1e-7)
    assert moved_into_cone(case, np.array([4.0 / 3.0, -1e-6])) is None
