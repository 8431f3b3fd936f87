"""KernelSurvival: what it learns, what it predicts, and what it refuses."""

import copy
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.exceptions import AtChanceWarning
from kernlearn.survival import SurvivalOutcome, kaplan_meier

N = 120


def drawn(seed, n=N):
    """Exponential times whose hazard is e^{2x}, a third of them censored, and a column of noise."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, 2))
    time, until = random.exponential(np.exp(-2.0 * X[:, 0])), random.exponential(2.5, n)
    return X, SurvivalOutcome(np.minimum(time, until), time <= until)


@pytest.fixture(scope="module")
def known():
    X, outcome = drawn(0)
    return X, outcome, kl.KernelSurvival(["linear", "Gaussian"]).fit(X, outcome.structured)


def test_it_orders_new_rows_nearly_as_the_true_hazard_does(known):
    X, outcome = drawn(1, 400)
    best = kl.metrics.harrell_concordance(outcome.structured, X[:, 0])
    model = known[2]
    assert model.score(X, outcome.structured) > best - 0.03
    assert model.score(X, outcome.structured) == kl.metrics.harrell_concordance(
        outcome.structured, model.predict(X)
    )
    assert abs(model.held_out_score_ - best) < 0.1
    assert 0.01 < model.held_out_error_ < 0.1
    assert "guessing" not in str(model.status_)


def test_curves_are_near_the_true_ones_and_medians_and_intervals_are_read_off_them(known):
    model, X = known[2], np.array([[-0.8, 0.0], [0.0, 0.0], [0.8, 0.0]])
    times = np.array([0.3, 0.6, 1.2])
    truth = np.exp(-np.exp(2.0 * X[:, :1]) * times)
    assert model.predict_survival_function(X, times) == pytest.approx(truth, abs=0.15)
    whole = model.predict_survival_function(X)
    assert whole.shape == (3, len(model.event_times_))
    assert (np.diff(whole, axis=1) <= 0).all()
    median, ends = model.predict_median(X), model.predict_interval(X, 0.5)
    for row, at in enumerate(np.searchsorted(model.event_times_, median)):
        assert whole[row, at] <= 0.5 < (whole[row, at - 1] if at else 1.0)
    assert (ends[:, 0] <= median).all()
    assert (median <= ends[:, 1]).all()
    assert model.predict_survival_function(X, [0.0]).tolist() == [[1.0]] * 3
    assert np.isinf(model.predict_quantile(X[:1], 0.999)).all()


def test_the_forms_of_the_outcome_and_the_order_of_rows_change_nothing(known):
    X, outcome, model = known
    order = np.random.default_rng(0).permutation(N)
    other = kl.KernelSurvival(["linear", "Gaussian"])
    other.fit(X[order], event=outcome.event[order], time=outcome.time[order])
    assert other.predict(X) == pytest.approx(model.predict(X))
    assert other.held_out_score_ == pytest.approx(model.held_out_score_)


def test_relevance_names_the_column_that_matters(known):
    found = known[2].relevance_
    assert found["column"].tolist() == ["x0", "x1"]
    value, error = found["relevance"], found["standard_error"]
    assert value[0] > 0.1
    assert value[0] > 3 * error[0]
    assert abs(value[1]) < 0.05


def test_noise_is_called_chance_and_has_the_curve_of_the_whole_table():
    X, outcome = drawn(3, 60)
    X = np.random.default_rng(9).normal(size=X.shape)
    model = kl.KernelSurvival(["linear"])
    with pytest.warns(AtChanceWarning, match="KernelSurvival is no better than guessing: the conc"):
        model.fit(X, outcome.structured)
    assert model.status_.is_at_chance
    if model.risk_slope_ == 0.0:
        curve = model.predict_survival_function(X[:1])[0]
        assert curve == pytest.approx(kaplan_meier(outcome)(model.event_times_), abs=0.03)


def test_rare_events_that_no_held_out_row_has_give_the_curve_of_the_whole_table():
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(1200, 2)), 1.0 + rng.exponential(size=1200)
    event = np.arange(1200) < 2  # the mixture is judged by some 300 rows
    model = kl.KernelSurvival(["linear"], effort=0.01)
    with pytest.warns(AtChanceWarning, match="KernelSurvival is no better than guessing: the conc"):
        model.fit(X, event=event, time=time)
    np.testing.assert_array_equal(model.event_times_, np.sort(time[:2]))
    expected = np.exp(-np.cumsum([1.0 / (time >= t).sum() for t in np.sort(time[:2])]))
    np.testing.assert_allclose(model.predict_survival_function(X[:3]), np.tile(expected, (3, 1)))
    np.testing.assert_array_equal(model.predict_median(X[:3]), np.inf)


def test_risks_that_hardly_differ_and_are_far_from_zero_have_curves_of_their_own(known):
    X, outcome, model = known
    model, risk = copy.copy(model), model.predict(X)
    every, folds = (outcome, np.ones(N), np.arange(N)), np.arange(N) % 5
    model._store_curves(*every, risk, None, folds)
    expected = model.predict_survival_function(X)
    model.predict = lambda rows: 1e-6 + 1e-10 * risk
    model._store_curves(*every, model.predict(X), None, folds)
    np.testing.assert_allclose(model.predict_survival_function(X), expected, atol=1e-3)
    model.predict = lambda rows: 1.0 + risk
    assert np.isfinite(model.predict_survival_function(X)).all()


def test_it_goes_through_clone_pipelines_searches_and_files(known, tmp_path):
    X, outcome, model = known
    y = outcome.structured
    one = kl.KernelSurvival(["linear"], effort="fast", cv=3)
    assert clone(one).get_params() == one.get_params()
    search = GridSearchCV(make_pipeline(StandardScaler(), one), {"kernelsurvival__cv": [3]}, cv=2)
    assert search.fit(X, y).score(X, y) > 0.7
    assert search.best_score_ > 0.65
    pytest.importorskip("skops")
    kl.save(model, tmp_path / "model.kern")
    again = kl.load(tmp_path / "model.kern")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.predict_median(X), model.predict_median(X))


def test_sources_groups_weights_and_gaps_are_taken_as_elsewhere():
    pd = pytest.importorskip("pandas")
    X, outcome = drawn(5)
    table = pd.DataFrame({"a": X[:, 0], "level": np.where(X[:, 1] > 0, "high", "low")})
    table.loc[3, "a"] = np.nan
    model = kl.KernelSurvival(["linear"], effort="fast")
    with warnings.catch_warnings():
        warnings.simplefilter("error", AtChanceWarning)
        weight = np.where(np.arange(N) % 10 == 0, 0.0, 1.0)
        groups = np.arange(N) // 3
        model.fit(
            {"one": table, "two": X[:, 1:]}, outcome.structured, groups=groups, sample_weight=weight
        )
    assert model.source_names_ == ["one", "two"]
    assert model.n_events_ == outcome.event[weight > 0].sum()
    assert model.predict({"one": table[:4], "two": X[:4, 1:]}).shape == (4,)


def test_survival_after_chosen_times_is_learned_from_pseudo_observations(known):
    X, outcome, _ = known
    times = np.quantile(outcome.time[outcome.event], [0.25, 0.5, 0.75])
    model = kl.KernelSurvival(["linear"], effort="fast", times=times).fit(X, outcome.structured)
    assert model.times_.tolist() == times.tolist()
    assert model.linear_share_ == 0.0
    assert model.score(X, outcome.structured) > 0.7
    risk = model.predict(X)
    assert -1.5 < risk.min() < risk.max() < 0.5  # minus a mean of probabilities, nearly


def test_a_mixture_of_working_responses_can_be_compressed(known):
    X, outcome, _ = known
    model = kl.KernelSurvival(["Gaussian"], effort="fast", compress=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, outcome.structured)
    assert model.score(X, outcome.structured) > 0.7


def test_bad_outcomes_and_times_get_a_sentence(known):
    X, outcome, _ = known
    for given, said in (
        ({"event": np.zeros(N), "time": outcome.time}, "every row is censored"),
        ({"event": np.arange(N) == 0, "time": outcome.time}, "expected 2 events at least, got 1"),
        ({"event": outcome.event, "time": np.ones(N)}, "times that differ, got 1 in every row"),
        ({"event": outcome.event, "time": -outcome.time}, "times of zero or more"),
        ({"event": outcome.event}, "got event; pass one"),
        ({"y": outcome.structured[:-1]}, "for each of 120 rows, got 119"),
    ):
        with pytest.raises(ValueError, match=said):
            kl.KernelSurvival(["linear"]).fit(X, **given)
    for times, said in (([1e6], "times from the first event"), ("soon", "times that are numbers")):
        with pytest.raises(ValueError, match=f"expected {said}"):
            kl.KernelSurvival(["linear"], times=times).fit(X, outcome.structured)
    with pytest.raises(ValueError, match="expected q between 0 and 1"):
        known[2].predict_quantile(X, 1.0)
    for times, said in (
        ([1.0, np.nan], "expected times of shape .k,., got NaN"),
        (["soon"], "expected times that are numbers, got .'soon'."),
        ([[1.0], [2.0]], "got shape .2, 1."),
    ):
        with pytest.raises(ValueError, match=said):
            known[2].predict_survival_function(X, times)


def test_a_score_of_other_rows_or_of_no_event_gets_a_sentence(known):
    X, outcome, model = known
    y = outcome.structured
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[5, 120\]"):
        model.score(X[:5], y)
    y["event"] = False
    with pytest.raises(ValueError, match="expected a pair of rows of which one has the event"):
        model.score(X, y)


def test_weights_of_kernels_are_learned_with_a_gap_and_predict_as_well():
    X, outcome = drawn(0)
    new, later = drawn(1, 400)
    kernels = [kl.kernels.Columns(i, kl.kernels.Linear()) for i in range(2)]
    model = kl.MKLSurvival(kernels).fit(X, outcome.structured)
    assert model.duality_gap_ <= 1e-6
    assert model.weights_[0] > 5 * model.weights_[1]
    assert model.C_ in model.loss_by_C_[:, 0]
    best = kl.metrics.harrell_concordance(later.structured, new[:, 0])
    assert model.score(new, later.structured) > best - 0.03
    assert model.held_out_score_ == pytest.approx(best, abs=0.1)
    truth = np.exp(-np.exp(2.0 * new[:3, :1]) * [0.3, 0.6])
    assert model.predict_survival_function(new[:3], [0.3, 0.6]) == pytest.approx(truth, abs=0.15)
    sources = kl.MKLSurvival(C=1.0).fit({"a": X[:, :1], "b": X[:, 1:]}, outcome.structured)
    assert sources.predict({"a": X[:5, :1], "b": X[:5, 1:]}).shape == (5,)


@pytest.mark.parametrize("wrong", [{"max_members": 0}, {"time_limit": 0}, {"candidates": ["none"]}])
def test_wrong_parameters_are_refused_before_anything_is_learned(wrong, monkeypatch):
    monkeypatch.setattr(kl.KernelSurvival, "_linear_hazard", None)
    y = SurvivalOutcome(np.arange(1.0, 31.0), np.arange(30) % 3 > 0).structured
    with pytest.raises(ValueError, match="expected"):
        kl.KernelSurvival(**wrong).fit(np.arange(60.0).reshape(30, 2), y)
