"""The stratified partial likelihood against naive sums, and its minimum against SciPy's."""

import numpy as np
import pytest
from scipy.optimize import minimize

from kernlearn.quality.partial_likelihood import (
    StratifiedRiskSets,
    centred_within,
    positive_ridge_cox,
    ridge_cox,
)
from kernlearn.survival import SurvivalOutcome

N = 40


@pytest.fixture(scope="module")
def drawn():
    """Ties, weights, three strata, and one stratum without an event."""
    random = np.random.default_rng(3)
    Z, strata = random.normal(size=(N, 3)), np.arange(N) % 4
    outcome = SurvivalOutcome(np.ceil(random.exponential(6, N)), random.random(N) < 0.6)
    outcome.event[strata == 3] = False
    weight = random.uniform(0.5, 2.0, N)
    return Z, outcome, weight, strata, StratifiedRiskSets.of(outcome.signed, weight, strata)


def naive(Z, outcome, weight, strata, beta):
    """With ties by Efron: of tied events, one comes after another."""
    f, total = Z @ beta, 0.0
    sizes = weight * np.exp(f)
    for stratum, time in {*zip(strata[outcome.event], outcome.time[outcome.event], strict=True)}:
        rows = (strata == stratum) & (outcome.time >= time)
        tied = rows & outcome.event & (outcome.time == time)
        for step in range(tied.sum()):
            left = sizes[rows].sum() - step / tied.sum() * sizes[tied].sum()
            total += weight[tied].mean() * np.log(left)
        total -= weight[tied] @ f[tied]
    return total


def test_values_and_derivatives_are_those_of_the_sum(drawn):
    *known, sets = drawn
    Z, beta = known[0], np.array([0.5, -1.0, 0.3])
    f = Z @ beta
    assert sets.loss(f) == pytest.approx(naive(*known, beta), rel=1e-13)
    steps = 1e-6 * np.eye(3)
    slopes = [(sets.loss(Z @ (beta + s)) - sets.loss(Z @ (beta - s))) / 2e-6 for s in steps]
    slope, second = sets.derivatives(Z, f)
    assert slope == pytest.approx(slopes, abs=1e-6)
    turns = [
        (sets.derivatives(Z, Z @ (beta + s))[0] - sets.derivatives(Z, Z @ (beta - s))[0]) / 2e-6
        for s in steps
    ]
    assert second == pytest.approx(np.array(turns), abs=1e-6)


def test_what_a_whole_stratum_shares_changes_nothing(drawn):
    Z, _, weight, strata, sets = drawn
    shift = np.array([5.0, -3.0, 100.0, 7.0])[strata]
    assert sets.loss(Z[:, 0] + shift) == pytest.approx(sets.loss(Z[:, 0]))
    moved = centred_within(Z + shift[:, None], weight, strata)
    assert moved == pytest.approx(centred_within(Z, weight, strata), abs=1e-9)
    assert np.bincount(strata, weight * moved[:, 0]) == pytest.approx(np.zeros(4), abs=1e-8)


def test_the_minimum_is_that_of_scipy_with_and_without_bounds(drawn):
    *known, sets = drawn
    Z, penalty = known[0], np.diag([0.5, 1.0, 2.0]) + 0.1

    def objective(beta):
        return naive(*known, beta) + 0.5 * beta @ penalty @ beta

    free = ridge_cox(Z, sets, penalty)
    assert objective(free) == pytest.approx(minimize(objective, np.zeros(3)).fun, rel=1e-9)
    bounded = positive_ridge_cox(Z, sets, penalty)
    best = minimize(objective, np.full(3, 0.1), bounds=[(0, None)] * 3, method="L-BFGS-B")
    assert (free < 0).any()
    assert (bounded >= 0).all()
    assert objective(bounded) == pytest.approx(best.fun, rel=1e-9)
    assert bounded == pytest.approx(best.x, abs=1e-3)


def test_integer_weights_are_repeated_rows_by_breslow(drawn):
    Z, outcome, _, strata, _ = drawn
    copies = 1 + np.arange(N) % 3
    rows = np.repeat(np.arange(N), copies)
    weighted = StratifiedRiskSets.of(outcome.signed, copies.astype(float), strata, "breslow")
    ones = np.ones(len(rows))
    repeated = StratifiedRiskSets.of(outcome.signed[rows], ones, strata[rows], "breslow")
    penalty = np.eye(3)
    assert ridge_cox(Z, weighted, penalty) == pytest.approx(ridge_cox(Z[rows], repeated, penalty))
