"""Combinations as candidates: best aligned, and blind to the fold that they are judged by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.combination import (
    aligned_weights,
    bank,
    combined,
    sections,
)
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.gram import gram_stack
from kernlearn.quality.predictive import SquaredLoss


@pytest.fixture
def problem():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3))
    Y = np.column_stack([np.sin(3 * X[:, 0]), X[:, 1]]) + 0.1 * rng.normal(size=(40, 2))
    folds = [np.arange(i, 40, 4) for i in range(4)]
    return CandidateProblem({"standard": X}, SquaredLoss(Y, np.ones(40)), folds)


def _constant(X, Z=None):
    return np.full((len(X), len(X)), 0.3)


def _alignment(K, Y):
    centre = np.eye(len(K)) - 1.0 / len(K)
    K = centre @ K @ centre
    Y = centre @ Y
    return np.sum((Y @ Y.T) * K) / np.linalg.norm(K) / np.linalg.norm(Y @ Y.T)


@pytest.mark.parametrize("kernels_of", [bank, sections])
def test_no_other_weights_align_better(problem, kernels_of):
    X, Y = problem.tables["standard"], problem.Y
    found = combined(kernels_of)(problem, "standard")
    best = _alignment(found.kernel(X), Y)
    rng = np.random.default_rng(0)
    kernels = found.kernel.kernels
    grams = gram_stack(kernels, X)
    others = [*np.eye(len(kernels)), *rng.exponential(size=(50, len(kernels))) ** 3]
    others += [found.kernel.weights * (1 + 0.3 * rng.normal(size=len(kernels))) for _ in range(20)]
    values = [_alignment(np.tensordot(np.maximum(w, 0), grams, 1), Y) for w in others]
    assert max(values) <= best * (1 + 1e-6)


@pytest.mark.parametrize("kernels_of", [bank, sections])
def test_the_kernel_of_all_rows_is_what_was_learned_with_one_part_for_each_hyperkernel(
    problem, kernels_of
):
    X = problem.tables["standard"]
    representation = combined(kernels_of)(problem, "standard")
    kernel = representation.kernel_for(None, X, None)
    np.testing.assert_allclose(kernel(X), representation.kernel(X), rtol=1e-12)
    np.testing.assert_allclose(kernel(X, X[:3]), representation.kernel(X)[:, :3], rtol=1e-12)
    if kernels_of is sections:
        assert len(kernel.kernels) == 2  # a narrow and a wide one
    else:
        assert kernel.kernels == representation.kernel.kernels


def test_a_fold_has_no_say_in_the_kernel_that_predicts_it(problem):
    learn = combined(bank)
    before = learn(problem, "standard")
    changed = problem.Y.copy()
    changed[problem.folds[1]] += np.random.default_rng(2).normal(size=(10, 2))
    after = learn(replace(problem, loss=replace(problem.loss, Y=changed)), "standard")
    np.testing.assert_array_equal(before.without[1].weights, after.without[1].weights)
    assert not np.array_equal(before.without[0].weights, after.without[0].weights)
    assert not np.array_equal(before.kernel.weights, after.kernel.weights)


@pytest.mark.parametrize("kernels_of", [bank, sections])
def test_a_fold_is_judged_by_its_own_kernel(problem, kernels_of):
    X = problem.tables["standard"]
    representation = combined(kernels_of)(problem, "standard")
    parts = representation._parts(None, X, problem.folds)
    for kernel, fold, (rows, others, K, between) in zip(
        representation.without, problem.folds, parts, strict=True
    ):
        np.testing.assert_array_equal(rows, fold)
        np.testing.assert_array_equal(np.sort(np.append(rows, others)), np.arange(len(X)))
        np.testing.assert_allclose(K, kernel(X[others]), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(between, kernel(X[rows], X[others]), rtol=1e-12, atol=1e-14)


def test_an_estimator_may_have_nothing_else(problem):
    X, y = problem.tables["standard"], problem.Y[:, 0]
    model = kl.KernelRegressor(["combination", "hyperkernel"], max_members=1).fit(X, y)
    assert set(model.candidates_["candidate"]) >= {"combination", "hyperkernel"}
    assert model.score(X, y) > 0.9
    assert len(model.predict_interval(X[:3])) == 3
    # Of the bank, the first column alone is what matters.
    only = kl.KernelRegressor(["combination"], max_members=1).fit(X, y).kernel_.kernel
    assert np.argmax(only.weights) == len(only.weights) - 3


def test_the_levels_of_a_category_are_one_kernel(problem):
    levels = np.eye(4)[np.arange(40) % 4]
    X = np.column_stack([problem.tables["standard"][:, 0], levels])
    table = replace(problem, tables={"standard": X}, origins=np.array([0, 1, 1, 1, 1]))
    kernels = bank(X, table.columns("standard"))
    assert [kernel.columns for kernel in kernels[-2:]] == [[0], [1, 2, 3, 4]]
    same = levels @ levels.T
    # Two different levels are as far apart as two rows are in the mean, other levels and same.
    np.testing.assert_allclose(kernels[-1](X), np.where(same, 1.0, np.exp(-4 / 3)), rtol=1e-12)
    alone = replace(table, origins=None).columns("standard")
    assert len(alone) == 5


@pytest.mark.parametrize("some", [4, 2])  # folds in time order leave rows out that come first
def test_weights_without_a_fold_are_those_of_the_other_rows_alone(problem, some):
    X, Y, folds = problem.tables["standard"], problem.Y, problem.folds[:some]
    grams = gram_stack([*bank(X, problem.columns("standard")), _constant], X)
    found = aligned_weights(grams.copy(), Y, folds)
    for fold, weights in zip(folds, found[1:], strict=True):
        kept = np.setdiff1d(np.arange(40), fold)
        (alone, _) = aligned_weights(grams[:, kept[:, None], kept], Y[kept], [np.arange(2)])
        np.testing.assert_allclose(weights, alone, atol=1e-8 * alone.max())
        assert weights[-1] == 0.0  # of a kernel that is constant
