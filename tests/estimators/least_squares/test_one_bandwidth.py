"""One bandwidth for all columns: what it blurs is told."""

import warnings

import numpy as np
import pytest

import kernlearn as kl


def grades(rng):
    """Ten grades of one column of eight."""
    X = rng.normal(size=(300, 8))
    return X, np.digitize(X[:, 2], np.quantile(X[:, 2], np.arange(0.1, 1.0, 0.1)))


def exclusive_or(rng):
    X = rng.normal(size=(220, 12))
    return X, X[:, 3] * X[:, 7] > 0


def of_all(rng):
    """All columns matter, each a little."""
    X = rng.normal(size=(100, 4))
    return X, X.sum(axis=1) + 0.5 * rng.normal(size=100) > 0


def two_far_out(rng):
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + X[:, 1] ** 2 > 0.5
    X[:2] *= 1e4
    return X, y


@pytest.mark.parametrize(
    ("problem", "columns", "regression", "rank"),
    [
        (grades, "column 2", True, None),
        (exclusive_or, "column 3 and column 7", False, 60),
    ],
)
def test_columns_that_predict_better_alone_are_told(problem, columns, regression, rank):
    X, y = problem(np.random.default_rng(0))
    estimator = kl.LSSVMRegressor if regression else kl.LSSVMClassifier
    cure = "KernelRegressor" if regression else "KernelClassifier"
    target = np.sin(3.0 * y) if regression else y
    with pytest.warns(UserWarning, match=f"R² on held-out rows .*{columns} alone.*{cure}") as told:
        model = estimator(rank=rank, tol=1e-2).fit(X, target)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert model.status_ in (
        kl.results.Status.ONE_BANDWIDTH,
        kl.results.Status.ONE_BANDWIDTH_AT_CHANCE,
    )
    assert model.status_.has_converged
    assert "one bandwidth for all columns blurs them" in str(model.status_)


@pytest.mark.parametrize("problem", [of_all, two_far_out])
def test_nothing_is_said_where_one_bandwidth_serves(problem):
    X, y = problem(np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = kl.LSSVMClassifier(tol=1e-2).fit(X, y)
    assert model.status_ is kl.results.Status.CONVERGED
    Z, z = problem(np.random.default_rng(1))
    assert model.score(Z[2:], z[2:]) > 0.8


def test_scales_of_the_columns_own_are_not_asked_for_twice():
    X, y = exclusive_or(np.random.default_rng(0))
    assert kl.LSSVMClassifier("ard", tol=3e-2).fit(X, y).status_ is kl.results.Status.CONVERGED
