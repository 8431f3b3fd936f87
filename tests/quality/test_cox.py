"""The partial likelihood against its definition, and learned weights against CVXPY."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.quality.risk_flow import RiskFlow, repaired, shortfall
from kernlearn.quality.risk_sets import RiskCurvature, RiskSets
from kernlearn.survival import SurvivalOutcome

N, C = 25, 1.7


@pytest.fixture(scope="module")
def drawn():
    """Ties, weights, and rows that are censored before the first event."""
    random = np.random.default_rng(1)
    outcome = SurvivalOutcome(1 + np.ceil(random.exponential(6, N)), random.random(N) < 0.6)
    outcome.time[:2], outcome.event[:2] = 1.0, False
    weight, X = random.uniform(0.5, 2.0, N), random.normal(size=(N, 3))
    return outcome, weight, X, 2.0 * random.normal(size=N)


def shares(outcome, weight, f, ties):
    """Each logarithm, by the definition: what multiplies it, who is at risk, and their shares.

    One tied event comes after another, each with the mean weight. By Efron a part of all of them
    is gone.
    """
    for time in np.unique(outcome.time[outcome.event]):
        events = np.flatnonzero(outcome.event & (outcome.time == time))
        for step, i in enumerate(events):
            at_risk = np.where(outcome.time >= time, weight, 0.0)
            if ties == "efron":
                at_risk[events] *= 1.0 - step / len(events)
            share = at_risk * np.exp(f)
            yield i, C * weight[events].mean(), at_risk, share / share.sum()


def sets(drawn, ties):
    outcome, weight, _, f = drawn
    return RiskSets.of(outcome.signed, C * weight, weight, ties), f


def definition(outcome, weight, f, ties):
    """The loss and its negative slope."""
    value, a = 0.0, np.zeros(N)
    for i, c, at_risk, share in shares(outcome, weight, f, ties):
        value += c * np.log((at_risk * np.exp(f)).sum()) - C * weight[i] * f[i]
        a += C * weight[i] * (np.arange(N) == i) - c * share
    return value, a


BOTH = pytest.mark.parametrize("ties", ["efron", "breslow"])


@BOTH
def test_losses_coefficients_and_their_slopes_are_those_of_the_definition(drawn, ties):
    outcome, weight, _, _ = drawn
    risk_sets, f = sets(drawn, ties)
    value, a = definition(outcome, weight, f, ties)
    assert risk_sets.losses(f).sum() == pytest.approx(value, rel=1e-13)
    assert risk_sets.coefficients(f) == pytest.approx(a, abs=1e-13)
    step = 1e-6 * np.eye(N)
    slopes = [(risk_sets.coefficients(f - s) - risk_sets.coefficients(f + s)) / 2e-6 for s in step]
    assert RiskCurvature(risk_sets, f).times(np.eye(N)) == pytest.approx(np.array(slopes), abs=1e-7)
    for size in (1e3, 1e5):
        assert np.isfinite(risk_sets.losses(size * f)).all()
        assert np.isfinite(RiskCurvature(risk_sets, size * f).times(np.eye(N))).all()


@BOTH
def test_value_slope_and_curvature_are_those_of_statsmodels(drawn, ties):
    hazards = pytest.importorskip("statsmodels.duration.hazard_regression")
    outcome, _, X, _ = drawn
    beta, ones = np.array([0.5, -1.0, 0.3]), np.ones(N)
    model = hazards.PHReg(outcome.time, X, status=outcome.event.astype(int), ties=ties)
    risk_sets = RiskSets.of(outcome.signed, ones, ones, ties)
    f = X @ beta
    assert risk_sets.losses(f).sum() == pytest.approx(-model.loglike(beta), rel=1e-12)
    assert X.T @ risk_sets.coefficients(f) == pytest.approx(model.score(beta), rel=1e-10)
    curvature = X.T @ RiskCurvature(risk_sets, f).times(X)
    assert curvature == pytest.approx(-model.hessian(beta), rel=1e-10)


@BOTH
def test_the_conjugate_is_the_entropy_of_the_shares(drawn, ties):
    outcome, weight, _, _ = drawn
    risk_sets, f = sets(drawn, ties)
    naive = sum(
        c * (share[share > 0] * np.log(share[share > 0] / at_risk[share > 0])).sum()
        for _, c, at_risk, share in shares(outcome, weight, f, ties)
    )
    a = risk_sets.coefficients(f)
    flow = RiskFlow.of(risk_sets, a)
    assert flow.entropy().sum() == pytest.approx(naive, rel=1e-12)
    # Fenchel's equality, and the curvature is an inverse of that of the loss.
    assert risk_sets.losses(f).sum() + flow.entropy().sum() == pytest.approx(-a @ f)
    used = risk_sets.stage >= 0
    H = RiskCurvature(risk_sets, f).times(np.eye(N))[np.ix_(used, used)]
    A = flow.curvature()[np.ix_(used, used)]
    assert pytest.approx(H, abs=1e-11) == H @ A @ H


@BOTH
def test_the_conjugate_is_above_the_line_of_every_function(drawn, ties):
    """Fenchel's inequality, at coefficients that are not those of the function."""
    risk_sets, f = sets(drawn, ties)
    random = np.random.default_rng(2)
    for size in (1e-3, 0.1, 3.0):
        a = repaired(risk_sets, risk_sets.coefficients(f) + size * random.normal(size=N))
        entropy = RiskFlow.of(risk_sets, a).entropy().sum()
        for other in (f, 0.0 * f, random.normal(size=N)):
            assert risk_sets.losses(other).sum() + entropy >= -a @ other


@BOTH
def test_coefficients_off_the_flow_are_brought_back(drawn, ties):
    risk_sets, f = sets(drawn, ties)
    a = risk_sets.coefficients(f)
    assert shortfall(risk_sets, a) == 0.0
    moved = repaired(risk_sets, a + 0.5 * np.random.default_rng(0).normal(size=N))
    assert shortfall(risk_sets, moved) <= 1e-13
    assert abs(moved.sum()) <= 1e-13
    assert repaired(risk_sets, a) == pytest.approx(a, abs=1e-13)


@BOTH
def test_risk_sets_without_some_rows_are_those_of_the_others(drawn, ties):
    outcome, weight, _, _ = drawn
    risk_sets, f = sets(drawn, ties)
    gone = np.arange(N) % 4 == 0
    few = RiskSets.of(outcome.signed[~gone], C * weight[~gone], weight[~gone], ties)
    found = risk_sets.without(gone)
    assert found.losses(f)[~gone] == pytest.approx(few.losses(f[~gone]))
    assert found.coefficients(f)[~gone] == pytest.approx(few.coefficients(f[~gone]))
    assert not found.coefficients(f)[gone].any()
    V = np.random.default_rng(0).normal(size=(N, 2))
    assert RiskCurvature(found, f).times(V)[~gone] == pytest.approx(
        RiskCurvature(few, f[~gone]).times(V[~gone])
    )


def test_coefficients_far_below_the_totals_keep_their_digits(drawn):
    risk_sets, f = sets(drawn, "efron")
    # Sums of the coefficients that have left are what goes on: no total need be taken off.
    a = 1e-18 * risk_sets.coefficients(f)
    assert repaired(risk_sets, a) == pytest.approx(a, rel=1e-12, abs=1e-32)
    falling = np.where(risk_sets.stage == 0, -np.abs(a), a)
    assert shortfall(risk_sets, falling) == pytest.approx(
        -falling[risk_sets.stage == 0].sum(), rel=1e-12
    )
    moved = repaired(risk_sets, falling)
    assert shortfall(risk_sets, moved) <= 1e-14 * np.abs(moved).sum()
    assert np.abs(moved).max() <= 1e-16


def test_a_huge_cost_beside_tied_events_is_solved(drawn):
    """Coefficients 16 digits below C, which differences of numbers like C have none of."""
    outcome, _, X, _ = drawn
    K = gaussians(X)[2]
    found = kl.learn_weights([K], outcome.structured, quality="cox", C=1e10)
    assert found.status.is_optimal
    a = found.dual_coef.astype(np.longdouble)
    value = (
        0.5 * a @ K @ a
        + 1e10 / C * RiskSets.of(outcome.signed, np.full(N, C), np.ones(N)).losses(K @ a).sum()
    )
    assert float(value) == pytest.approx(found.objective, rel=1e-9)


def gaussians(X):
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return [np.outer(X[:, 0], X[:, 0]), np.exp(-distances / 20), np.exp(-distances * 2)]


@pytest.mark.parametrize(("strength", "ties"), [(0.1, "efron"), (10.0, "efron"), (10.0, "breslow")])
def test_learned_weights_are_those_of_cvxpy(drawn, strength, ties):
    cp = pytest.importorskip("cvxpy")
    outcome, weight, X, _ = drawn
    grams = gaussians(X)
    found = kl.learn_weights(
        grams, outcome.structured, quality="cox", C=strength, sample_weight=weight, ties=ties
    )
    assert found.status.is_optimal
    assert found.gap <= 1e-6
    roots = [np.linalg.cholesky(K + 1e-11 * np.eye(N)) for K in grams]
    parts, w = [cp.Variable(N) for _ in grams], cp.Variable(3, nonneg=True)
    f = sum(root @ part for root, part in zip(roots, parts, strict=True))
    loss = 0.0
    for i, c, at_risk, _ in shares(outcome, weight, np.zeros(N), ties):
        present = at_risk > 0
        loss += strength / C * c * cp.log_sum_exp(f[present] + np.log(at_risk[present]))
        loss -= strength * weight[i] * f[i]
    norms = sum(cp.quad_over_lin(part, w[i]) for i, part in enumerate(parts))
    traces = np.array([np.trace(K) for K in grams])
    program = cp.Problem(cp.Minimize(loss + 0.5 * norms), [traces @ w == traces.sum()])
    program.solve(solver="CLARABEL")
    assert found.objective == pytest.approx(program.value, rel=1e-6)
    assert found.weights * traces == pytest.approx(w.value * traces, abs=2e-3 * traces.sum())


@BOTH
@pytest.mark.parametrize("signs", ["positive", "free"])
def test_the_gap_is_what_shares_of_each_event_prove(drawn, signs, ties):
    """Bounds by code of its own: the entropy of shares, and every corner of the weights."""
    outcome, weight, X, _ = drawn
    grams = gaussians(X)
    stated = {"quality": "cox", "C": C, "sample_weight": weight, "weights": signs, "ties": ties}
    found = kl.learn_weights(grams, outcome.structured, **stated)
    K = sum(w * gram for w, gram in zip(found.weights, grams, strict=True))
    f = K @ found.dual_coef + found.intercept
    loss, a = definition(outcome, weight, f, ties)
    value, bound = loss + 0.5 * found.dual_coef @ K @ found.dual_coef, 0.0
    for _, c, at_risk, share in shares(outcome, weight, f, ties):
        bound -= c * (share[share > 0] * np.log(share[share > 0] / at_risk[share > 0])).sum()
    assert found.objective == pytest.approx(value, rel=1e-9)
    total = sum(np.trace(gram) for gram in grams)
    if signs == "positive":
        bound -= 0.5 * total * max(a @ gram @ a / np.trace(gram) for gram in grams)
        assert bound <= found.objective * (1.0 + 1e-12)  # sums of its own round otherwise
        assert found.objective - bound <= 2e-6 * value
    else:
        bound -= 0.5 * a @ K @ a  # at these weights alone
        assert bound == pytest.approx(found.objective, rel=1e-6)
    assert found.gap <= 1e-6


def test_a_sample_of_rows_has_its_own_risk_sets(drawn):
    outcome, weight, _, f = drawn
    risk_sets, _ = sets(drawn, "efron")
    rows = np.arange(0, N, 3)
    some = RiskSets.of(outcome.subset(rows).signed, 2.0 * C * weight[rows], weight[rows])
    assert risk_sets.on_rows(rows, 2.0).losses(f[rows]) == pytest.approx(some.losses(f[rows]))


def test_ties_of_another_name_are_refused(drawn):
    outcome, _, X, _ = drawn
    with pytest.raises(ValueError, match="expected ties to be one of efron, breslow, got 'exact'"):
        kl.learn_weights(gaussians(X), outcome.structured, quality="cox", ties="exact")


def test_outcomes_without_an_event_or_of_other_lengths_get_a_sentence(drawn):
    outcome, _, X, _ = drawn
    none = SurvivalOutcome(outcome.time, np.zeros(N, dtype=bool))
    with pytest.raises(ValueError, match="every row is censored"):
        kl.learn_weights(gaussians(X), none.structured, quality="cox")
    with pytest.raises(ValueError, match="a time alone does not say"):
        kl.learn_weights(gaussians(X), outcome.time, quality="cox")
