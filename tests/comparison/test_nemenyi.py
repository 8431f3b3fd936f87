"""Nemenyi's test, against the printed quantiles, scikit-posthocs and all subsets."""

from __future__ import annotations

from itertools import chain, combinations, pairwise

import numpy as np
import pytest

from kernlearn.comparison import compare
from kernlearn.comparison.rank_tests import maximal_groups

# Demšar (2006), Table 5(a): q for 2 to 10 methods.
QUANTILES = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def _table(seed, N=12, k=5, spread=0.6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, k)) + spread * rng.permutation(k)


@pytest.mark.parametrize("alpha", QUANTILES)
@pytest.mark.parametrize("k", range(2, 11))
def test_the_quantiles_are_those_of_the_tables(alpha, k):
    N = 7
    expected = QUANTILES[alpha][k - 2] * np.sqrt(k * (k + 1) / (6 * N))
    cd = compare(np.arange(N * k).reshape(N, k)).critical_difference(alpha)
    assert cd == pytest.approx(expected, rel=6e-4)


@pytest.mark.parametrize("seed", range(4))
def test_pvalues_are_those_of_scikit_posthocs(seed):
    scikit_posthocs = pytest.importorskip("scikit_posthocs")  # it takes a second to import
    table = _table(seed)
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(table)
    np.testing.assert_allclose(compare(table).nemenyi, theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_pair_differs_by_the_critical_difference_exactly_where_its_pvalue_is_small(seed):
    c = compare(_table(seed))
    gaps = np.abs(c.ranks.to_numpy()[:, None] - c.ranks.to_numpy())
    for alpha in (0.01, 0.1, 0.5):
        np.testing.assert_array_equal(gaps >= c.critical_difference(alpha), c.nemenyi <= alpha)


def _by_all_subsets(ranks, width):
    """The maximal sets of two or more with no two members `width` or more apart."""
    k = len(ranks)
    subsets = chain.from_iterable(combinations(range(k), size) for size in range(2, k + 1))
    close = [set(s) for s in subsets if max(ranks[j] for j in s) - min(ranks[j] for j in s) < width]
    return {frozenset(s) for s in close if not any(s < other for other in close)}


@pytest.mark.parametrize("seed", range(10))
def test_groups_are_the_maximal_undivided_sets(seed):
    rng = np.random.default_rng(seed)
    ranks = np.round(rng.uniform(1, 6, size=6), 1).tolist()
    width = rng.uniform(0.3, 4)
    runs = maximal_groups(ranks, width)
    assert {frozenset(run) for run in runs} == _by_all_subsets(ranks, width)
    assert len(runs) == len(set(map(frozenset, runs)))
    assert all(ranks[a] <= ranks[b] for run in runs for a, b in pairwise(run))
    assert [ranks[run[0]] for run in runs] == sorted(ranks[run[0]] for run in runs)


def test_groups_are_named_and_divided_at_the_level():
    c = compare(_table(1, N=30, spread=1.0), names="abcde")
    assert c.differs(0.01)
    for alpha in (0.001, 0.1, 0.5):
        places = [c.ranks.index.get_indexer(group) for group in c.groups(alpha)]
        expected = _by_all_subsets(c.ranks.tolist(), c.critical_difference(alpha))
        assert {frozenset(p.tolist()) for p in places} == expected
    assert c.groups(0.001) != c.groups(0.5)


def test_without_a_difference_to_explain_nothing_is_divided():
    # Two clear rivals, but the methods as a whole show no difference at this level.
    rng = np.random.default_rng(10)
    tables = (rng.normal(size=(6, 8)) for _ in range(20))
    c = next(
        c
        for c in map(compare, tables)
        if c.nemenyi.to_numpy().min() <= 0.1 and c.iman_davenport.pvalue > 0.1
    )
    assert len(c.groups(0.1)) == 1
    assert set(c.groups(0.1)[0]) == set(c.ranks.index)
