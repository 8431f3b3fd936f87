"""Ranks and Friedman's tests, against counting, scipy and the analysis of variance."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernlearn.comparison import compare

SHAPES = st.tuples(st.integers(2, 9), st.integers(2, 6))
TIED = arrays(float, SHAPES, elements=st.integers(0, 4).map(float))


def _tie_free(seed, shape=(9, 4)):
    return np.random.default_rng(seed).normal(size=shape)


def _counted_ranks(table):
    """1, plus those that are better, plus half of the others that are equal."""
    N, k = table.shape
    ranks = np.zeros(k)
    for row in table:
        for j in range(k):
            better = sum(row[i] < row[j] for i in range(k))
            equal = sum(row[i] == row[j] for i in range(k)) - 1
            ranks[j] += (1 + better + equal / 2) / N
    return ranks


def _printed_statistic(table):
    """Demšar's formula, which knows nothing of ties."""
    N, k = table.shape
    R = _counted_ranks(table)
    return 12 * N / (k * (k + 1)) * (sum(R**2) - k * (k + 1) ** 2 / 4)


def _anova_of_ranks(table):
    """The F statistic of methods in a two-way layout of the ranks, sum by sum."""
    ranks = np.array([scipy.stats.rankdata(row) for row in table])
    N, k = ranks.shape
    grand = ranks.mean()
    between = N * sum((ranks[:, j].mean() - grand) ** 2 for j in range(k))
    residual = sum(
        (ranks[i, j] - ranks[i].mean() - ranks[:, j].mean() + grand) ** 2
        for i in range(N)
        for j in range(k)
    )
    return between / (k - 1), residual / ((k - 1) * (N - 1))


@settings(max_examples=30)
@given(TIED)
def test_ranks_are_those_counted_by_hand(table):
    ranks = compare(table).ranks
    np.testing.assert_allclose(ranks, _counted_ranks(table))
    assert ranks.sum() == pytest.approx(table.shape[1] * (table.shape[1] + 1) / 2)


@settings(max_examples=30)
@given(TIED)
def test_friedman_is_scipys_with_ties_and_all(table):
    assume(table.shape[1] >= 3)
    assume((table != table[:, :1]).any())
    ours, scipys = compare(table).friedman, scipy.stats.friedmanchisquare(*table.T)
    assert ours.statistic == pytest.approx(scipys.statistic, abs=1e-9)
    assert ours.pvalue == pytest.approx(scipys.pvalue, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_friedman_is_the_printed_formula(seed):
    table = _tie_free(seed)
    assert compare(table).friedman.statistic == pytest.approx(_printed_statistic(table))


def test_with_ties_the_printed_formula_is_conservative():
    table = np.array([[1.0, 1.0, 2.0], [1.0, 2.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 3.0]])
    assert compare(table).friedman.statistic > 1.1 * _printed_statistic(table)


@settings(max_examples=30)
@given(TIED)
def test_iman_davenport_is_the_analysis_of_variance_of_the_ranks(table):
    between, residual = _anova_of_ranks(table)
    assume(residual > 1e-9)
    N, k = table.shape
    ours = compare(table).iman_davenport
    assert ours.statistic == pytest.approx(between / residual, abs=1e-9)
    tail = scipy.stats.f.sf(between / residual, k - 1, (k - 1) * (N - 1))
    assert ours.pvalue == pytest.approx(tail, abs=1e-9)


@settings(max_examples=30)
@given(arrays(float, st.tuples(st.integers(2, 12), st.just(2)), elements=st.integers(0, 3)))
def test_of_two_methods_friedman_is_the_sign_test(table):
    wins, losses = (table[:, 0] < table[:, 1]).sum(), (table[:, 0] > table[:, 1]).sum()
    assume(wins + losses > 0)
    expected = (wins - losses) ** 2 / (wins + losses)
    assert compare(table).friedman.statistic == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (14, 3)])
def test_where_all_rankings_agree_the_evidence_is_as_strong_as_can_be(shape):
    c = compare(np.tile(np.arange(shape[1]), (shape[0], 1)) + np.arange(shape[0])[:, None])
    assert c.friedman.statistic == pytest.approx(shape[0] * (shape[1] - 1))
    assert c.iman_davenport == (np.inf, 0.0)


@pytest.mark.parametrize("shape", [(2, 2), (5, 3)])
def test_where_all_scores_tie_there_is_no_evidence(shape):
    c = compare(np.full(shape, 0.25))
    assert c.friedman == (0.0, 1.0)
    assert c.iman_davenport == (0.0, 1.0)
    assert (c.ranks == (shape[1] + 1) / 2).all()
    assert c.best.all(axis=None)


def test_means_that_differ_by_rounding_tie():
    c = compare([[0.1 + 0.2, 0.3], [1.0, 1.0 + 1e-10]])
    assert c.ranks.tolist() == [1.25, 1.75]


@settings(max_examples=15)
@given(TIED, st.randoms(use_true_random=False))
def test_only_the_order_within_rows_counts(table, random):
    c = compare(table)
    order = random.sample(range(table.shape[1]), table.shape[1])
    moved = compare(np.exp(table[:, order]) + np.arange(len(table))[:, None])
    np.testing.assert_allclose(moved.ranks.to_numpy(), c.ranks.to_numpy()[order])
    assert moved.friedman.statistic == pytest.approx(c.friedman.statistic, abs=1e-9)
    higher = compare(-table, lower_is_better=False)
    np.testing.assert_array_equal(higher.ranks, c.ranks)
    np.testing.assert_array_equal(higher.best, c.best)
