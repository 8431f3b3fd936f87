"""Graphs fused as a Gaussian process: what is learned, predicted and refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import kernlearn as kl
from kernlearn import GraphFusionClassifier, GraphFusionRegressor
from kernlearn.functionals import GaussianDivergence
from kernlearn.kernels import Precomputed


def graphs(n=60, seed=0):
    """A graph of edges within three classes mostly, and one of edges by chance."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % 3
    pairs = [(i, j) for i in range(n) for j in range(i)]
    told = [p for p in pairs if rng.random() < (0.25 if classes[p[0]] == classes[p[1]] else 0.02)]
    chance = [p for p in pairs if rng.random() < 0.1]
    return [told, chance], classes


def test_the_graph_that_tells_has_the_weight_and_labels_the_rest(tmp_path):
    edges, classes = graphs()
    model = GraphFusionClassifier(edges).fit(np.arange(24), classes[:24])
    assert model.duality_gap_ <= 1e-6
    assert model.status_.is_optimal
    assert model.weights_[0] > 3 * model.weights_[1]
    assert model.score(np.arange(24, 60), classes[24:]) > 0.9
    alone = GraphFusionClassifier([edges[1]]).fit(np.arange(24), classes[:24])
    assert alone.score(np.arange(24, 60), classes[24:]) < 0.7
    kl.save(model, tmp_path / "model")
    read = kl.load(tmp_path / "model")
    np.testing.assert_array_equal(read.decision_function([30]), model.decision_function([30]))
    scores = cross_val_score(clone(model), np.arange(60)[:, None], classes, cv=3)
    assert scores.mean() > 0.9


def test_the_objective_is_the_divergence_of_its_kernel():
    """A second derivation: the inverse of R over the labelled nodes as a kernel."""
    edges, _ = graphs(20)
    y = np.random.default_rng(0).normal(size=20)
    model = GraphFusionRegressor(edges, node_precision=0.5).fit(np.arange(20), y)
    at = [model.nodes_.index(i) for i in range(20)]
    K = np.linalg.inv(model.precision_.toarray()[np.ix_(at, at)])
    expected = GaussianDivergence()(Precomputed(K), np.arange(20)[:, None], y - y.mean())
    assert model.objective_ == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(model.predict(np.arange(20)), y)


def test_predictions_are_those_of_the_conditional_gaussian():
    edges, _ = graphs(20)
    y = np.random.default_rng(0).normal(size=12)
    model = GraphFusionRegressor(edges, node_precision=0.5, normalized=False).fit(np.arange(12), y)
    R = model.precision_.toarray()
    at = [model.nodes_.index(i) for i in range(20)]
    C = np.linalg.inv(R[np.ix_(at, at)])
    mean, std = model.predict(np.arange(20), return_std=True)
    inverse = np.linalg.inv(C[:12, :12])
    np.testing.assert_allclose(mean[12:], y.mean() + C[12:, :12] @ inverse @ (y - y.mean()))
    cov = C[12:, 12:] - C[12:, :12] @ inverse @ C[:12, 12:]
    np.testing.assert_allclose(std[12:], np.sqrt(cov.diagonal()))
    assert not std[:12].any()


def test_matrices_and_graphs_are_two_ways_to_say_the_same():
    path = [("a", "b"), ("b", "c"), ("c", "d")]
    other = [("a", "c"), ("b", "d")]
    y = [1, 0, 0]
    named = GraphFusionClassifier([path, other], normalized=False).fit(["a", "b", "c"], y)
    L = [np.zeros((4, 4)), np.zeros((4, 4))]
    for matrix, edges in zip(L, ([(0, 1), (1, 2), (2, 3)], [(0, 2), (1, 3)]), strict=True):
        for i, j in edges:
            matrix[[i, j], [i, j]] += 1.0
            matrix[i, j] = matrix[j, i] = -1.0
    given = GraphFusionClassifier([L[0], csr_array(L[1])]).fit([0, 1, 2], y)
    np.testing.assert_allclose(given.weights_, named.weights_)
    assert given.predict([3]) == named.predict(["d"])
    assert given.decision_function([3]) == pytest.approx(named.decision_function(["d"]))


@pytest.mark.parametrize(
    ("options", "X", "y", "sentence"),
    [
        ({"graphs": None}, [0, 1], [0, 1], "expected a list of graphs, got NoneType"),
        ({}, [0, 1, 2], [0, 0, 0], "at least two classes in y, got one class"),
        ({}, [0, 99], [0, 1], "Nodes must be those of the kernel's graph, got 99"),
        ({}, [0, 0], [0, 1], "expected each node once in X"),
        ({}, [0, 1], [0, 1, 1], "one entry for each of the 2 nodes in X, got 3"),
        ({}, [[0, 1], [1, 2]], [0, 1], "one name of a node in each row of X"),
        ({"node_precision": 0.0}, [0, 1], [0, 1], "node_precision"),
        ({"linear": -1.0}, [0, 1], [0, 1], "not negative, got -1.0"),
        ({"graphs": [np.eye(3), np.eye(2)]}, [0, 1], [0, 1], "matrices over the same nodes"),
        ({"graphs": [np.eye(3), [(0, 1)]]}, [0, 1], [0, 1], "graphs or matrices, got both"),
        ({"graphs": [[(0, 1), (2, 3)]]}, [0, 1, 2, 3], [1, 1, -1, -1], "got none in graph 0"),
    ],
)
def test_what_cannot_be_fused_is_refused_with_a_cure(options, X, y, sentence):
    given = {"graphs": [[(0, 1), (1, 2), (2, 3)]]} | options
    with pytest.raises(ValueError, match=sentence):
        GraphFusionClassifier(**given).fit(X, y)


def test_a_linear_term_bounds_the_weight_of_a_graph_that_is_never_contradicted():
    model = GraphFusionClassifier([[(0, 1), (2, 3)]], linear=0.1, normalized=False)
    model.fit([0, 1, 2, 3], [1, 1, -1, -1])
    # Each edge has the eigenvalue 2: −½·2·log(2r + ε) + 0.1 r is least at 2r + ε = 20.
    assert model.weights_[0] == pytest.approx(9.95, rel=1e-6)
