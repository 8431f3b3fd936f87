"""Held-out losses in closed form against training again and again."""

import numpy as np
import pytest

from kernlearn.families.factors import Factors
from kernlearn.kernels import Gaussian, Laplacian, Linear
from kernlearn.solvers.nystroem.held_out import LowRankFolds, leave_one_out, loss_by_rank, trained
from kernlearn.solvers.nystroem.moments import moments_by_fold, total_of

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
