"""Counts in the flagship."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.quality.counts import deviance

FEW = {"candidates": ["linear", "Gaussian"]}


def visits(n, seed=0):
    rng = np.random.default_rng(seed)
    X, exposure = rng.normal(size=(n, 2)), rng.uniform(0.5, 3.0, n)
    rate = np.exp(0.8 + np.sin(2 * X[:, 0]) + 0.3 * X[:, 1])
    return X, rng.poisson(rate * exposure), exposure


@pytest.fixture(scope="module")
def model():
    X, y, exposure = visits(120)
    return kl.KernelRegressor(**FEW, loss="poisson").fit(X, y, exposure=exposure)


def test_rates_are_learned_and_judged_by_the_deviance(model):
    X, y, exposure = visits(400, seed=1)
    mean = model.predict(X, exposure=exposure)
    assert mean == pytest.approx(exposure * model.predict(X))
    assert (mean > 0).all()
    constant = exposure * y.sum() / exposure.sum()
    explained = 1 - deviance(y, mean).sum() / deviance(y, constant).sum()
    assert model.score(X, y, exposure=exposure) == pytest.approx(explained)
    assert explained > 0.45
    assert model.held_out_score_ == pytest.approx(explained, abs=0.15)
    first, second = model.relevance_["relevance"][:2]
    assert first > second


def test_intervals_of_counts_hold_what_they_say(model):
    X, y, exposure = visits(600, seed=2)
    low, high = model.predict_interval(X, coverage=0.8, exposure=exposure).T
    assert 0.76 < np.mean((low <= y) & (y <= high)) < 0.93
    assert (low == np.round(low)).all()
    assert (low >= 0).all()
    third = model.predict_quantile(X, 0.3, exposure=exposure)
    assert (third <= model.predict_quantile(X, 0.6, exposure=exposure)).all()
    mean, std = model.predict(X, return_std=True, exposure=exposure)
    assert std**2 == pytest.approx(mean + model.dispersion_ * mean**2)


def test_counts_that_vary_more_are_negative_binomial():
    X, y, exposure = visits(150)
    y = np.random.default_rng(3).poisson(y * np.random.default_rng(4).gamma(1.0, 1.0, 150))
    model = kl.KernelRegressor(["linear"], loss="negative_binomial").fit(X, y, exposure=exposure)
    assert model.dispersion_ > 0.5
    low, high = model.predict_interval(X, exposure=exposure).T
    assert np.mean((low <= y) & (y <= high)) > 0.85


def test_a_file_keeps_the_counts(model, tmp_path):
    X, _, exposure = visits(5)
    kl.save(model, tmp_path / "counts.kl")
    again = kl.load(tmp_path / "counts.kl")
    expected = model.predict_interval(X, exposure=exposure)
    assert again.predict_interval(X, exposure=exposure) == pytest.approx(expected)


def search_members(search):
    return {"max_members": search.best_params_["kernelregressor__max_members"]}


def test_exposure_is_routed_through_pipelines_and_searches():
    X, y, exposure = visits(60)
    with sklearn.config_context(enable_metadata_routing=True):
        model = kl.KernelRegressor(["linear"], loss="poisson")
        for request in (model.set_fit_request, model.set_score_request):
            request(exposure=True)
        pipe = make_pipeline(StandardScaler(), model)
        search = GridSearchCV(
            pipe, {"kernelregressor__max_members": [1, 2]}, cv=2, error_score="raise"
        )
        search.fit(X, y, exposure=exposure)
        # Before scikit-learn 1.8 the score of a search itself passes on no other arrays.
        found = search.best_estimator_.score(X, y, exposure=exposure)
    X = StandardScaler().fit_transform(X)
    plain = kl.KernelRegressor(["linear"], loss="poisson", **search_members(search))
    assert found == plain.fit(X, y, exposure=exposure).score(X, y, exposure=exposure)


def test_groups_are_held_out_together():
    X, y, _ = visits(30)
    X, y, groups = np.tile(X, (3, 1)), np.tile(y, 3), np.tile(np.arange(30), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = kl.KernelRegressor(["linear"], loss="poisson").fit(X, y, groups=groups)
    assert model._members.groups is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"y": -1}, "expected counts that are not negative in y, got -1 in row 3"),
        ({"y": 0.5}, "expected whole numbers in y, got 0.5 in row 3; pass counts, with exposure="),
        ({"exposure": 0.0}, "expected exposures above zero, got 0 in row 3"),
        ({"exposure": np.nan}, "expected exposures above zero, got nan in row 3"),
    ],
)
def test_what_is_no_count(change, said):
    X, y, exposure = visits(20)
    given = {"y": y.astype(float), "exposure": exposure}
    for name, value in change.items():
        given[name][3] = value
    with pytest.raises(ValueError, match=said):
        kl.KernelRegressor(**FEW, loss="poisson").fit(X, **given)


def test_other_things_that_are_no_counts(model):
    X, y, exposure = visits(20)
    with pytest.raises(ValueError, match="expected loss to be one of 'squared', 'poisson'"):
        kl.KernelRegressor(loss="gamma").fit(X, y)
    with pytest.raises(ValueError, match="exposure belongs to counts"):
        kl.KernelRegressor().fit(X, y, exposure=exposure)
    with pytest.raises(ValueError, match="expected a count above zero in y, got none"):
        kl.KernelRegressor(loss="poisson").fit(X, 0 * y)
    with pytest.raises(ValueError, match="expected one count for each row, got 2 columns"):
        kl.KernelRegressor(loss="poisson").fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match=r"expected one exposure for each of 20 rows, got shape"):
        model.predict(X, exposure=exposure[:3])
    for wrong, said in (
        (["long"] * 20, "exposure must be an array of real numbers"),
        (np.full(20, 1j), "exposure must hold real numbers, got complex ones"),
        (np.full(20, 1e308), r"exposures between 1e-250 and 1e\+250, got 1e\+308 in row 0; choose"),
    ):
        with pytest.raises(ValueError, match=said):
            model.predict(X, exposure=wrong)
    with pytest.raises(ValueError, match="a mixture of counts cannot be distilled"):
        kl.KernelRegressor(loss="poisson", compress=True).fit(X, y)
