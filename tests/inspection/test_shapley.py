"""Shapley values beside those of all subsets of columns."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline

from kernlearn import KernelClassifier, KernelRegressor, LSSVMRegressor, MKLRegressor, Sources
from kernlearn.bundle import ModelBundle
from kernlearn.estimators.mixture.prediction.terms import Term
from kernlearn.inspection import shapley_values
from kernlearn.inspection._column_factors import ColumnFactors
from kernlearn.kernels import ANOVA, ARDGaussian, Gaussian, Laplacian, Linear, Matern, Polynomial

D = 5


def by_subsets(function, x, background):
    """The definition: all orders of the columns, by the sizes of sets."""
    n_players = background.shape[1]

    @cache
    def value(S):
        rows = background.copy()
        rows[:, list(S)] = x[list(S)]
        return function(rows).mean(axis=0)

    found = []
    for j in range(n_players):
        others = [k for k in range(n_players) if k != j]
        sets = [S for size in range(n_players) for S in combinations(others, size)]
        gains = [
            (value(tuple(sorted((*S, j)))) - value(S)) / (n_players * comb(n_players - 1, len(S)))
            for S in sets
        ]
        found.append(sum(gains))
    return np.array(found)


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(30, D))


@pytest.mark.parametrize(
    "kernel",
    [
        Gaussian(0.2),
        Laplacian(0.3),
        ARDGaussian([0.1, 0.0, 0.4, 1.0, 0.2]),
        Linear(),
        Polynomial(3, 0.7),
        ANOVA(0.5, 1),
        ANOVA(0.5, 2),
        ANOVA(0.5, 5),
    ],
    ids=lambda kernel: f"{type(kernel).__name__}{getattr(kernel, 'degree', '')}",
)
def test_closed_forms_are_those_of_all_subsets(kernel, rows):
    coef = np.random.default_rng(1).normal(size=(8, 2))
    factors = ColumnFactors.of(Term("", kernel, rows[:8], coef), np.arange(D))
    found = factors.shapley(rows[10:12], rows[20:24], D)
    for row in (0, 1):
        expected = by_subsets(lambda X: kernel(X, rows[:8]) @ coef, rows[10 + row], rows[20:24])
        np.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-12)


def test_columns_of_one_origin_are_one_player(rows):
    """Two prepared columns of one column of the user come in together."""
    coef = np.random.default_rng(1).normal(size=(8, 1))
    origins = np.array([0, 1, 1, 2, 2])
    for kernel in (Gaussian(0.2), ANOVA(0.5, 2), Polynomial(2, 1.0)):
        factors = ColumnFactors.of(Term("", kernel, rows[:8], coef), origins)

        def function(players, kernel=kernel):
            # A player is either at the row to explain or at the background row.
            X = np.where(players[:, origins] == 1.0, rows[10], rows[20])
            return kernel(X, rows[:8]) @ coef

        expected = by_subsets(function, np.ones(3), np.zeros((1, 3)))
        found = factors.shapley(rows[10:11], rows[20:21], 3)[0]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        LSSVMRegressor(selection=None, lam=0.1, theta=0.3),
        MKLRegressor([Linear(), Gaussian(0.2), Laplacian(0.1)], C=1.0),
        KernelRegressor(["linear", "Gaussian", "additive"], cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_of_such_kernels_are_explained_exactly(model, rows):
    y = rows[:, 0] * rows[:, 1] + rows[:, 2]
    model = model.fit(rows, y)
    found = shapley_values(model, rows[:2], rows[10:12])
    assert found["exact"]
    assert not found["standard_error"].any()
    expected = by_subsets(lambda X: model.predict(X)[:, None], rows[1], rows[10:12])[:, 0]
    np.testing.assert_allclose(found["value"][1], expected, rtol=1e-6, atol=1e-9)
    total = found["output"] - found["base"]
    np.testing.assert_allclose(found["value"].sum(axis=1), total, rtol=1e-9, atol=1e-12)


def test_values_add_up_where_a_limit_cuts_a_background_row(rows):
    # Amounts are not below zero. The first look, at one background row, may miss the cut.
    model = KernelRegressor(["linear"], cv=2).fit(rows, np.exp(2.0 * rows[:, 0]))
    predictions = model.predict(rows)
    low, high = np.flatnonzero(predictions == 0.0), np.argsort(-predictions)[:12]
    background = rows[np.append(high, low[0])]
    found = shapley_values(model, rows[high[:2]], background, n_permutations=13)
    assert not found["exact"]
    total = found["output"] - found["base"]
    np.testing.assert_allclose(found["value"].sum(axis=1), total, rtol=1e-9, atol=1e-12)


def test_what_has_no_closed_form_is_sampled_and_adds_up(rows):
    y = np.where(rows[:, 0] * rows[:, 1] > 0, "yes", "no")
    frame = pd.DataFrame(rows, columns=list("abcde")).assign(
        e=np.where(rows[:, 4] > 0, "up", "down")
    )
    model = KernelClassifier(["Gaussian", "Matérn", "trees"], cv=2).fit(frame, y)
    found = shapley_values(model, frame[:2], frame[10:20], n_permutations=40)
    assert found["column"].tolist() == list("abcde")
    assert not found["exact"]
    total = found["output"] - found["base"]
    np.testing.assert_allclose(found["value"].sum(axis=1), total, rtol=1e-9, atol=1e-12)
    again = shapley_values(model, frame[:2], frame[10:20], n_permutations=400, random_state=1)
    assert (np.abs(found["value"] - again["value"]) <= 5 * found["standard_error"] + 1e-9).all()


def test_sources_are_explained_as_a_whole(rows):
    signal = rows[:, 0] > 0
    sources = Sources(
        {
            "table": pd.DataFrame(rows[:, 1:3], columns=["a", "b"]).assign(c="same"),
            "words": csr_array(np.abs(rows.round())),
            "letters": [("ab" if one else "ba") * 3 for one in signal],
            "kernel": rows[:, 3:] @ rows[:, 3:].T,
        },
        precomputed=["kernel"],
    )
    model = KernelClassifier(["equal sources"]).fit(sources, signal)
    found = shapley_values(model, sources[:2], sources[5:12])
    assert found["column"].tolist() == sources.names
    total = found["output"] - found["base"]
    np.testing.assert_allclose(found["value"].sum(axis=1), total, rtol=1e-9, atol=1e-12)
    assert np.abs(found["value"]).argmax(axis=1).tolist() == [2, 2]
    with pytest.raises(ValueError, match="expected background rows of 4 sources, as X has, got 5"):
        shapley_values(model, sources[:2], rows)


def test_linear_models_and_model_files(rows):
    model = Ridge().fit(rows, rows[:, 0] - rows[:, 3])
    found = shapley_values(model, rows[:3], rows, n_permutations=200)
    expected = model.coef_ * (rows[:3] - rows.mean(axis=0))
    assert (np.abs(found["value"] - expected) < 0.5).all()
    frame = pd.DataFrame(rows, columns=list("abcde"))
    machine = KernelRegressor(["Gaussian"], cv=2).fit(frame, rows[:, 0])
    columns = [{"name": name, "kind": "number", "action": ""} for name in "abcde"]
    facts = {"task": "regression", "target": "t", "classes": None, "columns": columns}
    bundle = ModelBundle(Pipeline([("learn", machine)]), facts, frame, rows[:, 0])
    of_file = shapley_values(bundle, frame[:2].assign(more=1), frame[:5].assign(more=1))
    direct = shapley_values(machine, frame[:2], frame[:5])
    np.testing.assert_array_equal(of_file["value"], direct["value"])
    with pytest.raises(ValueError, match="expected background rows of 5 columns, as X has, got 4"):
        shapley_values(model, rows, rows[:, :4])
    with pytest.raises(ValueError, match="background must have at least one row"):
        shapley_values(model, rows, rows[:0])
    assert ColumnFactors.of(Term("", Matern(), rows, rows), np.arange(D)) is None
