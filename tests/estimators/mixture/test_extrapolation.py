"""Beyond the range of the training rows: a linear function carries on, and a warning says so."""

import warnings

import numpy as np
import pandas as pd
import pytest

from kernlearn import KernelClassifier, KernelRegressor
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.options import (
    BoostingOptions,
    MixtureOptions,
    RescreeningOptions,
    ScreeningOptions,
)
from kernlearn.exceptions import ExtrapolationWarning

FEW = ["linear", "Gaussian"]


@pytest.fixture(scope="module")
def trend():
    """A regressor of a trend with a season, learned from 60 months, and the months after."""
    rng = np.random.default_rng(0)
    months = np.arange(90)
    X = np.column_stack([months, months % 12])
    y = 0.1 * months + np.sin(2 * np.pi * months / 12)
    return KernelRegressor(["additive", *FEW]).fit(X[:60], y[:60] + rng.normal(0, 0.1, 60)), X, y


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_trend_goes_on_with_its_season(trend):
    model, X, y = trend
    assert np.sqrt(np.mean((model.predict(X[60:]) - y[60:]) ** 2)) < 0.3
    low, high = model.predict_interval(X[60:]).T
    assert np.mean((low < y[60:]) & (y[60:] < high)) > 0.8


def test_rows_within_are_predicted_by_the_mixture_alone(trend):
    model, X, _ = trend
    members = model._members
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict(X[:60])
    tables = model.preparation_.apply_all(X[:60], {one.table for one in members.machines})
    np.testing.assert_array_equal(
        found, members.predict(tables)[:, 0] * model._spread[0] + model._centre[0]
    )


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_what_is_not_linear_stays_within_its_limits():
    x = np.linspace(-1, 1, 60)[:, None]
    model = KernelRegressor(FEW).fit(x, np.cos(3 * x[:, 0]))
    assert np.abs(model.predict([[5.0], [-9.0]])).max() < 1.6


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_amounts_stay_amounts():
    x = np.linspace(1, 2, 40)[:, None]
    model = KernelRegressor(FEW).fit(x, 3.0 * x[:, 0])
    np.testing.assert_allclose(model.predict([[4.0], [-3.0]]), [12.0, 0.0], rtol=0.02)


def test_new_groups_may_be_out_of_range_together():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 4)
    X = rng.normal(size=(20, 2))[groups] + 0.1 * rng.normal(size=(80, 2))
    far = X.max(axis=0) + 0.5 * np.ptp(X, axis=0)
    new = far + 0.01 * rng.normal(size=(4, 2))
    model = KernelClassifier(["linear"])
    with pytest.warns(ExtrapolationWarning):
        model.fit(X, X[:, 0] > 0).predict(new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, X[:, 0] > 0, groups=groups).predict(new)


def test_the_warning_names_the_columns_and_the_share():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 3))
    model = KernelClassifier(["linear"]).fit(X, X[:, 0] > 0)
    new = X[:20].copy()
    new[0, 1] = 3.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new)  # a twentieth, as heavy tails have
    new[:5, 2] = -3.0
    with pytest.warns(ExtrapolationWarning, match=r"5 of 20 rows \(25 %\).*columns 'x2', 'x1':"):
        model.predict_proba(new)


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_linear_laws_go_on_beside_trees_of_many_rows(monkeypatch):
    """Above the exact rows one fold is judged, and categories are mean targets for the trees."""
    options = MixtureOptions(
        exact_rows=200,
        judged_rows=150,
        landmarks=40,
        screening=ScreeningOptions(rows=80),
        rescreening=RescreeningOptions(rows=200, landmarks=40, held_out_labels=150),
        boosting=BoostingOptions(max_iter=25, models=2, ridge_rows=60, pilot_iter=8),
    )
    monkeypatch.setattr(KernelMixture, "_options", options)
    rng = np.random.default_rng(0)
    shop = rng.integers(40, size=600)
    X = pd.DataFrame({"shop": [f"shop {one}" for one in shop], "size": rng.normal(size=600)})
    y = 10.0 * X["size"] + 6.0 * np.sin(7.0 * shop) * (X["size"] > 0) + rng.normal(0, 0.1, 600)
    model = KernelRegressor([*FEW, "trees"]).fit(X, y)
    new = pd.DataFrame({"shop": ["shop 0", "shop 0"], "size": [9.0, -9.0]})
    assert "encoded" in {member.table for member in model._members.machines}
    np.testing.assert_allclose(model.predict(new), [90.0, -90.0], rtol=0.1)


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
@pytest.mark.parametrize("seed", [2, 3])
def test_columns_that_depend_on_each_other_are_carried_on_together(seed):
    """Cells of two spectra side by side are no spectrum: what is predicted there does not count."""
    rng = np.random.default_rng(seed)
    place = np.linspace(0.0, 1.0, 40)
    amounts = rng.uniform(size=(70, 3))
    shapes = np.stack([np.ones(40), np.sin(3.0 * place), np.exp(-30.0 * (place - 0.4) ** 2) / 50.0])
    spectra = amounts @ shapes + 1e-4 * rng.normal(size=(70, 40))
    y = 10.0 * amounts[:, 2] + rng.normal(0.0, 0.1, 70)
    model = KernelRegressor(["linear", "polynomial"]).fit(spectra[:60], y[:60])
    assert model._extrapolation is not None
    for brightness in (0.0, 1.3):
        assert model.predict(spectra[60:] + brightness) == pytest.approx(y[60:], abs=1.0)


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_a_slope_within_its_error_says_nothing_of_a_cell_far_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    model = KernelRegressor(FEW).fit(X, 3.0 * X[:, 0] + rng.normal(size=60))
    assert model._extrapolation is not None
    rows = np.zeros((12, 12)) + 60.0 * np.eye(12)
    found = model.predict(rows) - model.predict(np.zeros((1, 12)))
    assert found[0] == pytest.approx(180.0, rel=0.15)
    slopes = model._extrapolation.coef[1:, 0] / X[:, 1:].std(axis=0) * model._spread
    assert np.abs(60.0 * slopes).max() > 15.0
    assert np.mean(np.abs(found[1:]) < 5.0) > 0.6
