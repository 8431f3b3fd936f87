"""Sums over rows are added by name, whatever else an object remembers."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian, Laplacian, Linear
from kernlearn.solvers.nystroem import moments as module
from kernlearn.solvers.nystroem.moments import (
    LowRankFolds,
    Moments,
    leave_one_out,
    loss_by_rank,
    moments_by_fold,
    total_of,
    trained,
)

NAMES = [each.name for each in fields(Moments)]


@pytest.fixture
def one():
    rng = np.random.default_rng(0)
    shapes = {"with_targets": (3, 2), "columns": 3, "traces": (2, 4), "mass": ()}
    sums = {name: rng.normal(size=shapes.get(name, 2)) for name in NAMES}
    made = Moments(**{**sums, "products": np.tril(rng.normal(size=(3, 3)))})
    vars(made)["something cached"] = "no sum"
    return made


def test_sums_and_differences(one):
    twice = one + one
    nothing = twice - one - one
    for name in NAMES:
        np.testing.assert_allclose(getattr(twice, name), 2.0 * getattr(one, name))
        np.testing.assert_allclose(getattr(nothing, name), 0.0, atol=1e-15)


def test_sums_of_all_blocks(one):
    host = module.moments_on_host(one)
    np.testing.assert_array_equal(host.products, one.products + np.tril(one.products, -1).T)
    for name in NAMES[1:]:
        np.testing.assert_array_equal(getattr(host, name), getattr(one, name))


def test_a_block_is_added_to_a_total():
    rng = np.random.default_rng(1)
    Z, Y, theta = rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), rng.uniform(1, 2, size=6)
    traces = np.ones((2, 4))
    first, second = (
        module.block_moments(Z[rows], Y[rows], theta[rows], traces, None)
        for rows in (slice(2), slice(2, 6))
    )
    expected = first + second
    vars(first)["something cached"] = "no sum"
    total = module.block_moments(Z[2:], Y[2:], theta[2:], traces, first)
    for name in NAMES[1:]:
        np.testing.assert_allclose(getattr(total, name), getattr(expected, name))
    np.testing.assert_allclose(np.tril(total.products), np.tril(expected.products))


RNG = np.random.default_rng(1)
N = 90
X = RNG.standard_normal((N, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] ** 2]) + 0.1 * RNG.standard_normal((N, 2))
THETA = RNG.uniform(0.2, 3.0, N)
FOLD = np.arange(N) % 3
WEIGHTS, RIDGE = np.array([0.6, 0.0, 0.4]), 0.2
FACTORS = Factors.through_landmarks([Gaussian(0.4), Linear(), Laplacian(0.3)], X, 25, "random", 0)


def fit_and_predict(train, test, rank=25):
    """The bordered system on the rows of the training set."""
    columns = np.flatnonzero(FACTORS.place < rank)
    d = np.sqrt((FACTORS.membership @ WEIGHTS)[columns])
    Z = FACTORS(X)[:, columns] * d
    K = Z @ Z.T
    n = len(train)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K[np.ix_(train, train)] + RIDGE * np.diag(1 / THETA[train])
    system[:n, n] = system[n, :n] = 1.0
    solved = np.linalg.solve(system, np.vstack([Y[train], np.zeros((1, 2))]))
    return K[np.ix_(test, train)] @ solved[:n] + solved[n]


class InBlocks:
    """The rows, 17 at a time."""

    def __len__(self):
        return N

    def blocks(self, size):
        return (X[start : start + 17] for start in range(0, N, 17))


def folds_of(fold, source=X):
    return moments_by_fold(source, FACTORS, Y, THETA, fold)


@pytest.mark.parametrize("rank", [25, 4])
def test_folds(rank):
    expected = np.zeros(2)
    for f in range(3):
        train, test = np.flatnonzero(f != FOLD), np.flatnonzero(f == FOLD)
        residual = Y[test] - fit_and_predict(train, test, rank)
        expected += (THETA[test, None] * residual**2).sum(axis=0)
    chosen = FACTORS.place < rank
    parts = [fold.corner(chosen) for fold in folds_of(FOLD)]
    found = LowRankFolds(parts, FACTORS.membership[chosen]).loss(WEIGHTS, RIDGE)
    np.testing.assert_allclose(found, expected / THETA.sum(), rtol=1e-8)
    ranks, losses = loss_by_rank(folds_of(FOLD), FACTORS, WEIGHTS, RIDGE)
    assert ranks.tolist() == [4, 7, 13, 25]
    assert losses[ranks == rank] == pytest.approx(found.sum(), rel=1e-9)


@pytest.mark.parametrize("fold", [FOLD, np.sort(FOLD)])
def test_moments_of_many_blocks_are_those_of_one(fold):
    # Sorted, no block has rows of all folds.
    whole = folds_of(fold)
    for part, expected in zip(folds_of(fold, InBlocks()), whole, strict=True):
        for name, numbers in vars(expected).items():
            np.testing.assert_allclose(getattr(part, name), numbers, rtol=1e-12, atol=1e-12)


def test_leaving_out_one_row():
    everything = np.arange(N)
    expected = np.vstack([fit_and_predict(np.delete(everything, i), [i]) for i in everything])
    moments = total_of(folds_of(np.zeros(N, dtype=int)))
    found = leave_one_out(InBlocks(), FACTORS, moments, Y, THETA, WEIGHTS, RIDGE)
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_trained_is_the_bordered_system():
    moments = total_of(folds_of(np.zeros(N, dtype=int)))
    coef = trained(moments, FACTORS.membership, WEIGHTS, RIDGE)
    values = (FACTORS(X) - FACTORS.shift) @ coef + moments.intercept(coef)
    everything = np.arange(N)
    np.testing.assert_allclose(values, fit_and_predict(everything, everything), atol=1e-8)
