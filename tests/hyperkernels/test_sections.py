"""Sections and expansions: kernels like any other, computed block by block."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

from kernlearn.gram import gram_stack
from kernlearn.hyperkernels import ARDHarmonic, Expansion, Explicit, Harmonic, PowerSeries
from kernlearn.hyperkernels._validation import choose_pairs
from kernlearn.hyperkernels.base import GridOptions
from kernlearn.kernels import Gaussian, Kernel
from kernlearn.testing import check_kernel

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((23, 3)), RNG.standard_normal((9, 3))
PAIRS = RNG.standard_normal((5, 2, 3))
WEIGHTS = np.array([0.5, 0.0, 2.0, 0.0, 1.0])
HYPERKERNELS = [
    Harmonic(),
    ARDHarmonic(0.6, [1.0, 0.2, 0.0]),
    PowerSeries("exp", Gaussian()),
    Explicit([Gaussian(0.1), Gaussian(2.0)], [1.0, 0.3]),
]


def grid_of(X, Y):
    """All pairs of rows by plain loops."""
    return np.array([[x, y] for x in X for y in Y])


in_blocks = pytest.mark.parametrize(
    "block", [1, 40, 10**6], ids=["row by row", "a few rows", "all at once"]
)


@in_blocks
@pytest.mark.parametrize("hk", HYPERKERNELS, ids=lambda hk: type(hk).__name__)
def test_sections_are_the_hyperkernel_on_all_pairs(hk, block):
    hk = clone(hk)
    hk.grid_options = GridOptions(most_pairs=block, fewest_pairs=1)
    expected = hk(PAIRS, grid_of(X, Y)).reshape(5, 23, 9)
    np.testing.assert_allclose(hk.sections(X, PAIRS, Y), expected, rtol=1e-12)
    square = hk.sections(X, PAIRS)
    expected = hk(PAIRS, grid_of(X, X)).reshape(5, 23, 23)
    np.testing.assert_allclose(square, expected, rtol=1e-12)
    assert (square == square.transpose(0, 2, 1)).all()
    kernel = hk.expansion(PAIRS, WEIGHTS)
    np.testing.assert_allclose(kernel(X), np.tensordot(WEIGHTS, square, 1), rtol=1e-12)
    np.testing.assert_allclose(kernel(X, Y), (WEIGHTS @ hk(PAIRS, grid_of(X, Y))).reshape(23, 9))
    np.testing.assert_allclose(hk.section(PAIRS[2])(X), square[2], rtol=1e-12)


@in_blocks
def test_rounding_that_parts_a_pair_from_its_mirror_image_is_mended(block):
    class Rounded(Harmonic):
        grid_options = GridOptions(most_pairs=block, fewest_pairs=1)

        def _table(self, left, right):
            table = super()._table(left, right)
            table[left[:, 0] > right[:, 0]] *= 1 - 1e-15
            return table

    hk = Rounded()
    square = hk.sections(X, PAIRS)
    assert (square == square.transpose(0, 2, 1)).all()
    np.testing.assert_allclose(square, Harmonic().sections(X, PAIRS), rtol=1e-13)


@pytest.mark.parametrize("hk", HYPERKERNELS, ids=lambda hk: type(hk).__name__)
def test_expansions_obey_the_laws_of_kernels(hk):
    check_kernel(hk.expansion(PAIRS, WEIGHTS), X)
    check_kernel(hk.section(PAIRS[0]), X)


def test_pairs_of_weight_zero_are_not_evaluated():
    class Counting(Harmonic):
        evaluated = 0

        def _evaluate(self, table, other):
            Counting.evaluated += len(table)
            return super()._evaluate(table, other)

    Counting().expansion(PAIRS, WEIGHTS)(X)
    assert Counting.evaluated == 3
    zero = Harmonic().expansion(PAIRS, np.zeros(5))
    assert not zero(X, Y).any()
    assert not zero.diag(X).any()


def test_an_expansion_keeps_copies_and_can_be_cloned_pickled_combined_and_used():
    pairs, weights = PAIRS.copy(), WEIGHTS.copy()
    kernel = Harmonic().expansion(pairs, weights)
    K = kernel(X)
    pairs += 1.0
    weights += 1.0
    np.testing.assert_array_equal(kernel(X), K)
    np.testing.assert_array_equal(clone(kernel)(X), K)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(X), K)
    assert isinstance(kernel, Kernel)
    np.testing.assert_allclose((2 * kernel + Gaussian())(X), 2 * K + Gaussian()(X))
    np.testing.assert_array_equal(clone(kernel).set_params(hyperkernel__gamma=1.0)(X), K)
    y = np.where(X[:, 0] > 0, 1, -1)
    by_matrix = SVC(kernel="precomputed").fit(K, y).decision_function(kernel(Y, X))
    np.testing.assert_allclose(SVC(kernel=kernel).fit(X, y).decision_function(Y), by_matrix)


def test_data_frames_and_lists_are_points_too():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    hk = ARDHarmonic(0.6, [1.0, 0.2, 0.0])
    np.testing.assert_array_equal(hk.sections(frame, PAIRS), hk.sections(X, PAIRS))
    np.testing.assert_array_equal(hk.section(PAIRS[0])(frame, Y), hk.section(PAIRS[0])(X, Y))
    np.testing.assert_array_equal(hk(PAIRS.tolist()), hk(PAIRS))


def test_bad_expansions_are_refused_when_called():
    with pytest.raises(ValueError, match=r"must be built from a hyperkernel object, got 'x'; pass"):
        Expansion("x", PAIRS, WEIGHTS)(X)
    with pytest.raises(ValueError, match=r"weights must be 5 non-negative finite numbers"):
        Expansion(Harmonic(), PAIRS, WEIGHTS[:2])(X)
    with pytest.raises(ValueError, match=r"lambda_h must be a number between 0 and 1"):
        Expansion(Harmonic(2.0), PAIRS, WEIGHTS)(X)


def test_all_distinct_pairs_come_once():
    pairs = choose_pairs(6, None, None)
    assert sorted(map(tuple, pairs)) == [(i, j) for i in range(6) for j in range(i, 6)]


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_of_pairs_is_distinct_seeded_and_holds_a_diagonal_pair(seed):
    pairs = choose_pairs(200, 30, seed)
    assert pairs.shape == (30, 2)
    assert len(np.unique(pairs, axis=0)) == 30
    assert (pairs[:, 0] <= pairs[:, 1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < 200
    assert (pairs[:, 0] == pairs[:, 1]).any()
    np.testing.assert_array_equal(pairs, choose_pairs(200, 30, seed))
    assert not np.array_equal(pairs, choose_pairs(200, 30, seed + 100))


def test_samples_reach_every_pair_equally():
    counts = np.zeros((7, 7))
    for seed in range(600):
        np.add.at(counts, tuple(choose_pairs(7, 14, seed).T), 1)
    upper = counts[np.triu_indices(7)]
    assert not np.tril(counts, -1).any()
    # Each of 28 pairs is in half of the samples; five standard deviations are 61.
    assert np.abs(upper - 300).max() < 62


@pytest.mark.parametrize("most", [0, GridOptions().most_shared])
def test_sections_in_one_call_find_out_once_about_the_points(most):
    seen = []

    class Counting(Harmonic):
        grid_options = GridOptions(most_shared=most)

        def _grid_table(self, X, Y):
            seen.append(1)
            return super()._grid_table(X, Y)

    rng = np.random.default_rng(0)
    X, pairs = rng.normal(size=(9, 2)), rng.normal(size=(3, 2, 2))
    hyperkernel = Counting()
    found = gram_stack([hyperkernel.section(pair) for pair in pairs], X)
    assert len(seen) == (1 if most else 3)
    np.testing.assert_allclose(found, hyperkernel.sections(X, pairs), rtol=1e-12)
