"""Trees as candidates: blind to the fold that they are judged by, and better where rules rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.registry import FAMILIES
from kernlearn.estimators.mixture.candidates.representation import Representation
from kernlearn.estimators.mixture.candidates.trees import TreeOptions, tree_kernels
from kernlearn.quality.predictive import SquaredLoss


@pytest.fixture
def problem():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    Y = np.column_stack([X[:, 0] > 0.3, X[:, 1] > 0]) + 0.1 * rng.normal(size=(60, 2))
    folds = [np.arange(i, 60, 4) for i in range(4)]
    return CandidateProblem({"standard": X}, SquaredLoss(Y, np.ones(60)), folds)


def test_a_fold_has_no_say_in_the_trees_that_it_is_judged_by(problem):
    X, rows = problem.tables["standard"], problem.folds[1]
    Y = problem.Y.copy()
    Y[rows] = -5.0 * Y[rows]
    changed = replace(problem, loss=SquaredLoss(Y, np.ones(60)))
    representations = [tree_kernels(one, "standard") for one in (problem, changed)]
    own, other = (
        [representation.kernel_for(None, X, fold)(X) for fold in (1, 2, None)]
        for representation in representations
    )
    np.testing.assert_array_equal(own[0], other[0])
    assert not np.array_equal(own[1], other[1])
    assert not np.array_equal(own[2], other[2])


def test_the_kernel_of_all_rows_is_the_mean_of_those_of_the_folds(problem):
    X = problem.tables["standard"]
    representation = tree_kernels(problem, "standard")
    folds = np.mean([representation.kernel_for(None, X, fold)(X) for fold in range(4)], axis=0)
    np.testing.assert_allclose(representation.kernel_for(None, X, None)(X), folds, rtol=1e-12)


def test_trees_tell_apart_what_heavy_rows_do(problem):
    X = problem.tables["standard"]
    heavy = X[:, 2] > 0
    Y = np.where(heavy, X[:, 0] > 0.0, X[:, 1] > 0.0).astype(float)[:, None]
    for weight in (np.where(heavy, 1.0, 1e-9), np.where(heavy, 1e-9, 1.0)):
        representation = tree_kernels(replace(problem, loss=SquaredLoss(Y, weight)), "standard")
        K = representation.kernel(np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]]))
        alike, unlike = (1, 2) if weight[heavy][0] == 1.0 else (2, 1)
        assert K[0, alike] > 2.0 * K[0, unlike]


def nested(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    inner = np.where(X[:, 1] > 0.3, 3.0 * (X[:, 2] > 0.6), 2.0 * (X[:, 3] > 0.5))
    return X, np.where(X[:, 0] > 0.4, inner, -1.0) + 0.3 * rng.normal(size=n)


def problem_of(X, y):
    folds = [np.arange(i, len(y), 5) for i in range(5)]
    return CandidateProblem({"standard": X}, SquaredLoss(y[:, None], np.ones(len(y))), folds)


def test_of_more_rows_deeper_trees_are_grown_with_more_of_a_ridge():
    X, y = nested(400, 0)
    few, more = problem_of(X[:100], y[:100]), problem_of(X, y)
    one = FAMILIES["trees"].search(few, Representation("standard"))
    again = FAMILIES["trees"].search(more, one.representation, one)
    trained = one.trained_on_more(more).judged
    assert len(trained.kernel.columns) > 2 * len(one.judged.kernel.columns)
    np.testing.assert_array_equal(trained.kernel.columns, again.judged.kernel.columns)
    threefold = np.log(trained.lam / one.judged.lam) / np.log(3.0)
    assert threefold >= 0
    assert threefold == pytest.approx(round(threefold), abs=1e-9)
    assert 0.1 < trained.lam / again.judged.lam < 10.0


def test_other_kernels_are_those_of_fewer_rows():
    X, y = nested(100, 0)
    one = FAMILIES["Gaussian"].search(problem_of(X[:50], y[:50]), Representation("standard"))
    assert one.trained_on_more(problem_of(X, y)) is one


def test_trees_are_grown_from_so_many_cells_at_most():
    X, y = nested(400, 0)
    whole = tree_kernels(problem_of(X, y), "standard")
    options = TreeOptions(few_rows=50, cells=400)
    few = tree_kernels(problem_of(X, y), "standard", options)
    assert len(few.kernel.columns) < 0.4 * len(whole.kernel.columns)
    assert len(few.kernel.roots) == len(whole.kernel.roots)
    half = tree_kernels(problem_of(X, y), "standard", replace(options, many_rows=80))
    assert len(half.kernel.roots) == len(whole.kernel.roots) // 2


def test_thresholds_within_thresholds_are_found():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, size=(500, 4))
    inner = np.where(X[:, 1] > 0.2, 1.0, -1.0)
    y = np.where(X[:, 0] > 0.0, inner, np.where(X[:, 2] > -0.2, -0.5, 2.0))
    errors = {}
    for candidates in (["Gaussian", "Laplacian"], ["Gaussian", "Laplacian", "trees"]):
        model = kl.KernelRegressor(candidates).fit(X[:250], y[:250])
        errors[len(candidates)] = np.mean((model.predict(X[250:]) - y[250:]) ** 2)
    assert errors[3] < 0.3 * errors[2]
    relevance = model.relevance_["relevance"]
    assert relevance[3] < 0.05 * relevance[0]
