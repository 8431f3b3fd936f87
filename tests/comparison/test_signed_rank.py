"""Wilcoxon's test and Holm's correction, against scipy, scikit-posthocs and all sign patterns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.stats

from kernlearn.comparison import compare
from kernlearn.comparison.rank_tests import (
    differences,
    exact_pvalue,
    holm,
    leaning,
    signed_rank,
)


@pytest.mark.parametrize("n", [5, 14, 60])
def test_it_is_scipys_on_paired_scores(n):
    rng = np.random.default_rng(n)
    first, second = rng.normal(size=(2, n))
    theirs = scipy.stats.wilcoxon(first, second)
    assert signed_rank(first, second) == (theirs.statistic, pytest.approx(theirs.pvalue))


@pytest.mark.parametrize("seed", range(6))
def test_with_zeros_and_ties_the_pvalue_counts_all_patterns_of_signs(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(-3, 6, size=9)
    first, second = d / 10 + 0.3, np.full(9, 0.3)
    kept = d[d != 0]
    ranks = scipy.stats.rankdata(np.abs(kept))
    centre = ranks.sum() / 2
    observed = abs(ranks[kept > 0].sum() - centre)
    sums = [ranks @ np.array(signs) for signs in product([0, 1], repeat=len(kept))]
    expected = np.mean([abs(s - centre) >= observed - 1e-9 for s in sums])
    assert signed_rank(first, second).pvalue == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 6, 20, 50])
def test_the_exact_distribution_is_scipys_without_ties(n):
    d = np.random.default_rng(n).normal(0.2, 1.0, size=n)
    theirs = scipy.stats.wilcoxon(d, method="exact")
    ours = exact_pvalue(scipy.stats.rankdata(np.abs(d)), theirs.statistic)
    assert ours == pytest.approx(theirs.pvalue, rel=1e-10)


def test_with_many_ties_it_is_close_to_the_normal_distribution():
    d = np.random.default_rng(2).integers(-4, 7, size=45).astype(float)
    theirs = scipy.stats.wilcoxon(d, method="asymptotic", correction=True)
    ours = signed_rank(d, np.zeros(45))
    assert ours.statistic == theirs.statistic
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=0.1)


def test_equal_differences_are_equal_although_binary_fractions_are_not():
    assert 0.3 - 0.1 != 0.4 - 0.2
    np.testing.assert_array_equal(differences([0.3, 0.4, 1.1], [0.1, 0.2, 0.9]), [0.2, 0.2, 0.2])


def test_no_difference_at_all_is_no_evidence():
    assert signed_rank([0.1 + 0.2, 1.0], [0.3, 1.0]) == (0.0, 1.0)
    frame = compare(np.ones((5, 3))).wilcoxon
    assert (frame["pvalue_holm"] == 1.0).all()
    assert frame["better"].isna().all()


def test_the_lean_follows_the_ranks_not_the_count_of_wins():
    # Three small differences, of ranks 1 + 2 + 3, against two large ones, of ranks 4 + 5.
    assert leaning([1, 1, 1, 9, 9], [2, 3, 4, 1, 0]) == 1.0
    c = compare(np.array([[1, 2], [1, 3], [1, 4], [9, 1], [9, 0]]), names=["a", "b"])
    row = c.wilcoxon.loc[("a", "b")]
    assert (row["wins"], row["losses"], row["better"]) == (3, 2, "b")
    high = compare(c.scores, lower_is_better=False).wilcoxon.loc[("a", "b")]
    assert (high["wins"], high["losses"], high["better"]) == (2, 3, "a")
    assert high["pvalue"] == row["pvalue"]


@pytest.mark.parametrize("seed", range(5))
def test_holms_correction_is_that_of_statsmodels(seed):
    multitest = pytest.importorskip("statsmodels.stats.multitest")  # it takes a second to import
    p = np.random.default_rng(seed).uniform(size=10) ** 3
    np.testing.assert_allclose(holm(p), multitest.multipletests(p, method="holm")[1])


def test_all_pairs_are_those_of_scikit_posthocs():
    scikit_posthocs = pytest.importorskip("scikit_posthocs")  # it takes a second to import
    rng = np.random.default_rng(7)
    table = rng.normal(size=(15, 4)) + np.arange(4)
    theirs = scikit_posthocs.posthoc_wilcoxon(list(table.T), p_adjust="holm").to_numpy()
    frame = compare(table).wilcoxon
    names = [f"method {j}" for j in range(1, 5)]
    assert len(frame) == 6
    for (first, second), row in frame.iterrows():
        i, j = names.index(first), names.index(second)
        assert row["pvalue_holm"] == pytest.approx(theirs[i, j])
        assert row["wins"] == (table[:, i] < table[:, j]).sum()
