"""The area under the curve of a growing ball, against scikit-learn's for each point."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import roc_auc_score

import kernlearn as kl


def one_by_one(distances, labels):
    """scikit-learn's area for every point that has both kinds of others."""
    areas = []
    for i in range(len(labels)):
        others = np.arange(len(labels)) != i
        same = labels[others] == labels[i]
        if same.any() and not same.all():
            areas.append(roc_auc_score(same, -distances[i, others]))
    return np.mean(areas)


@settings(max_examples=10)
@given(
    # Few different distances, so that ties are the rule.
    distances=arrays(float, (9, 9), elements=st.sampled_from([0.0, 1.0, 2.0, np.pi, 1e9])),
    labels=arrays(int, 9, elements=st.integers(0, 3)),
)
def test_it_is_the_mean_of_scikit_learns_areas_ties_included(distances, labels):
    labels[:3] = [7, 7, 8]
    expected = one_by_one(distances, labels)
    assert kl.metrics.retrieval_auc(distances, labels) == pytest.approx(expected, rel=1e-12)


def test_the_distance_of_a_point_to_itself_is_not_looked_at():
    rng = np.random.default_rng(0)
    distances, labels = rng.random((8, 8)), np.arange(8) % 3
    before = kl.metrics.retrieval_auc(distances, labels)
    np.fill_diagonal(distances, np.inf)
    assert kl.metrics.retrieval_auc(distances, labels) == before


def test_queries_that_are_not_among_the_points():
    rng = np.random.default_rng(0)
    distances, labels = rng.random((4, 7)), np.arange(7) % 2
    queries = np.array([0, 1, 1, 5])
    areas = [roc_auc_score(labels == queries[i], -distances[i]) for i in range(3)]
    found = kl.metrics.retrieval_auc(distances, labels, queries)
    assert found == pytest.approx(np.mean(areas), rel=1e-12), "the last query has no class here"


def test_order_alone_counts_and_turning_it_round_turns_the_area_round():
    rng = np.random.default_rng(1)
    distances, labels = rng.random((12, 12)), np.array(list("abc") * 4)
    area = kl.metrics.retrieval_auc(distances, labels)
    assert kl.metrics.retrieval_auc(np.exp(7 * distances), labels) == area
    assert kl.metrics.retrieval_auc(-distances, labels) == pytest.approx(1 - area, rel=1e-12)
    assert kl.metrics.retrieval_auc(np.zeros((12, 12)), labels) == 0.5


def test_nothing_is_changed():
    distances = np.random.default_rng(1).random((4, 4))
    before = distances.copy()
    kl.metrics.retrieval_auc(distances, [0, 0, 1, 1])
    np.testing.assert_array_equal(distances, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((3, 3)), [1, 1, 1]), r"one of a different class, got none; pass the labels"),
        ((np.ones((2, 2)), [1, 2]), r"another one of its class .*got none"),
        ((np.ones((3, 3)), [1, 1]), r"one label for each of the 3 columns .*got shape \(2,\)"),
        ((np.ones((2, 3)), [1, 1, 2]), r"each of the 2 rows .*got shape \(3,\); give query_labels"),
        ((np.ones((2, 3)), [1, 1, 2], [1]), r"2 rows .*got shape \(1,\); pass a query label for"),
        ((np.ones(3), [1, 1, 2]), r"a table of distances, got shape \(3,\); pass one row"),
        (([[0, 1], [1]], [1, 1]), r"rows of different lengths; pass for example"),
        ((np.full((3, 3), np.nan), [1, 1, 2]), r"expected numbers as distances, got NaN"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        kl.metrics.retrieval_auc(*arguments)
