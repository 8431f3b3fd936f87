"""Curves, pseudo-observations and scores, against naive loops and numbers of other packages."""

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.survival import (
    SurvivalOutcome,
    kaplan_meier,
    nelson_aalen,
    pseudo_restricted_mean,
    pseudo_survival,
    survival_outcome,
)
from kernlearn.survival.concordance import concordance
from kernlearn.survival.curves import baseline_hazard

TIMES = np.array([3.0, 6.0, 9.0, 12.0])


@pytest.fixture(scope="module")
def drawn():
    """Sixty rows with many ties, and a risk with ties."""
    random = np.random.default_rng(0)
    time, censored = np.ceil(random.exponential(10, 60)), np.ceil(random.exponential(14, 60))
    outcome = SurvivalOutcome(np.minimum(time, censored), time <= censored)
    return outcome, np.round(-outcome.time + random.normal(size=60) * 6)


def test_concordance_of_a_perfect_order_is_one_and_of_its_reverse_zero():
    """However the weights round; their sums differ in the last digits."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        outcome = SurvivalOutcome(random.random(50), random.random(50) < 0.6)
        weight = np.exp(3 * random.normal(size=50))
        perfect, reverse = (concordance(outcome, s * outcome.time, weight).index for s in (-1, 1))
        assert perfect == pytest.approx(1.0)
        assert reverse == pytest.approx(0.0, abs=1e-12)
        assert 0.0 <= reverse <= perfect <= 1.0


def test_scores_are_those_of_scikit_survival(drawn):
    """Version 0.28.0 on the same rows; lifelines 0.30.3 has the same concordance."""
    outcome, risk = drawn
    y = outcome.structured
    assert kl.metrics.harrell_concordance(y, risk) == pytest.approx(0.7476145038167938)
    assert kl.metrics.uno_concordance(y, risk, tau=20) == pytest.approx(0.7110720346306286)
    survival = np.exp(-np.outer(np.exp(risk / 10), TIMES / 10))
    expected = [0.16459799, 0.19466129, 0.22163655, 0.26440673]
    assert kl.metrics.brier_scores(y, survival, TIMES) == pytest.approx(expected)
    found = kl.metrics.integrated_brier_score(y, survival, TIMES)
    assert found == pytest.approx(0.21026673584847058)


def test_curves_are_those_of_scikit_survival(drawn):
    y = drawn[0].structured
    expected = [0.91666667, 0.82679739, 0.76630002, 0.72372779, 0.65793436, 0.61407207]
    assert kaplan_meier(y).y[:6] == pytest.approx(expected)
    expected = [0.08333333, 0.18137255, 0.25454328, 0.31009884, 0.40100793, 0.46767459]
    assert nelson_aalen(y).y[:6] == pytest.approx(expected)


def test_efrons_hazard_takes_tied_events_one_after_the_other(drawn):
    outcome, risk = drawn
    f, total, found = risk / 20.0, 0.0, baseline_hazard(outcome, risk / 20.0)
    for at in np.unique(outcome.time[outcome.event]):
        sizes = np.exp(f[outcome.time >= at]).sum()
        tied = np.exp(f[(outcome.time == at) & outcome.event])
        steps = sizes - np.arange(len(tied)) / len(tied) * tied.sum()
        total += (1.0 / steps).sum()
        assert found(at) == pytest.approx(total, rel=1e-12)


def test_breslows_hazard_without_a_risk_is_nelsons_and_its_scale_is_the_risks(drawn):
    outcome, _ = drawn
    plain = nelson_aalen(outcome).y
    for size in (0.0, 800.0):
        found = baseline_hazard(outcome, np.full(60, size), ties="breslow").y
        assert found == pytest.approx(plain * np.exp(-size))


def area(outcome, end):
    curve = kaplan_meier(outcome)
    starts = np.concatenate([[0.0], curve.x[curve.x < end], [end]])
    return float(np.diff(starts) @ curve(starts[:-1]))


@pytest.mark.parametrize("seen", ["as drawn", "all", "last censored"])
def test_pseudo_observations_are_those_of_leaving_each_row_out(drawn, seen):
    outcome, n = drawn[0], 60
    event = np.ones(n, dtype=bool) if seen == "all" else outcome.event.copy()
    if seen == "last censored":
        event[outcome.time == outcome.time.max()] = False
    outcome = SurvivalOutcome(outcome.time, event)
    others = [outcome.subset(np.arange(n) != i) for i in range(n)]
    whole = n * kaplan_meier(outcome)(TIMES)
    expected = [whole - (n - 1) * kaplan_meier(other)(TIMES) for other in others]
    assert pseudo_survival(outcome, TIMES) == pytest.approx(np.array(expected))
    for end in (7.3, float(outcome.time.max())):
        expected = [n * area(outcome, end) - (n - 1) * area(other, end) for other in others]
        assert pseudo_restricted_mean(outcome, end) == pytest.approx(np.array(expected))


def test_without_censoring_pseudo_observations_are_the_outcomes():
    time = np.array([2.0, 5.0, 1.0, 9.0])
    outcome = survival_outcome(event=np.ones(4), time=time)
    assert pseudo_restricted_mean(outcome) == pytest.approx(time)
    assert pseudo_survival(outcome, [4.0])[:, 0] == pytest.approx([0, 1, 0, 1])


def test_concordance_and_its_error_are_those_of_loops(drawn):
    outcome, risk = drawn
    right = total = 0.0
    for i in np.flatnonzero(outcome.event):
        for j in range(60):
            later = outcome.time[j] > outcome.time[i]
            if later or (outcome.time[j] == outcome.time[i] and not outcome.event[j]):
                total += 1
                right += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    found = concordance(outcome, risk)
    assert found.index == pytest.approx(right / total)
    kept = [np.arange(60) != i for i in range(60)]
    jackknife = np.array([concordance(outcome.subset(k), risk[k]).index for k in kept])
    error = np.sqrt(59 / 60 * ((jackknife - jackknife.mean()) ** 2).sum())
    assert found.standard_error() == pytest.approx(error, rel=0.05)


@pytest.mark.parametrize("n", [2, 3, 31, 64, 100])
@pytest.mark.parametrize("n_times", [1, 4, 1000])
def test_the_pairs_of_each_row_are_those_of_all_pairs(n, n_times):
    rng = np.random.default_rng(n + n_times)
    time, event = rng.integers(n_times, size=n) + 1.0, rng.random(n) < 0.6
    risk, weight = rng.integers(12, size=n), rng.exponential(size=n) * (rng.random(n) < 0.8)
    first = (event & (weight > 0))[:, None]
    later = (time > time[:, None]) | ((time == time[:, None]) & ~event)
    pairs = first * later * weight[:, None]
    right = pairs * (0.5 * (risk < risk[:, None]) + 0.5 * (risk <= risk[:, None]))
    found = concordance(SurvivalOutcome(time, event), risk, weight)
    both = (found.comparable, pairs), (found.concordant, right)
    for sums, expected in both:
        by_hand = expected.sum(axis=0) + expected.sum(axis=1)
        np.testing.assert_allclose(sums, by_hand, rtol=0, atol=1e-12 * n)


def test_all_forms_of_outcomes_are_read_alike():
    pd = pytest.importorskip("pandas")
    event, time = [True, False, True], [2.0, 3.0, 1.0]
    y = survival_outcome(event=event, time=time)
    frame = pd.DataFrame({"months": time, "died": event})
    for form in (y.structured, frame, np.column_stack([event, time]), y):
        again = survival_outcome(form)
        assert again.time.tolist() == time
        assert again.event.tolist() == event
    zero = SurvivalOutcome(np.zeros(2), np.array([True, False]))
    assert SurvivalOutcome.of_signed(zero.signed).event.tolist() == [True, False]


@pytest.mark.parametrize(
    ("event", "time", "said"),
    [
        ([1, 0], [1.0, -2.0], "expected times of zero or more, got -2"),
        ([1, 2], [1.0, 2.0], "expected events that are truth values, or 0 and 1, got 2"),
        (["dead", "alive"], [1.0, 2.0], r"truth values, or 0 and 1, got 'dead'.*status == 'dead'"),
        ([1, np.nan], [1.0, 2.0], "truth values, or 0 and 1, got nan"),
        ([1, 0], [1.0, np.nan], "expected times that are finite, got nan; drop the rows"),
        ([1, 0], ["a", "b"], "expected times that are numbers.*convert dates to days"),
        ([1, 0], np.array(["2020-01-01", "2021-01-01"], "datetime64[ns]"), "convert dates to days"),
        ([1, 0], [1.0], "an event for every time, got 2 events and 1 times"),
        ([], [], "expected rows with a time and an event, got 0 rows"),
        ([1, 0], None, "expected a structured array of .*got event; pass one"),
    ],
)
def test_bad_outcomes_get_a_sentence(event, time, said):
    with pytest.raises(ValueError, match=said):
        survival_outcome(event=event, time=time)


def test_a_time_alone_and_outcomes_without_events_get_a_sentence():
    with pytest.raises(ValueError, match="a time alone does not say whether the event was seen"):
        survival_outcome([1.0, 2.0])
    for event, time, said in (
        ([0, 0], [1.0, 2.0], "expected 2 events at least, got none: every row is censored"),
        ([1, 0], [1.0, 2.0], "expected 2 events at least, got 1"),
        ([1, 1], [3.0, 3.0], "expected times that differ, got 3 in every row"),
    ):
        with pytest.raises(ValueError, match=said):
            survival_outcome(event=event, time=time).check_events()
    with pytest.raises(ValueError, match="expected 1 event at least, got none"):
        survival_outcome(event=[0, 0], time=[1.0, 2.0]).check_events(min_events=1)


def test_scores_refuse_what_they_cannot_tell(drawn):
    outcome, risk = drawn
    y = outcome.structured
    with pytest.raises(ValueError, match="one risk for each of 60 rows, got shape"):
        kl.metrics.harrell_concordance(y, risk[:-1])
    with pytest.raises(ValueError, match="expected a pair of rows"):
        kl.metrics.harrell_concordance([[0, 1.0], [0, 2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="predictions of shape"):
        kl.metrics.brier_scores(y, np.ones((60, 3)), TIMES)
    with pytest.raises(ValueError, match="increasing times before the last one of y"):
        kl.metrics.brier_scores(y, np.ones((60, 1)), [1e3])
    with pytest.raises(ValueError, match="not censored yet, got one at 3; pass tau="):
        kl.metrics.uno_concordance(
            [[1, 1.0], [0, 2.0], [1, 3.0]], [3.0, 2.0, 1.0], y_train=[[1, 1.0], [0, 2.0]]
        )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda y: survival_outcome(event=np.array([1j, 0]), time=[1, 2]), r"0 and 1, got 1j"),
        (lambda y: survival_outcome(event=[1, 0], time=np.array([1j, 2])), "that are numbers"),
        (lambda y: survival_outcome(event=[1, 0], time=[10**400, 2]), "that are numbers, got"),
        (lambda y: survival_outcome(SurvivalOutcome([np.nan], [True])), "finite, got nan"),
        (lambda y: survival_outcome(y, event=[1], time=[1.0]), "got y and event and time"),
        (lambda y: kaplan_meier(y)("soon"), "times that are numbers, got 'soon'"),
        (lambda y: kaplan_meier(y)([np.nan]), "times that are numbers, got NaN"),
        (lambda y: kaplan_meier(y, sample_weight=[1.0]), r"each of 60 rows, got shape \(1,\)"),
        (lambda y: nelson_aalen(y, sample_weight=np.full(60, -1.0)), "smallest of -1"),
        (lambda y: nelson_aalen(y, sample_weight=np.full(60, np.inf)), "finite, non-negative"),
        (lambda y: pseudo_survival(y, ["soon"]), r"numbers, got \['soon'\]"),
        (lambda y: pseudo_survival(y, [np.nan]), r"times of shape \(k,\), got NaN"),
        (lambda y: pseudo_restricted_mean(y, -1.0), "finite time of zero or more, got -1.0"),
        (lambda y: kl.metrics.harrell_concordance(y, ["high"] * 60), "risks that are numbers"),
        (lambda y: kl.metrics.harrell_concordance(y, np.full(60, 1j)), "risks that are numbers"),
        (lambda y: kl.metrics.uno_concordance(y, np.ones(60), tau="soon"), "numbers, got 'soon'"),
        (lambda y: kl.metrics.uno_concordance(y, np.ones(60), tau=np.nan), "one time, got nan"),
        (lambda y: kl.metrics.brier_scores(y, np.ones((60, 0)), []), "one time at least, got none"),
        (lambda y: kl.metrics.brier_scores(y, np.ones((60, 1)), [["soon"]]), "times that are num"),
        (lambda y: kl.metrics.brier_scores(y, np.ones((60, 1)), [[3.0]]), r"got shape \(1, 1\)"),
        (lambda y: kl.metrics.brier_scores(y, np.full((60, 1), 2.0), [3.0]), "1, got 2 to 2"),
        (lambda y: kl.metrics.brier_scores(y, np.ones((60, 2)), [-np.inf, 3]), "from -inf"),
    ],
)
def test_estimates_and_scores_refuse_what_is_no_number(drawn, call, said):
    with pytest.raises(ValueError, match=said):
        call(drawn[0])


def test_rows_of_weight_zero_are_left_out_of_curves_and_units_of_weights_are_free(drawn):
    """Also the last rows, after which nobody of any weight is at risk."""
    outcome, _ = drawn
    some = outcome.time < np.quantile(outcome.time, 0.7)
    for estimate in (kaplan_meier, nelson_aalen):
        expected = estimate(outcome.subset(some))
        for unit in (1.0, 1e-300, 1e308):
            found = estimate(outcome, sample_weight=some * unit)(expected.x)
            assert found == pytest.approx(expected.y, rel=1e-12)


def test_pseudo_observations_read_outcomes_as_others_do_in_any_unit(drawn):
    outcome, _ = drawn
    expected = pseudo_restricted_mean(outcome)
    assert pseudo_restricted_mean(outcome.structured) == pytest.approx(expected)
    assert pseudo_survival(outcome.structured, TIMES).tolist() == (
        pseudo_survival(outcome, TIMES).tolist()
    )
    for unit in (2.0**1010, 2.0**-1000):
        inflated = SurvivalOutcome(outcome.time * unit, outcome.event)
        assert pseudo_restricted_mean(inflated) / unit == pytest.approx(expected, rel=1e-12)
