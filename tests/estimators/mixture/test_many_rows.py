"""Tables of many rows: boosted trees beside kernels, categories by their targets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import kernlearn as kl
from kernlearn.estimators.mixture import encoding
from kernlearn.estimators.mixture.candidates.rescreening import contest_of_trees
from kernlearn.estimators.mixture.mixture import KernelMixture
from kernlearn.estimators.mixture.options import (
    BoostingOptions,
    MixtureOptions,
    RescreeningOptions,
    ScreeningOptions,
)

N = 900
OPTIONS = MixtureOptions(
    exact_rows=300,
    judged_rows=150,
    landmarks=40,
    screening=ScreeningOptions(rows=80),
    rescreening=RescreeningOptions(rows=300, landmarks=40, held_out_labels=150),
    boosting=BoostingOptions(max_iter=25, models=2, ridge_rows=60, pilot_iter=8),
)


def table(n, seed=0):
    """A rule of a category of forty levels and of a threshold, beside a smooth column."""
    rng = np.random.default_rng(seed)
    level = rng.integers(40, size=n)
    X = pd.DataFrame({"amount": np.exp(rng.normal(size=n)), "smooth": rng.uniform(-2, 2, size=n)})
    X["shop"] = [f"shop {one}" for one in level]
    good = np.sin(7.0 * level)
    return X, np.where(X.amount > 1.0, good, 0.2) + 0.1 * X.smooth.to_numpy()


@pytest.fixture(autouse=True)
def _many_rows(monkeypatch):
    monkeypatch.setattr(KernelMixture, "_options", OPTIONS)


def fitted(model, y, **extra):
    return model.fit(table(N)[0], y, **extra)


NAMES = ["linear", "Gaussian", "trees"]


def test_trees_learn_a_rule_of_categories():
    _, values = table(N)
    new, truth = table(600, seed=1)
    labels = np.where(values > 0, "up", "down")
    model = fitted(kl.KernelClassifier(NAMES), labels)
    assert model.candidates_["candidate"][0] == "boosted trees"
    assert model.score(new, np.where(truth > 0, "up", "down")) > 0.85
    assert model.held_out_score_ > 0.8
    kernels = fitted(kl.KernelClassifier(["linear"]), labels)
    assert "boosted trees" not in kernels.candidates_["candidate"]
    found = model.relevance_
    relevance = dict(zip(found["column"], found["relevance"], strict=True))
    assert min(relevance["shop"], relevance["amount"]) > relevance["smooth"]
    assert np.isfinite(model.predict_proba(new.assign(shop="a new one"))).all()


def test_numbers_have_intervals_and_a_kernel_and_fit_into_a_file(tmp_path):
    y = table(N)[1] + 0.1 * np.random.default_rng(2).normal(size=N)
    model = fitted(kl.KernelRegressor(["trees"], max_members=1), y)
    assert model.candidates_["candidate"][0] == "boosted trees"
    new, truth = table(200, seed=1)
    low, high = model.predict_interval(new).T
    assert np.mean((low <= truth) & (truth <= high)) > 0.8
    assert (model.predict(new, return_std=True)[1] > 0).all()
    assert model.kernel_(new[:3]).shape == (3, 3)
    kl.save(model, tmp_path / "model.kl")
    np.testing.assert_array_equal(kl.load(tmp_path / "model.kl").predict(new), model.predict(new))


def test_rows_of_little_weight_count_little():
    _, values = table(N)
    limits = np.quantile(values, [1 / 3, 2 / 3])
    wrong = np.arange(N) % 3 == 0
    y = np.where(wrong, 0, np.digitize(values, limits))
    weight = np.where(wrong, 1e-6, 1.0)
    model = fitted(kl.KernelClassifier(["trees"]), y, sample_weight=weight)
    new, truth = table(300, seed=1)
    assert model.score(new, np.digitize(truth, limits)) > 0.7
    assert np.mean(model.predict(new) == 0) < 0.45


def test_what_only_names_of_groups_tell_is_not_learned():
    """Labels of whole groups, drawn at random: a new group has another name."""
    X, _ = table(N)
    groups = np.arange(N) // 6
    drawn = np.random.default_rng(4).integers(2, size=N // 6)[groups]
    X["patient"] = [f"p{one}" for one in groups]
    model = kl.KernelClassifier(["trees"])
    model.fit(X, drawn, groups=groups)
    assert model.held_out_score_ < 0.62


def test_it_ends_early_with_the_trees_that_it_has():
    told = []

    def over(progress):
        told.append(progress.message)
        return progress.message.startswith("boosted trees")

    model = kl.KernelRegressor(NAMES, callback=over)
    with pytest.warns(ConvergenceWarning, match="stopped by the callback"):
        fitted(model, table(N)[1])
    assert told[-1].startswith("boosted trees")
    assert model.candidates_["candidate"].tolist() == ["boosted trees"]
    assert model.score(*table(200, seed=1)) > 0.5


def test_of_very_many_cells_a_sample_grows_trees(monkeypatch):
    few = replace(OPTIONS, boosting=replace(OPTIONS.boosting, cells=N), sample_rows=400)
    monkeypatch.setattr(KernelMixture, "_options", few)
    grown_from = []

    def spy(encoded, *rest):
        grown_from.append(len(encoded.Y))
        return contest_of_trees(encoded, *rest)

    monkeypatch.setattr(encoding, "contest_of_trees", spy)
    model = fitted(kl.KernelRegressor(["trees"]), table(N)[1])
    assert grown_from == [400]
    assert model.score(*table(200, seed=1)) > 0.5


def test_a_smooth_function_of_few_columns_is_not_left_to_trees():
    """A kernel of one width for all columns errs more than trees, one of scaled columns less."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N + 300, 8))
    y = np.sin(2.0 * (X[:, 0] - X[:, 1])) + 0.05 * rng.normal(size=len(X))
    model = kl.KernelRegressor(["Gaussian", "ARD", "trees"]).fit(X[:N], y[:N])
    found = model.candidates_
    held_out = dict(zip(found["candidate"], found["held_out_loss"], strict=True))
    assert held_out["Gaussian, ARD"] < held_out["boosted trees"] < held_out["Gaussian"]
    assert len(held_out) == len(found["candidate"])
    assert model.score(X[N:], y[N:]) > 0.8
