"""Cox's linear model beside the mixture: what it holds out, and how risks are weighed."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.held_out.survival_curves import SurvivalCurves
from kernlearn.estimators.mixture.linear_hazard import (
    codes_of,
    linear_hazard,
    risk_factors,
    working_responses,
)
from kernlearn.exceptions import AtChanceWarning
from kernlearn.runtime.status import Status
from kernlearn.survival import SurvivalOutcome

N = 90


@pytest.fixture(scope="module")
def drawn():
    """Hazards of e^z₀, a fifth of the rows censored, and two draws of five folds."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(N, 3))
    time = random.exponential(np.exp(-Z[:, 0]))
    outcome = SurvivalOutcome(time, random.random(N) < 0.8)
    draws = [np.array_split(random.permutation(N), 5) for _ in range(2)]
    return Z, outcome, draws


def test_the_model_is_held_out_fold_by_fold(drawn):
    Z, outcome, draws = drawn
    found = linear_hazard(Z, outcome.signed, np.ones(N), draws)
    assert abs(found.coef[0] - 1.0) < 0.35
    fold = draws[0][2]
    other = outcome.signed.copy()
    other[fold] = np.abs(other[fold][::-1])  # what happens in a fold changes nothing there
    again = linear_hazard(Z, other, np.ones(N), draws)
    if again.ridge == pytest.approx(found.ridge, rel=0.5):
        assert again.held_out[fold] == pytest.approx(found.held_out[fold])
    assert [found.held_out[fold].mean() for fold in draws[0]] == pytest.approx(np.zeros(5))


def test_more_columns_than_rows_are_rotated_first(drawn):
    Z, outcome, draws = drawn
    wide = np.hstack([Z, np.zeros((N, 250))])
    found, narrow = (linear_hazard(one, outcome.signed, np.ones(N), draws) for one in (wide, Z))
    assert found.coef[:3] == pytest.approx(narrow.coef, rel=1e-6)
    assert found.coef[3:] == pytest.approx(np.zeros(250), abs=1e-9)


def test_risks_are_weighed_by_what_they_tell(drawn):
    Z, outcome, draws = drawn
    codes, weight = codes_of(draws[0]), np.ones(N)
    risks = np.column_stack([10.0 * Z[:, 1], 0.01 * Z[:, 0]])
    factors, shares = risk_factors(risks, outcome.signed, weight, codes)
    assert shares[1] > 0.7
    assert factors[1] * 0.01 == pytest.approx(1.0, abs=0.35)
    _, equal = risk_factors(-np.abs(Z[:, [0, 0]]) * 0.0, outcome.signed, weight, codes)
    assert equal.tolist() == [0.5, 0.5]


def test_held_out_risks_are_compared_within_their_fold():
    """A fold with more events was predicted by rows with fewer: risks of one fold are alike."""
    random = np.random.default_rng(1)
    folds, event = np.arange(N) % 3, random.random(N) < 0.5
    time = random.exponential(np.array([1.0, 2.0, 4.0])[folds])
    outcome, risk = SurvivalOutcome(time, event), folds.astype(float)  # late folds look risky
    assert kl.metrics.harrell_concordance(outcome.structured, risk) < 0.4
    curves = SurvivalCurves()
    curves.status_ = Status.CONVERGED
    with pytest.warns(AtChanceWarning):
        curves._store_curves(outcome, np.ones(N), np.arange(N), risk, None, folds)
    assert curves.held_out_score_ == 0.5
    assert curves.risk_slope_ == 0.0


def test_the_linear_part_is_a_member_of_the_mixture(drawn):
    Z, outcome, _ = drawn
    model = kl.KernelSurvival(["linear"]).fit(Z, outcome.structured)
    assert 0.0 < model.linear_share_ <= 1.0
    members = model._members
    assert members.titles[-1] == "Cox"
    codes = np.arange(N) % 5
    told, table = members.held_out_by(codes), members.tables["standard"]
    rows, out = codes != 0, codes == 0
    again = [members.trained_again(one, np.flatnonzero(rows)) for one in members.machines]
    known = [f * one.predict(table[out]) for f, one in zip(members.factors, again, strict=True)]
    assert told[out] == pytest.approx(np.sum(known, axis=0))
    # Trained again on all rows by working responses, the linear part is nearly itself.
    cox = members.machines[-1]
    same = members.trained_again(cox, np.arange(N)).predict(table)
    assert np.corrcoef(same[:, 0], cox.predict(table)[:, 0])[0, 1] > 0.98


def test_the_linear_part_brings_its_columns_where_no_other_member_reads_them(drawn):
    Z, outcome, _ = drawn
    letters = ["".join("ab"[bit] for bit in row) for row in (Z > 0).astype(int)]
    table = {"numbers": Z, "letters": letters}
    model = kl.KernelSurvival(["equal sources"]).fit(table, outcome.structured)
    assert set(model._members.tables) == {"all sources", "standard"}
    assert np.isfinite(model.relevance_["relevance"]).all()


@pytest.mark.parametrize("far", [-1000.0, 1000.0])
def test_a_row_with_a_pilot_beyond_all_others_has_a_finite_exposure(drawn, far):
    _, outcome, _ = drawn
    pilot = np.where(np.arange(N) == 3, far, 0.0)
    assert np.isfinite(working_responses(outcome, np.ones(N), pilot).Y).all()
