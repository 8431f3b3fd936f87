"""Zeros that were summed up, and ties: what rounding must not decide, on any processor.

Each test goes through so many numbers that some of them round otherwise than exact arithmetic with
any BLAS.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernlearn import learn_weights
from kernlearn.estimators.held_out.survival_curves import SurvivalCurves
from kernlearn.estimators.mixture.targets.counts import explained_deviance
from kernlearn.estimators.ranking.preferences import normalized_gain, pair_accuracy
from kernlearn.gram import center, eigenvectors, unit_diagonal
from kernlearn.gram._pivoted_cholesky import largest_residuals
from kernlearn.kernels import Centered, Gaussian, Linear, Normalized
from kernlearn.methods.outcomes import outcome_score, r2_by_outcome
from kernlearn.methods.paired import squared_errors
from kernlearn.numerics.rounding import (
    first_least,
    is_less,
    ranks,
    standard_deviation,
    without_rounding,
)
from kernlearn.quality.discriminants import Discriminants, fit_softmax
from kernlearn.quality.predictive import LogLoss
from kernlearn.solvers.engine.exact import most_equal
from kernlearn.solvers.selection.mixture import weights_by_errors
from kernlearn.solvers.selection.ridge_search import minimise_along
from kernlearn.solvers.weights.choice_of_C import lowest

TENTHS = np.arange(1.0, 31.0) / 10.0


def test_constant_columns_have_no_standard_deviation():
    X = np.column_stack([np.tile(TENTHS, (37, 1)), np.arange(37.0)])
    weight = np.random.default_rng(0).uniform(0.0, 1.0, size=37)
    for found in (standard_deviation(X), standard_deviation(X, weight)):
        assert not found[:-1].any()
    np.testing.assert_allclose(standard_deviation(X)[-1], np.arange(37.0).std())
    weight[0], X[0] = 0.0, 100.0
    assert not standard_deviation(X, weight)[:-1].any()
    assert standard_deviation([1.0, 1.0 + 1e-9]) > 0.0


def test_zeros_are_known_by_the_size_of_their_terms():
    assert without_rounding([1e-16, -1e-16, 1e-15], 1.0, 2).tolist() == [0.0, 0.0, 1e-15]
    assert without_rounding([1e-16, 1e-10], [1e-16, 1e6], 2).tolist() == [1e-16, 0.0]


def test_the_first_of_the_least_losses():
    assert first_least([0.3, 0.1 + 0.2]) == first_least([0.1 + 0.2, 0.3]) == 0
    assert first_least([1.0, 1.0 - 1e-8]) == 1
    assert first_least([np.inf, np.nan, -np.inf]) == 2
    assert first_least([np.nan, np.nan]) == 0
    assert is_less(1.0, np.inf)
    assert not is_less(np.inf, np.inf)
    assert not is_less(np.nan, 1.0)
    assert not is_less(0.3, 0.1 + 0.2)


def flat(seed):
    """A loss that is 0.3 everywhere, up to rounding."""
    rng = np.random.default_rng(seed)
    return lambda _: 0.3 * (1.0 + 1e-15 * rng.integers(-5, 6))


def test_flat_losses_leave_the_search_where_it_begins():
    for seed in range(20):
        assert minimise_along(flat(seed), start=1.0).at == 1.0
        assert lowest(flat(seed), 6) == 0


def test_points_at_the_mean_have_no_length():
    for offset in TENTHS:
        X = np.array([[offset], [offset + 0.1], [offset + 0.2]])
        for K in (unit_diagonal(center(X @ X.T)), Normalized(Centered(Linear(), X))(X)):
            np.testing.assert_allclose(K, [[1, 0, -1], [0, 0, 0], [-1, 0, 1]], atol=1e-12)


def test_signs_of_eigenvectors_with_two_largest_entries():
    """Of points that lie symmetrically every second eigenvector is odd."""
    for n in range(4, 24):
        K = Gaussian(1.0)(np.linspace(-1.0, 1.0, n)[:, None])
        for vector in eigenvectors(K, n_components=4)[0].T:
            size = np.abs(vector)
            assert vector[np.argmax(size > (1.0 - 1e-8) * size.max())] > 0


def test_pivots_among_equals_are_the_first():
    active, bound, others = largest_residuals(np.ones(20_000))
    np.testing.assert_array_equal(active, np.arange(len(active)))
    assert (bound, others) == (1.0, 20_000.0 - len(active))


def test_machines_that_predict_constants_have_no_discriminants():
    weight = np.random.default_rng(0).uniform(0.5, 1.0, size=33)
    signs = np.where(np.arange(33)[:, None] % 3 == np.arange(3), 1.0, -1.0)
    for constant in TENTHS:
        values = np.tile(constant * np.array([0.3, 0.4, 0.7]), (33, 1))
        np.testing.assert_array_equal(Discriminants.of(values, signs, weight).matrix, np.eye(3))


def test_values_that_are_equal_on_paper_have_no_slope():
    codes = np.array([0, 0, 0, 1, 2, 0])
    assert fit_softmax(np.tile([0.1 + 0.2, 0.3, 0.3], (6, 1)), codes) == 0.0
    # Sums over many rows, such as the values of a machine, differ by more roundings.
    values = np.where(codes[:, None] == np.arange(3), 1.0 + 1e-14, 1.0)
    assert fit_softmax(values, codes) == 0.0


def test_kernels_that_say_nothing_of_the_labels_are_refused():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        u, y = rng.normal(size=30), rng.permutation(np.repeat([1.0, -1.0], 15))
        u -= (u @ y) / 30.0 * y
        with pytest.raises(ValueError, match="expected a kernel that agrees with the labels"):
            learn_weights(np.outer(u, u)[None], y, quality="alignment")


def test_equal_losses_leave_the_weights_equal():
    for seed in range(50):
        losses = np.random.default_rng(seed).uniform(size=30)
        assert most_equal([losses + 0.1 - 0.1, losses], np.ones(30)) == 0


def test_equal_numbers_of_errors_are_told_apart_by_the_loss():
    """With 49 rows each has the weight of 0.9999999999999999 rows."""
    y = np.where(np.arange(49) % 2, 1.0, -1.0)[:, None]
    loss = LogLoss(y, np.ones(49))
    for n_wrong in range(3, 24):
        rough, good = (np.roll(np.arange(49) < n_wrong, shift)[:, None] for shift in (0, 20))
        held_out = np.stack([np.where(rough, -1.0, 0.1) * y, np.where(good, -0.1, 1.0) * y])
        assert weights_by_errors(loss, held_out, 1).argmax() == 1


def test_equal_differences_of_squared_errors_have_no_p_value():
    for constant in TENTHS:
        n = int(10 * constant) + 5
        first, second = (
            SimpleNamespace(y=np.zeros(n), predicted=np.full(n, scale * constant))
            for scale in (1.0, 0.7)
        )
        assert squared_errors(first, second).p_value is None


def _predictions_of_equal_rows():
    """Products with a matrix whose rows come twice: often they differ by their rounding."""
    for n in range(5, 30):
        rng = np.random.default_rng(n)
        rows = rng.normal(size=(n, 3))
        X = np.vstack([rows, rows])
        squares = ((X[:, None] - X[None]) ** 2).sum(-1)
        yield n, np.exp(-squares) @ rng.normal(size=2 * n)


def test_equal_rows_are_in_no_order():
    first = np.array([0, 1])
    for n, scores in _predictions_of_equal_rows():
        places = ranks(scores)
        np.testing.assert_array_equal(places[:n], places[n:])
        assert pair_accuracy(scores, np.column_stack([np.arange(n), np.arange(n) + n])) == 0.5
        assert normalized_gain(scores[[0, n]], first) == pytest.approx(0.5 + 0.5 / np.log2(3))
        told = SimpleNamespace(predict=lambda rows, scores=scores: scores[rows])
        twins = np.array([(True, 1.0), (False, 2.0)], dtype=[("event", bool), ("time", float)])
        assert SurvivalCurves.score(told, np.array([0, n]), twins) == 0.5
        graded = np.zeros(2, dtype=[("grade", float), ("group", int)])
        graded["grade"] = first
        assert outcome_score("first_is_best", graded, scores[[0, n]]) == 0.5
    assert ranks([np.inf, 1.0, -np.inf, np.inf, 1.0 + 1e-15]).tolist() == [2, 1, 0, 2, 1]


def test_equal_rates_have_no_deviance_to_explain():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        weight, exposure = rng.random(20), rng.integers(1, 9, size=20).astype(float)
        counts = exposure * rng.integers(1, 9)
        assert explained_deviance(counts, 1.1 * counts, exposure, weight, 0.0) == 0.0


def test_constant_outcomes_have_no_share_to_explain():
    for constant in TENTHS:
        y = np.column_stack([np.full(37, constant), np.arange(37.0)])
        found = r2_by_outcome(y, 0.9 * y)
        assert found[0] == 0.0
        assert 0.5 < found[1] < 1.0
