"""Weights of mixtures against a general solver, and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from kernlearn.quality.predictive import LogLoss, SquaredLoss
from kernlearn.solvers.selection.mixture import Mixing, weights_by_errors


def problem(kind, m=5, n=60, prior=3.0):
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(n, 1))
    Y = truth + 0.3 * rng.normal(size=(n, 1))
    held_out = truth + rng.uniform(0.3, 1.0, size=(m, 1, 1)) * rng.normal(size=(m, n, 1))
    loss = kind(np.sign(Y) if kind is LogLoss else Y, rng.uniform(0.5, 2.0, size=n))
    return Mixing(loss, held_out, prior)


def written_down(mixing):
    """The objective of the module's docstring, and its minimum by a general solver."""
    loss, n = mixing.loss, len(mixing.loss.Y)
    F = np.stack([loss.scale(f) * f for f in mixing.held_out])
    squared = isinstance(loss, SquaredLoss)
    unit = 2 * min(loss.share @ loss.rows(f) for f in F) if squared else 1.0

    def objective(w):
        mean = loss.share @ loss.rows(np.tensordot(w, F, axes=1))
        return n / unit * mean + mixing.prior * np.sum((w - w.mean()) ** 2)

    m = len(F)
    sums = [{"type": "eq", "fun": lambda w: w.sum() - 1}] if squared else []
    best = minimize(
        objective, np.full(m, 1 / m), bounds=[(0, None)] * m, constraints=sums, method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    return best.x / best.x.sum()


@pytest.mark.parametrize("kind", [SquaredLoss, LogLoss])
@pytest.mark.parametrize("prior", [1e-3, 3.0, 100.0])
def test_weights_are_those_of_a_general_solver(kind, prior):
    mixing = problem(kind, prior=prior)
    np.testing.assert_allclose(mixing.weights(5), written_down(mixing), atol=2e-4)


@pytest.mark.parametrize("kind", [SquaredLoss, LogLoss])
def test_few_members_may_have_a_weight(kind):
    mixing = problem(kind, m=12)
    for most in (1, 3, 12):
        weights = mixing.weights(most)
        assert np.count_nonzero(weights) <= most
        assert weights.sum() == pytest.approx(1.0)
        assert (weights >= 0).all()


def test_a_strong_prior_lets_all_do_their_share():
    np.testing.assert_allclose(problem(SquaredLoss, prior=1e6).weights(5), 0.2, atol=1e-3)


def test_the_one_member_left_is_a_good_one():
    mixing = problem(SquaredLoss, prior=1e-6)
    losses = [mixing.loss.value(f) for f in mixing.held_out]
    assert mixing.weights(1).argmax() == np.argmin(losses)


@pytest.mark.parametrize("kind", [SquaredLoss, LogLoss])
def test_a_candidate_alone_and_candidates_alike(kind):
    mixing = problem(kind, m=1)
    np.testing.assert_array_equal(mixing.weights(5), [1.0])
    twins = Mixing(mixing.loss, np.repeat(mixing.held_out, 3, axis=0), 1.0)
    np.testing.assert_allclose(twins.weights(3), 1 / 3, atol=1e-6)


def test_perfect_predictions_are_no_trouble():
    Y = np.array([[1.0], [-1.0], [2.0]])
    weights = Mixing(SquaredLoss(Y, np.ones(3)), np.stack([Y, 0 * Y]), 20.0).weights(2)
    assert np.isfinite(weights).all()
    assert weights[0] >= weights[1]


def test_labels_are_weighed_by_how_clearly_candidates_err_more():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(200) < 0.5, 1.0, -1.0)[:, None]
    right = 0.5 * y + 0.1 * rng.normal(size=(200, 1))
    values = []
    for n_wrong in (10, 14, 80):  # of other rows each
        spoilt = right.copy()
        rows = rng.permutation(200)[:n_wrong]
        spoilt[rows] = -spoilt[rows]
        values.append(spoilt)
    held_out = np.stack([values[1], values[0], values[2]])
    loss = LogLoss(y, np.ones(200))
    wrong = np.array([loss.wrong(F) for F in held_out]).astype(int)
    assert wrong.sum(axis=1).tolist() == [14, 10, 80]
    b = ((wrong == 1) & (wrong[1] == 0)).sum(axis=1)
    c = ((wrong == 0) & (wrong[1] == 1)).sum(axis=1)
    expected = np.exp(-1.5 * (b - c) / np.sqrt(b + c + 1))
    np.testing.assert_allclose(weights_by_errors(loss, held_out, 3), expected / expected.sum())
    np.testing.assert_array_equal(weights_by_errors(loss, held_out, 1), [0, 1, 0])
    # A row of weight two counts as two rows that err together.
    doubled = LogLoss(y, np.where(np.arange(200) < 100, 2.0, 1.0))
    alone = np.arange(held_out.shape[1])
    np.testing.assert_allclose(
        weights_by_errors(loss, held_out, 3, alone), weights_by_errors(loss, held_out, 3)
    )
    one = weights_by_errors(loss, held_out, 3, 0 * alone)
    assert one.min() > weights_by_errors(loss, held_out, 3).min()  # one group tells less
    assert not np.allclose(weights_by_errors(doubled, held_out, 3), expected / expected.sum())


def test_several_classes_are_told_by_the_largest_value():
    Y = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
    loss = LogLoss(Y, np.ones(3))
    told = np.array([[0.1, -3, -3], [0.2, 0.1, 0], [-3, -2, -1.0]])
    assert loss.wrong(told).tolist() == [False, True, False]
