"""𝒳 is any set: strings, graphs, sets and precomputed kernels, wherever kernels take them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.hyperkernels import Explicit, Harmonic, PowerSeries
from kernlearn.kernels import Bag, Gaussian, Normalized, Precomputed, Spectrum, WeisfeilerLehman
from kernlearn.testing import check_hyperkernel

RNG = np.random.default_rng(0)
Y = np.arange(50) % 2


def word(label):
    shares = [0.45, 0.05, 0.05, 0.45] if label else [0.25] * 4
    return "".join(RNG.choice(list("ACGT"), size=RNG.integers(15, 25), p=shares))


def ring_or_path(label):
    n = int(RNG.integers(4, 8))
    edges = [(i, i + 1) for i in range(n - 1)]
    return [*edges, (n - 1, 0)] if label else edges


WORDS = [word(label) for label in Y]
SETS = [RNG.normal(size=(RNG.integers(2, 6), 2)) + 1.5 * label for label in Y]
TWO_LETTERS = Normalized(Spectrum(2))


@pytest.mark.parametrize(
    "hyperkernel",
    [
        Explicit([TWO_LETTERS, TWO_LETTERS**3], [1.0, 1.0]),
        PowerSeries("exp", TWO_LETTERS),
        Harmonic(kernel=TWO_LETTERS),
    ],
    ids=lambda hyperkernel: type(hyperkernel).__name__,
)
def test_strings_are_what_the_matrix_of_their_kernel_is(hyperkernel):
    """Row numbers of a precomputed matrix are points with numbers: a second way to the same."""
    numbers, matrix = np.arange(50)[:, None], Precomputed(TWO_LETTERS(WORDS))
    by_matrix = {
        "Explicit": Explicit([matrix, matrix**3], [1.0, 1.0]),
        "PowerSeries": PowerSeries("exp", matrix),
        "Harmonic": Harmonic(kernel=matrix),
    }[type(hyperkernel).__name__]
    model = kl.HyperkernelClassifier(hyperkernel, C=10.0).fit(WORDS[:35], Y[:35])
    other = kl.HyperkernelClassifier(by_matrix, C=10.0).fit(numbers[:35], Y[:35])
    assert model.objective_ == pytest.approx(other.objective_, rel=1e-9)
    found = model.decision_function(WORDS[35:])
    np.testing.assert_allclose(found, other.decision_function(numbers[35:]), atol=1e-6)
    assert model.score(WORDS[35:], Y[35:]) > 0.8
    assert model.pivots_.shape == (len(model.weights_), 2)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(WORDS), model.predict(WORDS))


def test_a_metric_of_strings():
    metric = kl.HyperkernelMetric(Harmonic(kernel=TWO_LETTERS), n_pairs=200)
    metric.fit(WORDS[:35], Y[:35])
    pairs = [(WORDS[0], WORDS[1]), (WORDS[3], WORDS[3])]
    assert metric.pair_distance(pairs)[1] == 0.0
    k = metric.kernel_([WORDS[0], WORDS[1]])
    assert metric.pair_score(pairs)[0] == pytest.approx(k[0, 1] + metric.intercept_)
    assert metric.score(WORDS[35:], Y[35:]) > 0.6
    assert metric.transform(WORDS[:3]).shape == (3, 2)


def test_sets_graphs_and_targets_that_are_numbers():
    of_sets = Harmonic(kernel=Normalized(Bag(Gaussian(0.5))))
    by_sets = kl.HyperkernelClassifier(of_sets, C=10.0).fit(SETS[:35], Y[:35])
    assert by_sets.score(SETS[35:], Y[35:]) > 0.8
    graphs = [ring_or_path(label) for label in Y]
    kernel = Normalized(WeisfeilerLehman(2))
    by_graphs = kl.HyperkernelClassifier(Harmonic(kernel=kernel), C=10.0)
    assert by_graphs.fit(graphs[:35], Y[:35]).score(graphs[35:], Y[35:]) > 0.9
    counts = np.array([w.count("A") / len(w) for w in WORDS])
    regressor = kl.HyperkernelRegressor(Harmonic(kernel=TWO_LETTERS), "least_squares", C=10.0)
    assert regressor.fit(WORDS[:35], counts[:35]).score(WORDS[35:], counts[35:]) > 0.4
    detector = kl.HyperkernelNoveltyDetector(Harmonic(kernel=TWO_LETTERS)).fit(WORDS)
    assert detector.predict(["GGGGGGGGGGGG"]) == [-1]


def test_sections_of_things_are_sections_of_the_hyperkernel():
    hyperkernel = Harmonic(0.6, kernel=TWO_LETTERS)
    check_hyperkernel(hyperkernel, WORDS[:2])
    pairs = [("ACCA", "CACA"), ("AACC", "AACC")]
    sections = hyperkernel.sections(WORDS[:4], pairs)
    of_pairs = hyperkernel([(WORDS[0], WORDS[2])], pairs)[0]
    np.testing.assert_allclose(sections[:, 0, 2], of_pairs, rtol=1e-12)
    np.testing.assert_allclose(hyperkernel.section(pairs[0])(WORDS[:4]), sections[0], rtol=1e-12)
    k = TWO_LETTERS(["ACCA"], ["CACA"])[0, 0]
    assert hyperkernel.diag(pairs)[0] == pytest.approx(0.4 / (1 - 0.6 * k * k))


def test_what_is_wrong_with_things_is_said():
    harmonic = Harmonic(kernel=TWO_LETTERS)
    with pytest.raises(ValueError, match="must be a list of pairs, each with its two points"):
        harmonic(["ACCA", "CACA"])
    with pytest.raises(ValueError, match="expected rank=None for rows that are no numbers, got 5"):
        kl.HyperkernelClassifier(harmonic, rank=5).fit(WORDS, Y)
    with pytest.raises(
        ValueError, match=r"needs a kernel with values from 0 to 1, got 2 to .* Spectrum"
    ):
        kl.HyperkernelClassifier(Harmonic(kernel=Spectrum(2))).fit(WORDS, Y)
    with pytest.raises(ValueError, match=r"could not convert|numeric|dtype|Expected 2D"):
        kl.HyperkernelClassifier().fit(WORDS, Y)
