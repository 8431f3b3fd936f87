"""Kernels on sequences, graphs, sets, categories and series, held against their definitions."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from kernlearn import kernels
from kernlearn.kernels import (
    Bag,
    ChiSquared,
    Columns,
    Diffusion,
    Gaussian,
    GlobalAlignment,
    Intersection,
    Linear,
    Mismatch,
    Normalized,
    Overlap,
    RegularizedLaplacian,
    ShortestPath,
    Spectrum,
    Subsequence,
    WeightedDegree,
    WeisfeilerLehman,
)
from kernlearn.testing import check_kernel

THINGS = sorted(
    n for n in kernels.__all__ if getattr(getattr(kernels, n), "takes_things", 0) is True
)
dna = st.lists(st.text("ACGT", max_size=9), min_size=1, max_size=6)


@pytest.mark.parametrize("name", THINGS)
def test_laws_of_kernels_on_things(name, thing_examples):
    kernel, X = thing_examples[name]
    check_kernel(kernel, X)
    if name in ("Features", "Overlap", "ShortestPath", "Spectrum"):  # fitted ones and others
        check_kernel(0.5 * Normalized(kernel) + kernel**2, X[:3])


@pytest.mark.parametrize("name", THINGS)
def test_things_in_a_column_of_a_data_frame_are_the_things_themselves(name, thing_examples):
    kernel, X = thing_examples[name]
    frame = pd.DataFrame({"number": np.arange(len(X)) * 1.0})
    frame["thing"] = pd.Series([x[0] if name == "Overlap" else x for x in X], dtype=object)
    X = [[row[0]] for row in X] if name == "Overlap" else X
    fitted = Columns("thing", kernel).fitted_to(frame)
    np.testing.assert_array_equal(fitted(frame, frame[:2]), kernel.fitted_to(X)(X, X[:2]))


# Sequences.


def words(text, k):
    return [text[i : i + k] for i in range(len(text) - k + 1)]


def by_pairs(X, function):
    return np.array([[function(x, z) for z in X] for x in X], dtype=float)


@settings(max_examples=15)
@given(X=dna, k=st.integers(1, 4))
def test_spectrum_counts_the_words_that_are_shared(X, k):
    def shared(x, z):
        a, b = Counter(words(x, k)), Counter(words(z, k))
        return sum(a[u] * b[u] for u in a)

    np.testing.assert_array_equal(Spectrum(k)(X), by_pairs(X, shared))


def test_spectrum_of_long_words_in_many_letters_and_of_any_script():
    X = ["".join(map(chr, range(40, 140))), "".join(map(chr, range(70, 170))), "Füße, 日本語"]
    K = Spectrum(30)(X)
    np.testing.assert_array_equal(K, [[71, 41, 0], [41, 71, 0], [0, 0, 0]])
    assert Spectrum(2)(["日本語"], ["本語日本"])[0, 0] == 2


@settings(max_examples=12)
@given(X=dna, k=st.integers(1, 3), m=st.integers(0, 2))
def test_mismatch_counts_the_words_that_are_near(X, k, m):
    m = min(m, k - 1)
    every = list(itertools.product("ACGT", repeat=k))

    def counts(text):
        return np.array(
            [
                sum(sum(a != b for a, b in zip(u, w, strict=True)) <= m for w in words(text, k))
                for u in every
            ]
        )

    features = np.array([counts(x) for x in X])
    np.testing.assert_array_equal(Mismatch(k, m)(X), features @ features.T)
    if m == 0:
        np.testing.assert_array_equal(Mismatch(k, 0)(X), Spectrum(k)(X))


@settings(max_examples=12)
@given(
    X=st.integers(1, 8).flatmap(
        lambda n: st.lists(st.text("ACG", min_size=n, max_size=n), min_size=1, max_size=5)
    ),
    degree=st.integers(1, 4),
)
def test_weighted_degree_compares_words_at_the_same_place(X, degree):
    def shared(x, z):
        return sum(
            2.0 * (degree - d + 1) / (degree * (degree + 1)) * (x[i : i + d] == z[i : i + d])
            for d in range(1, degree + 1)
            for i in range(len(x) - d + 1)
        )

    np.testing.assert_allclose(WeightedDegree(degree)(X), by_pairs(X, shared), atol=1e-13)


@settings(max_examples=12)
@given(X=dna, p=st.integers(1, 3), decay=st.sampled_from([0.3, 0.8, 1.0]))
def test_subsequence_sums_over_all_places(X, p, decay):
    def places(text):
        found = Counter()
        for chosen in itertools.combinations(range(len(text)), p):
            found["".join(text[i] for i in chosen)] += decay ** (chosen[-1] - chosen[0] + 1)
        return found

    def shared(x, z):
        a, b = places(x), places(z)
        return sum(a[u] * b[u] for u in a)

    np.testing.assert_allclose(Subsequence(p, decay)(X), by_pairs(X, shared), atol=1e-12)


# Graphs.


def random_graph(rng):
    n = int(rng.integers(1, 8))
    edges = [(i, j) for i in range(n) for j in range(i, n) if rng.random() < 0.4]
    return {"edges": edges, "labels": rng.choice(["C", "O", "N"], n).tolist()}


GENERATOR = np.random.default_rng(0)
MOLECULES = [random_graph(GENERATOR) for _ in range(12)]


def neighbours(graph, i):
    joined = {frozenset(edge) for edge in graph["edges"]}
    return [j for j in range(len(graph["labels"])) if frozenset((i, j)) in joined]


@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_weisfeiler_lehman_counts_nested_labels(iterations):
    """Labels as nested tuples, never compressed: the definition."""

    def counts(graph):
        labels = list(graph["labels"])
        found = Counter((0, label) for label in labels)
        for r in range(1, iterations + 1):
            labels = [
                (labels[i], tuple(sorted((labels[j] for j in neighbours(graph, i)), key=repr)))
                for i in range(len(labels))
            ]
            found.update((r, label) for label in labels)
        return found

    def shared(x, z):
        a, b = counts(x), counts(z)
        return sum(a[u] * b[u] for u in a)

    np.testing.assert_array_equal(
        WeisfeilerLehman(iterations)(MOLECULES), by_pairs(MOLECULES, shared)
    )


def test_shortest_path_counts_pairs_at_a_distance():
    def counts(graph):
        n = len(graph["labels"])
        lengths = np.full((n, n), np.inf)
        for i in range(n):
            lengths[i, neighbours(graph, i)] = 1.0
        np.fill_diagonal(lengths, 0.0)
        for k in range(n):  # Floyd and Warshall
            lengths = np.minimum(lengths, lengths[:, [k]] + lengths[[k]])
        return Counter(
            (*sorted((graph["labels"][i], graph["labels"][j])), lengths[i, j])
            for i, j in itertools.combinations(range(n), 2)
            if np.isfinite(lengths[i, j])
        )

    def shared(x, z):
        a, b = counts(x), counts(z)
        return sum(a[u] * b[u] for u in a)

    np.testing.assert_array_equal(ShortestPath()(MOLECULES), by_pairs(MOLECULES, shared))


@pytest.mark.parametrize("kernel", [WeisfeilerLehman(2), ShortestPath()])
def test_graphs_are_the_same_in_every_form(kernel):
    networkx = pytest.importorskip("networkx")
    for graph in MOLECULES:
        network = networkx.Graph()
        network.add_nodes_from((i, {"label": c}) for i, c in enumerate(graph["labels"]))
        network.add_edges_from(graph["edges"])
        named = {
            "edges": [(f"n{a}", f"n{b}") for a, b in graph["edges"]],
            "labels": {f"n{i}": c for i, c in enumerate(graph["labels"])},
        }
        twice = {**graph, "edges": graph["edges"] + [(b, a) for a, b in graph["edges"]]}
        values = kernel([graph], [graph, network, named, twice])
        np.testing.assert_array_equal(values, np.full((1, 4), values[0, 0]))
    edges = np.array([[0, 1], [1, 2]])
    assert np.unique(kernel([edges, edges.tolist(), networkx.path_graph(3)])).size == 1


EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (6, 6)]


@pytest.mark.parametrize("normalized", [False, True])
def test_kernels_of_nodes_are_functions_of_the_laplacian(normalized):
    A = np.zeros((6, 6))
    for a, b in EDGES[:-1]:
        A[a, b] = A[b, a] = 1.0
    degrees = A.sum(axis=1)
    L = np.diag(degrees) - A
    if normalized:
        roots = np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0)
        L = roots[:, None] * L * roots
    nodes = [0, 1, 2, 3, 4, 6]
    heat = Diffusion(EDGES, beta=0.7, normalized=normalized)
    np.testing.assert_allclose(heat(nodes), expm(-0.7 * L), atol=1e-12)
    smooth = RegularizedLaplacian(EDGES, gamma=0.7, normalized=normalized)
    np.testing.assert_allclose(smooth(nodes), np.linalg.inv(np.eye(6) + 0.7 * L), atol=1e-12)
    column = np.array([[4], [1], [4]])
    np.testing.assert_allclose(
        heat(column, column[1:2] - 1)[:, 0], expm(-0.7 * L)[[4, 1, 4], 0], atol=1e-12
    )


# Categories, histograms, sets, series.


def test_overlap_counts_equal_cells_by_their_rarity():
    X = np.array([["a", 1], ["a", 2], ["b", None], ["a", np.nan]], dtype=object)
    shares = [{"a": 0.75, "b": 0.25}, {1: 0.25, 2: 0.25}]
    for alpha in (0.5, 1.0, 2.0):

        def value(x, z, alpha=alpha):
            pairs = zip(x, z, shares, strict=True)
            equal = [(p, a) for a, b, p in pairs if a == b and a is not None]
            return sum((1 - p.get(a, 0) ** alpha) ** (1 / alpha) for p, a in equal) / 2

        kernel = Overlap(alpha).fitted_to(X)
        np.testing.assert_allclose(kernel(X), by_pairs(X.tolist(), value))
        new = np.array([["c", 1]], dtype=object)
        assert kernel(new)[0, 0] == pytest.approx((1 + (1 - 0.25**alpha) ** (1 / alpha)) / 2)
    np.testing.assert_allclose(Overlap(None)(X)[0], [1.0, 0.5, 0.0, 0.5])


def test_overlap_reads_frames_of_any_type_alike():
    frame = pd.DataFrame({"colour": ["red", "blue", None], "size": [1, 2, 1]})
    expected = Overlap().fitted_to(frame)(frame)
    for dtype in ("category", "string"):
        other = frame.astype({"colour": dtype})
        np.testing.assert_array_equal(Overlap().fitted_to(other)(other), expected)


def test_histogram_kernels_are_their_formulas():
    X = np.abs(np.random.default_rng(1).normal(size=(7, 5))) * (np.arange(5) > 0)
    total = X[:, None] + X[None]
    chi = np.divide((X[:, None] - X[None]) ** 2, total, out=np.zeros_like(total), where=total > 0)
    np.testing.assert_allclose(ChiSquared(0.4)(X), np.exp(-0.4 * chi.sum(axis=2)))
    shared = np.minimum(X[:, None], X[None]).sum(axis=2)
    np.testing.assert_allclose(Intersection()(X), shared, rtol=1e-12)


@pytest.mark.parametrize("block", [1, 7, 10_000_000])
def test_bags_are_means_over_pairs_of_members(block):
    class InBlocks(Bag):
        values_at_once = block

    rng = np.random.default_rng(2)
    X = [rng.normal(size=(n, 3)) for n in (1, 4, 2, 5)]
    k = Gaussian(0.2)
    means = by_pairs(X, lambda x, z: k(x, z).mean())
    np.testing.assert_allclose(InBlocks(k)(X), means)
    unit = means / np.sqrt(np.outer(means.diagonal(), means.diagonal()))
    np.testing.assert_allclose(InBlocks(k, norm="unit")(X), unit)
    np.testing.assert_allclose(InBlocks(k, norm="unit")(X[:2], X), unit[:2])


def test_bags_of_sequences():
    X = [["GAT", "TAC"], ["GAT"], ["CCC", "A", "GAT"]]
    expected = by_pairs(X, lambda x, z: Spectrum(2)(x, z).mean())
    np.testing.assert_allclose(Bag(Spectrum(2))(X), expected)


def alignments(n, m):
    """All ways from (0, 0) to (n − 1, m − 1) by steps in one series or in both."""
    if n == 1 and m == 1:
        return [[(0, 0)]]
    found = []
    for a, b in ((n - 1, m), (n, m - 1), (n - 1, m - 1)):
        if a >= 1 and b >= 1:
            found += [[*path, (n - 1, m - 1)] for path in alignments(a, b)]
    return found


@pytest.mark.parametrize("band", [None, 1, 2, 3])
@pytest.mark.parametrize("d", [1, 2])
def test_global_alignment_sums_over_all_alignments(band, d):
    rng = np.random.default_rng(3)
    X = [rng.normal(size=(n, d)) for n in (3, 1, 4, 2, 4)]

    def local(x, z, a, b):
        weight = 1.0 if band is None else max(1 - abs(a - b) / band, 0)
        g = weight * np.exp(-((x[a] - z[b]) ** 2).sum() / (2 * 1.3**2))
        return g / (2 - g)

    def total(x, z):
        paths = alignments(len(x), len(z))
        return sum(np.prod([local(x, z, a, b) for a, b in path]) for path in paths)

    K = by_pairs(X, total)
    K /= np.sqrt(np.outer(K.diagonal(), K.diagonal()))
    np.testing.assert_allclose(GlobalAlignment(1.3, band)(X), K, atol=1e-12)


def test_global_alignment_of_long_series_neither_overflows_nor_vanishes():
    X = [np.sin(np.arange(400) / 9.0), np.sin((np.arange(420) + 3) / 9.0), np.ones(10) * 1e3]
    K = GlobalAlignment(1.0)(X)
    assert 0 < K[0, 1] < 1
    assert K[0, 2] == 0


# Wrong input.


@pytest.mark.parametrize(
    ("kernel", "X", "message"),
    [
        (Spectrum(0), ["A"], r"Spectrum's k must be a positive integer, got 0"),
        (Spectrum(2, alphabet="A"), ["A"], r"alphabet must be a string of distinct letters"),
        (Spectrum(2, alphabet="ACGT"), ["ACN"], r"got 'N' at position 2 in row 0 of X; clean"),
        (Spectrum(2), ["AC", None], r"sequence must be a string, got None in row 1 of X; drop"),
        (Spectrum(2), ["AC", np.nan], r"sequence must be a string, got nan in row 1"),
        (Spectrum(2), "GATTACA", r"one thing in each row, got str; put a single thing into a list"),
        (Mismatch(3, 3), ["ACG"], r"Mismatch's m must be a whole number from 0 to below k = 3"),
        (Mismatch(40, 1), ["ACG"], r"fewer than 2\^62, got 4 letters to the power of k = 40"),
        (Mismatch(3, 1), ["acg"], r"letters 'ACGT', got 'a' at position 0 in row 0 of X"),
        (WeightedDegree(2), ["AC", "ACG"], r"one length, got lengths from 2 to 3; align"),
        (WeightedDegree(2), [""], r"must have letters, got an empty string in row 0"),
        (Subsequence(2, 1.5), ["AC"], r"Subsequence's decay must be at most 1, got 1.5"),
        (WeisfeilerLehman(-1), [[(0, 1)]], r"iterations must be 0, 1, 2, ..., got -1"),
        (WeisfeilerLehman(), [[]], r"at least one node, got none in row 0 of X; drop"),
        (WeisfeilerLehman(), ["C-O"], r"must be a list of edges, a dictionary .* got 'C-O' in row"),
        (ShortestPath(), [[(0, 1, 2)]], r"must be a list of edges.* got \[\(0, 1, 2\)\] in row 0"),
        (ShortestPath(), [None], r"must be a list of edges.* got None"),
        (ShortestPath(), [{"edges": [(0, 7)], "labels": ["C"]}], r"got 0|got 7 in row 0 of X"),
        (Diffusion([(0, 1)]), [0, 5], r"those of the kernel's graph, got 5 in row 1 of X, which"),
        (Diffusion([(0, 1)], beta=0.0), [0], r"Diffusion's beta must be a positive finite number"),
        (Diffusion([]), [0], r"at least one node, got none in Diffusion's graph"),
        (RegularizedLaplacian([(0, 1)]), [[0, 1]], r"those of the kernel's graph, got"),
        (Overlap(), [["a"]], r"Overlap must be fitted before it is called"),
        (Overlap(-1.0), [["a"]], r"Overlap's alpha must be a positive finite number"),
        (ChiSquared(), [[1.0, -1.0]], r"ChiSquared needs histograms.* got -1 in X; choose"),
        (Intersection(), [[1.0, -2.0]], r"Intersection needs histograms.* got -2 in X"),
        (Bag(Linear()), [[[1.0]], []], r"at least one member, got none in row 1 of X; drop"),
        (Bag(Linear()), [[[1.0]], None], r"or a list of members, got NoneType in row 1"),
        (Bag(Linear()), [np.ones(3)], r"array with rows, got shape \(3,\) in row 0"),
        (Bag(Linear()), [np.ones((2, 3)), np.ones((2, 2))], r"members of one kind"),
        (Bag(Linear(), norm="max"), [[[1.0]]], r"Bag's norm must be one of mean, unit, got 'max'"),
        (Bag("rbf"), [[[1.0]]], r"Bag must be built from kernel objects, got 'rbf'"),
        (GlobalAlignment(0.0), [[1.0]], r"sigma must be a positive finite number"),
        (GlobalAlignment(), [None], r"time series must be a sequence of numbers, got None in row"),
        (GlobalAlignment(), [[1.0, np.nan], [1.0]], r"finite numbers only, got nan in row 1"),
        (GlobalAlignment(), [np.ones((3, 1)), np.ones((3, 2))], r"same number of columns, got 1"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(kernel, X, message):
    with pytest.raises(ValueError, match=message):
        kernel(X)


def test_labels_never_seen_and_graphs_without_edges_have_right_values():
    train, new = [{"edges": [(0, 1)], "labels": ["C", "O"]}], {"labels": ["Xe", "C"]}
    np.testing.assert_array_equal(WeisfeilerLehman(2)([new], train), [[1.0]])
    np.testing.assert_array_equal(ShortestPath()([new], train), [[0.0]])
    np.testing.assert_array_equal(Spectrum(4)(["AC", "", "ACGT"]), np.diag([0.0, 0.0, 1.0]))
