"""What two columns say together is found on many rows, and has kernels of its own."""

from __future__ import annotations

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.estimators.mkl.column_pairs import PairOptions, PairSample, pair_kernels
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import Columns, Gaussian, Product

N = 900
RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=(N, 4)), RNG.integers(2, size=N)])
CELLS = (np.floor(2 * X[:, 1]) + np.floor(2 * X[:, 3])) % 2
SMOOTH = np.sin(X[:, 0])
Y = SMOOTH + CELLS + 0.1 * RNG.normal(size=N)
WHOLE = Gaussian(0.1)


FEW = PairOptions(landmarks=100, max_pairs=2)


@pytest.fixture
def asked(monkeypatch):
    """The columns whose gain is asked for, in their order."""
    found, best = [], PairSample.best
    monkeypatch.setattr(
        PairSample, "best", lambda self, columns: found.append(columns) or best(self, columns)
    )
    return found


def test_the_pair_that_tells_most_beyond_all_columns_is_found(asked):
    kernels, pairs = pair_kernels(X, [Y], np.ones(N), WHOLE, 0, FEW)
    assert pairs[0] == (1, 3)
    assert isinstance(kernels[0], Columns)
    assert list(kernels[0].columns) == [1, 3]
    # Narrow: the cells are half of a standard deviation wide.
    assert (kernels[0].kernel.gammas * X[:, [1, 3]].var(axis=0)).tolist() == pytest.approx([8, 8])
    assert isinstance(kernels[-1], Product)
    assert len(kernels) == len(pairs) + 1
    # Pairs that explain nothing are not asked about again.
    first, second = asked[:6], asked[6:]
    assert sorted(first) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert 1 <= len(second) < 6
    assert (1, 3) in second


def test_many_columns_are_screened_first(asked):
    both = [Y, X[:, 1] + X[:, 3]]  # each of the two says something by itself, too
    options = PairOptions(landmarks=100, max_pairs=1, most_columns=3)
    assert pair_kernels(X, both, np.ones(N), WHOLE, 0, options)[1] == [(1, 3)]
    assert [len(columns) for columns in asked] == [1] * 4 + [2] * 3
    assert (4,) not in asked  # two values: a category


def test_later_rounds_look_at_the_best_width_alone_and_at_all_of_the_pair_that_was_taken(
    monkeypatch,
):
    looked = []
    judged = PairSample._judged

    def noted(self, kernels, maps=None):
        looked.extend(tuple(one.columns) for one in kernels if isinstance(one, Columns))
        return judged(self, kernels, maps)

    monkeypatch.setattr(PairSample, "_judged", noted)
    monkeypatch.setattr(PairSample, "left_over", lambda self, kernels: self)  # every pair is left
    target = 0.3 * X[:, :3].sum(axis=1) + 3.0 * CELLS
    assert pair_kernels(X, [target], np.ones(N), WHOLE, 0, FEW)[1] == [(1, 3), (1, 3)]
    again = [pair for pair in set(looked) if looked.count(pair) > 3]
    assert (1, 3) in again
    assert len(again) > 1
    assert all(looked.count(pair) == (6 if pair == (1, 3) else 4) for pair in again)


def test_where_no_pair_tells_anything_there_is_none():
    noise = RNG.normal(size=N)
    assert pair_kernels(X, [noise], np.ones(N), WHOLE, 0, FEW) == ([], [])
    assert pair_kernels(X[:, :1], [Y], np.ones(N), WHOLE, 0, FEW) == ([], [])
    assert pair_kernels(np.zeros((N, 2)), [Y], np.ones(N), WHOLE, 0, FEW) == ([], [])


def test_what_is_left_over_is_what_machines_that_miss_a_fold_are_wrong_by():
    n = 60
    options = PairOptions(landmarks=n, ridges=(3.0,))
    sample = PairSample(X[:n], Y[:n, None], np.ones(n), 0, options)
    K, fold = WHOLE(X[:n]), np.random.RandomState(0).permutation(n) % 5
    expected = np.empty(n)
    for i in range(5):
        inside, out = np.flatnonzero(fold != i), np.flatnonzero(fold == i)
        A = np.ones((len(inside) + 1, len(inside) + 1))
        A[:-1, :-1] = K[np.ix_(inside, inside)] + 3.0 * np.eye(len(inside))
        A[-1, -1] = 0.0
        a = np.linalg.solve(A, np.append(Y[inside], 0.0))
        expected[out] = Y[out] - K[np.ix_(out, inside)] @ a[:-1] - a[-1]
    np.testing.assert_allclose(sample.left_over([WHOLE])._Y[:, 0], expected, atol=1e-8)


def test_the_bank_of_many_rows_has_kernels_of_pairs():
    options = {"quality": "least_squares", "C": 10.0, "rank": 80, "random_state": 2, "tol": 1e-3}
    model = kl.MKLRegressor(**options)
    model._engine = EngineOptions(pairs=FEW)
    model.fit(X[:500], Y[:500])
    plain = kl.MKLRegressor(model.kernels_[:6], **options).fit(X[:500], Y[:500])
    assert any("columns 1 and 3" in note for note in model.bank_notes_)
    assert model.score(X[700:], Y[700:]) > plain.score(X[700:], Y[700:]) + 0.05
    # Kernels of one's own are not added to, and few rows have the bank alone.
    assert len(plain.kernels_) == 6
    exact = kl.MKLRegressor(quality="least_squares", C=1.0).fit(X[:40], Y[:40])
    assert len(exact.kernels_) == 6
