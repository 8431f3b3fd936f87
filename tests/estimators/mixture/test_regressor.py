"""The regressor to start with, and how sure it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.uncertainty import MixtureUncertainty
from kernlearn.kernels import Gaussian

FEW = ["linear", "Gaussian"]


def wave(n=80, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    return X, 100 + 50 * (np.sin(X[:, 0]) + noise * rng.normal(size=n))


@pytest.fixture(scope="module")
def model():
    return kl.KernelRegressor().fit(*wave())


def test_everything_at_its_default(model):
    X, y = wave(300, seed=1)
    assert model.score(X, y) > 0.85
    assert abs(model.held_out_score_ - model.score(X, y)) < 0.1
    table = model.candidates_
    assert 1 - table["held_out_loss"][0] == pytest.approx(model.held_out_score_, abs=0.05)
    first, second = model.relevance_["relevance"][:2]
    assert first > 0.5 > 0.1 > second


def test_units_of_the_target_do_not_matter(model):
    X, y = wave()
    other = kl.KernelRegressor().fit(X, 1e6 * y - 3)
    np.testing.assert_allclose(other.predict(X), 1e6 * model.predict(X) - 3, rtol=1e-6)


def test_intervals_hold_what_they_say_and_are_not_wide(model):
    X, y = wave(500, seed=1)
    for coverage in (0.5, 0.9):
        low, high = model.predict_interval(X, coverage=coverage).T
        assert np.mean((low <= y) & (y <= high)) == pytest.approx(coverage, abs=0.1)
    assert np.mean(high - low) < 0.5 * np.ptp(y)
    assert np.isinf(model.predict_interval(X[:1], coverage=0.999)).all()


def test_the_mixture_without_a_row_is_one_that_was_trained_without_it():
    X, y = wave(30)
    model = kl.KernelRegressor([Gaussian(0.3), "linear"], standardize=False).fit(X, y)
    members = model._members
    new = np.array([[0.5, 1.0], [2.0, -1.0]])
    without = sum(part.without_each(new) for part in MixtureUncertainty.of(members).parts)
    for i in (0, 7):
        others = np.delete(np.arange(30), i)
        machines = [members.trained_again(machine, others) for machine in members.machines]
        naive = sum(w * m.predict(new) for w, m in zip(members.factors, machines, strict=True))
        np.testing.assert_allclose(without[:, i], naive, atol=1e-8)


def prices(n=240, seed=0, noise=0.3):
    """What changes them changes them by factors."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 100 * np.exp(X @ [1.0, 0.5, 0.0] + noise * rng.normal(size=n))


@pytest.fixture(scope="module")
def priced():
    return kl.KernelRegressor(["linear", "Gaussian", "log target"]).fit(*prices())


def test_prices_are_learned_as_logarithms(priced):
    X, y = prices(1000, seed=1)
    plain = kl.KernelRegressor(["linear", "Gaussian"]).fit(*prices())
    assert 1 - priced.score(X, y) < 0.8 * (1 - plain.score(X, y))
    assert abs(priced.held_out_score_ - priced.score(X, y)) < 0.15
    assert {"linear", "linear, log target"} <= set(priced.candidates_["candidate"])
    assert not any("log target" in name for name in plain.candidates_["candidate"])
    assert chosen_families("auto", labels=False).logarithms
    assert (np.diff(priced.relevance_["relevance"][:3]) < 0).all()


def test_of_prices_it_is_less_sure_where_they_are_high(priced):
    X, y = prices(1000, seed=1)
    values, std = priced.predict(X, return_std=True)
    high = values > np.median(values)
    assert std[high].mean() > 3 * std[~high].mean()
    assert np.mean(((y - values) / std) ** 2) == pytest.approx(1.0, abs=0.5)
    low, up = priced.predict_interval(X, coverage=0.8).T
    inside = (low <= y) & (y <= up)
    assert np.mean(inside) == pytest.approx(0.8, abs=0.08)
    assert np.mean((up - low)[high]) > 1.3 * np.mean((up - low)[~high])
    assert ((low <= values) & (values <= up)).all()
    assert low.min() == 0.0


def test_a_mixture_of_logarithms_without_a_row_is_one_that_was_trained_without_it(priced):
    members = priced._members
    assert any("log target" in title for title in members.titles)
    new = {table: rows[:2] + 0.1 for table, rows in members.tables.items()}
    parts = MixtureUncertainty.of(members).parts
    without = sum(part.without_each(new[part.machine.table]) for part in parts)
    for i in (0, 7):
        others = np.delete(np.arange(len(members.Y)), i)
        machines = [members.trained_again(machine, others) for machine in members.machines]
        alone = [machine.predict(new[machine.table]) for machine in machines]
        np.testing.assert_allclose(
            without[:, i], np.tensordot(members.factors, alone, axes=1), atol=1e-7
        )


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_no_row_is_predicted_far_beyond_all_targets(priced, model):
    far = 1e3 * np.array([[1.0, 1, 1], [-1, -1, -1], [1, -1, 0]])
    for one, y in ((priced, prices()[1]), (model, wave()[1])):
        X = far[:, : one.n_features_in_]
        room = 0.2 * np.ptp(y)
        values, ends = one.predict(X), one.predict_interval(X)
        assert values.max() <= y.max() + room
        assert values.min() >= max(y.min() - room, 0.0)
        assert np.abs(ends).max() < 3 * y.max()


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_standard_deviations_are_those_of_the_residuals(model):
    X, y = wave(500, seed=1)
    values, std = model.predict(X, return_std=True)
    np.testing.assert_array_equal(values, model.predict(X))
    assert std.shape == (500,)
    assert np.mean(((y - values) / std) ** 2) == pytest.approx(1.0, abs=0.4)
    far = model.predict([[30.0, 30.0]], return_std=True)[1]
    assert far[0] > 1.5 * std.mean()


def test_one_gaussian_machine_is_as_sure_as_the_least_squares_machine():
    """But for residuals, which are those of folds: of machines that know fewer rows."""
    X, y = wave(120)
    ours = kl.KernelRegressor([Gaussian(0.3)], standardize=False).fit(X, y)
    lam = ours._members.machines[0].lam
    theirs = kl.LSSVMRegressor(Gaussian(0.3), selection=None, lam=lam).fit(X, y)
    new, _ = wave(10, seed=1)
    (mean, std), (their_mean, their_std) = ours.predict(new, True), theirs.predict(new, True)
    np.testing.assert_allclose(mean, their_mean, rtol=1e-6)
    np.testing.assert_allclose(std / std[0], their_std / their_std[0], rtol=1e-6)
    assert 1.0 < std[0] / their_std[0] < 1.25
    interval, theirs_too = ours.predict_interval(new, 0.8), theirs.predict_interval(new, 0.8)
    assert 1.0 < np.mean(np.ptp(interval, axis=1) / np.ptp(theirs_too, axis=1)) < 1.25


def test_several_targets_at_once():
    X, y = wave(60)
    Y = np.column_stack([y, 1e-3 * X[:, 1]])
    model = kl.KernelRegressor(FEW).fit(X, Y)
    assert model.predict(X).shape == (60, 2)
    assert model.score(X, Y) > 0.9
    assert model.predict_interval(X[:5]).shape == (5, 2, 2)
    values, std = model.predict(X[:5], return_std=True)
    assert values.shape == std.shape == (5, 2)
    assert std[0, 1] < 1e-2 < std[0, 0]


def test_a_target_that_never_changes_and_missing_cells():
    X, y = wave(30)
    model = kl.KernelRegressor(FEW).fit(X, np.full(30, 7.0))
    np.testing.assert_allclose(model.predict(X), 7.0)
    X[::3, 0] = np.nan
    model = kl.KernelRegressor(FEW).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_targets_whose_squares_vanish():
    X, _ = wave(30)
    model = kl.KernelRegressor(["linear"]).fit(X, 1e-170 * X[:, 0])
    assert model.held_out_score_ > 0.99


def test_machines_with_a_margin_do_not_learn_numbers():
    with pytest.raises(ValueError, match=r"names among linear, .*, got 'Gaussian SVM'") as caught:
        kl.KernelRegressor(["linear", "Gaussian SVM"]).fit(*wave())
    assert "linear SVM" not in str(caught.value)


@pytest.mark.parametrize("regressor", [kl.KernelRegressor, kl.LSSVMRegressor, kl.MKLRegressor])
def test_targets_that_are_dates_are_refused(regressor):
    X, _ = wave(20)
    with pytest.raises(ValueError, match="expected numbers in y, got dates or durations"):
        regressor().fit(X, pd.date_range("2020-01-01", periods=20))


def test_real_data_with_names():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = kl.KernelRegressor().fit(X[:90], y[:90])
    assert model.score(X[90:], y[90:]) > 0.4
    found = model.relevance_
    assert found["column"][found["relevance"].argmax()] in ("bmi", "s5")
    assert found["column"][-1] == "s1 + s2"
    assert all(isinstance(column, np.ndarray) for column in model.candidates_.values())
    assert len(pd.DataFrame(model.candidates_)) == model.n_iter_


def test_rows_count_by_their_weights():
    X, y = wave()
    weight = np.random.default_rng(2).uniform(0.2, 2.0, len(y))
    weight[::7], weight[3] = 0.0, 1e-310
    kept = weight > 0.1
    model = kl.KernelRegressor(FEW).fit(X, y, sample_weight=weight)
    alone = kl.KernelRegressor(FEW).fit(X[kept], y[kept], sample_weight=4.0 * weight[kept])
    np.testing.assert_allclose(model.predict(X), alone.predict(X), rtol=1e-9)
    # Variances are small differences of large numbers.
    np.testing.assert_allclose(model.predict_interval(X), alone.predict_interval(X), rtol=1e-7)
    plain = kl.KernelRegressor(FEW).fit(X[kept], y[kept])
    assert np.abs(model.predict(X) - plain.predict(X)).max() > 0.1


def test_a_weighted_machine_is_that_of_least_squares():
    X, y = wave()
    weight = np.random.default_rng(2).uniform(0.2, 2.0, len(y))
    model = kl.KernelRegressor([Gaussian(0.5)], standardize=False).fit(X, y, sample_weight=weight)
    lam = model._members.machines[0].lam * weight.mean()
    alone = kl.LSSVMRegressor(Gaussian(0.5), None, lam=lam).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X[:9]), alone.predict(X[:9]), rtol=1e-6)


def test_rows_of_little_weight_do_little_harm():
    X, y = wave(90)
    wrong = np.arange(90) % 6 == 0
    y = np.where(wrong, y + 300.0, y)
    new, truth = wave(200, seed=1, noise=0.0)
    plain = kl.KernelRegressor(FEW).fit(X, y)
    wiser = kl.KernelRegressor(FEW).fit(X, y, sample_weight=np.where(wrong, 1e-3, 1.0))
    assert (
        np.abs(wiser.predict(new) - truth).mean() < 0.3 * np.abs(plain.predict(new) - truth).mean()
    )


@pytest.mark.parametrize("weight", [-np.ones(60), np.zeros(60), np.ones(59), np.full(60, np.nan)])
def test_wrong_weights_are_refused(weight):
    with pytest.raises(ValueError, match=r"[Ss]ample.?weight"):
        kl.KernelRegressor(FEW).fit(*wave(), sample_weight=weight)


@pytest.mark.parametrize("coverage", [0.0, 1.0, "most"])
def test_a_wrong_coverage_is_refused(model, coverage):
    with pytest.raises(ValueError, match="expected coverage between 0 and 1"):
        model.predict_interval([[0.0, 0.0]], coverage=coverage)
