"""The lasso as a learned combination of linear kernels of single columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso, MultiTaskLasso

import kernlearn as kl
from kernlearn.estimators.mixture.candidates.lasso import CentredLasso, LassoOptions, lasso_columns
from kernlearn.estimators.mixture.candidates.machine import CentredMatrix
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.kernels import Linear, Stretched
from kernlearn.quality.predictive import LogLoss, SquaredLoss


def make_problem(n=60, p=100, k=1, noise=0.3, weight=None):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) + 2.0
    Y = X[:, :3] @ rng.uniform(1.0, 2.0, size=(3, k)) + noise * rng.normal(size=(n, k))
    folds = [np.arange(i, n, 5) for i in range(5)]
    loss = SquaredLoss(Y, np.ones(n) if weight is None else weight)
    return CandidateProblem({"standard": X}, loss, folds)


@pytest.mark.parametrize("k", [1, 2])
def test_the_machine_of_the_learned_kernel_is_the_lasso(k):
    problem = make_problem(k=k)
    X, Y, n = problem.tables["standard"], problem.Y, len(problem)
    centred = CentredLasso(problem, "standard", 1e-12)
    alpha = 0.1 * centred.largest
    ours = centred.path(np.array([alpha]))[0]
    lasso = (Lasso if k == 1 else MultiTaskLasso)(alpha, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(ours, np.reshape(lasso.coef_, (k, -1)).T, atol=1e-8)
    sizes = np.linalg.norm(ours, axis=1)
    assert 3 <= np.count_nonzero(sizes) < 30
    kernel = Stretched(Linear(), np.sqrt(sizes))
    a, b = CentredMatrix.of(kernel(X)).solve(Y, np.full(n, n * alpha))
    np.testing.assert_allclose(kernel(X) @ a + b, lasso.predict(X).reshape(n, k), atol=1e-6)


def test_no_column_has_a_weight_at_the_largest_penalty_and_one_has_just_below():
    centred = CentredLasso(make_problem(), "standard", 1e-10)
    path = centred.path(centred.largest * np.array([1.001, 0.99]))
    assert [np.count_nonzero(coefs) for coefs in path] == [0, 1]


def test_the_columns_that_matter_are_found_in_every_fold():
    representation = lasso_columns(make_problem(), "standard")
    for scales in (representation.scales, *representation.without):
        assert scales[:3].min() > 2 * scales[3:].max()
        assert np.count_nonzero(scales) < 60
    assert len({tuple(scales) for scales in representation.without}) == 5


def test_a_row_of_weight_two_is_two_rows():
    fine = LassoOptions(tol=1e-10)
    weight = np.ones(60)
    weight[:20] = 2.0
    weighted = make_problem(weight=weight)
    twice = np.concatenate([np.arange(60), np.arange(20)])
    X, Y = weighted.tables["standard"][twice], weighted.Y[twice]
    folds = [np.flatnonzero(twice % 5 == i) for i in range(5)]
    repeated = CandidateProblem({"standard": X}, SquaredLoss(Y, np.ones(80)), folds)
    one, other = (lasso_columns(problem, "standard", fine) for problem in (weighted, repeated))
    np.testing.assert_allclose(one.scales, other.scales, atol=1e-4)
    np.testing.assert_allclose(one.without, other.without, atol=1e-4)


def test_where_nothing_can_be_learned_no_column_is_kept():
    problem = make_problem()
    noise = np.random.default_rng(5).normal(size=problem.Y.shape)
    for Y in (noise, np.zeros_like(noise)):
        lost = CandidateProblem(problem.tables, SquaredLoss(Y, problem.weight), problem.folds)
        with pytest.raises(np.linalg.LinAlgError, match="no column"):
            lasso_columns(lost, "standard")


def test_few_of_many_columns_are_learned_from_few_rows():
    problem = make_problem(n=80, p=400)
    X, y = problem.tables["standard"], problem.Y[:, 0]
    names = ["linear", "Gaussian", "ARD", "sparse linear"]
    model = kl.KernelRegressor(names, max_members=1).fit(X[:60], y[:60])
    assert model.candidates_["candidate"][0] == "sparse linear"
    assert model.score(X[60:], y[60:]) > 0.95
    assert model.kernel_(X[:2]).shape == (2, 2)
    labels = CandidateProblem(
        problem.tables, LogLoss(np.sign(problem.Y - 9.0), np.ones(80)), problem.folds
    )
    assert np.argsort(-lasso_columns(labels, "standard").scales)[0] < 3
