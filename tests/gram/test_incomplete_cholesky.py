"""Incomplete Cholesky against the dense greedy algorithm, in one block and in many."""

import dataclasses
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernlearn.gram import incomplete_cholesky, pair_cholesky
from kernlearn.gram._pivoted_cholesky import GreedyOptions, factorise
from kernlearn.gram.incomplete_cholesky import (
    IncompleteCholesky,
    checked_pair_cholesky,
    columns_of,
)
from kernlearn.hyperkernels import ARDHarmonic, Explicit, Harmonic, Hyperkernel, PowerSeries
from kernlearn.kernels import (
    Columns,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
# The same small problems, cut up as large ones are; with no room to spare, the factor has to grow.
in_all_blocks = pytest.mark.parametrize(
    "options",
    [
        GreedyOptions(room=1),
        GreedyOptions(3, room=1),
        GreedyOptions(7, min_rows=9, whole=0, room=1),
        GreedyOptions(5, min_rows=1, whole=0, room=1),
    ],
    ids=["one block", "small blocks", "few rows", "one row"],
)


def in_blocks(kernel, X, options, tol=0.0, max_rank=None):
    """`incomplete_cholesky` with other options."""
    found = factorise(columns_of(kernel, X), kernel.diag(X), tol, max_rank, options=options)
    return IncompleteCholesky(*found)


def greedy(K, rank):
    """The textbook algorithm on the whole matrix: subtract one outer product after another."""
    residual, factor, pivots = K.copy(), np.empty((len(K), rank)), []
    for r in range(rank):
        p = int(residual.diagonal().argmax())
        factor[:, r] = residual[:, p] / np.sqrt(residual[p, p])
        residual = residual - np.outer(factor[:, r], factor[:, r])
        pivots.append(p)
    return factor, np.array(pivots), residual


def all_pairs(X):
    return np.array([[X[i], X[j]] for j in range(len(X)) for i in range(j + 1)])


@in_all_blocks
@pytest.mark.parametrize("kernel", [Gaussian(0.3), Laplacian(0.5), Polynomial(3)], ids=repr)
@pytest.mark.parametrize("rank", [1, 7, 25])
def test_pivots_and_factor_are_those_of_greedy_selection(kernel, rank, options):
    factor, pivots, residual = greedy(kernel(X), rank)
    found = in_blocks(kernel, X, options, tol=0.0, max_rank=rank)
    np.testing.assert_array_equal(found.pivots, pivots)
    scale = np.sqrt(kernel.diag(X).max())
    np.testing.assert_allclose(found.factor, factor, atol=1e-9 * scale)
    assert found.residual_trace == pytest.approx(np.trace(residual), rel=1e-8)
    assert found.relative_residual == pytest.approx(np.trace(residual) / np.trace(kernel(X)))


@in_all_blocks
def test_the_complete_factor_is_numpys_cholesky_of_the_permuted_matrix(options):
    kernel = Laplacian(1.0)
    found = in_blocks(kernel, X, options, tol=0.0)
    assert sorted(found.pivots) == list(range(60))
    np.testing.assert_allclose(found.factor @ found.factor.T, kernel(X), atol=1e-12)
    dense = np.linalg.cholesky(kernel(X[found.pivots]))
    np.testing.assert_allclose(found.factor[found.pivots], dense, atol=1e-10)
    assert found.residual_trace == 0.0


@in_all_blocks
@pytest.mark.parametrize("tol", [0.5, 1e-3, 1e-8])
def test_it_stops_at_the_first_rank_that_reaches_the_tolerance(tol, options):
    kernel = Gaussian(0.05)
    found = in_blocks(kernel, X, options, tol=tol)
    rank = found.factor.shape[1]
    assert found.relative_residual <= tol
    one_less = in_blocks(kernel, X, options, tol=0.0, max_rank=rank - 1) if rank > 1 else None
    assert one_less is None or one_less.relative_residual > tol
    if one_less is not None:
        np.testing.assert_allclose(found.factor[:, :-1], one_less.factor, atol=1e-12)
        np.testing.assert_array_equal(found.pivots[:-1], one_less.pivots)


@in_all_blocks
@pytest.mark.parametrize(
    "hk",
    [
        Harmonic(0.6, 0.3),
        ARDHarmonic(0.7, [0.1, 1.0, 0.0, 3.0]),
        PowerSeries("exp", Gaussian(0.2)),
        Explicit([Polynomial(2), Gaussian(0.1), Gaussian(1.0)], [0.01, 1.0, 1.0]),
    ],
    ids=lambda hk: type(hk).__name__,
)
def test_pairs_are_chosen_as_from_the_dense_matrix(hk, options):
    points = X[:9]
    pairs = all_pairs(points)
    K = hk(pairs)
    found = checked_pair_cholesky(hk, points, 1e-5, None, None, None, options=options)
    rank = found.factor.shape[1]
    np.testing.assert_array_equal(points[found.pairs], pairs)
    assert found.relative_residual <= 1e-5
    residual = K - found.factor @ found.factor.T
    np.testing.assert_allclose(found.residual_trace, np.trace(residual), atol=1e-12 * np.trace(K))
    assert np.linalg.eigvalsh(residual)[0] > -1e-12 * np.trace(K)
    # All pairs (i, i) may be equal, and ties may be cut anywhere: compare what ties leave alone.
    at_pivots = hk(points[found.pivots])
    position = [found.pairs.tolist().index(pivot) for pivot in found.pivots.tolist()]
    assert rank == len(set(position)) >= 2
    corner = found.factor[position]
    np.testing.assert_allclose(corner @ corner.T, at_pivots, atol=1e-10 * np.trace(K))
    np.testing.assert_allclose(np.triu(corner, 1), 0.0, atol=1e-9 * np.sqrt(np.trace(K)))
    largest = [residual_before(K, found.factor, r).max() for r in range(rank)]
    chosen = [residual_before(K, found.factor, r)[position[r]] for r in range(rank)]
    np.testing.assert_allclose(chosen, largest, rtol=1e-6)


def residual_before(K, factor, r):
    return K.diagonal() - (factor[:, :r] ** 2).sum(axis=1)


def test_a_thousand_pairs_in_the_sizes_of_large_problems():
    # More pairs than are looked at within a block, with nothing changed for the test.
    points = RNG.standard_normal((50, 5))
    hk = ARDHarmonic(0.6, np.full(5, 0.2))
    found = pair_cholesky(hk, points, tol=1e-9, max_rank=40)
    pairs = all_pairs(points)
    assert len(pairs) > 1200
    factor, pivots, residual = greedy(hk(pairs), 40)
    np.testing.assert_allclose(found.residual_trace, np.trace(residual), rtol=1e-4)
    np.testing.assert_array_equal(points[found.pivots], pairs[pivots])
    np.testing.assert_allclose(found.factor, factor, atol=1e-6)


tables = st.tuples(st.integers(1, 12), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, shape, elements=st.sampled_from([0.0, 1.0, -0.5, 2.0, 1e-3, -9.0]))
)


@settings(max_examples=30)
@given(X=tables, tol=st.sampled_from([0.0, 1e-9, 1e-3, 0.3]), max_rank=st.integers(1, 14))
def test_laws_on_any_points(X, tol, max_rank):
    for kernel in (Linear(), Polynomial(2), Gaussian(0.1)):
        K = kernel(X)
        found = incomplete_cholesky(kernel, X, tol=tol, max_rank=max_rank)
        rank = found.factor.shape[1]
        trace = np.trace(K)
        assert found.factor.shape == (len(X), rank)
        # A pivot may be as small as the rounding of K.
        assert rank <= min(max_rank, np.linalg.matrix_rank(K, tol=1e-17 * trace))
        assert len(set(found.pivots.tolist())) == rank == len(found.pivots)
        assert rank == max_rank or found.residual_trace <= max(tol, 1e-11) * trace
        residual = K - found.factor @ found.factor.T
        assert np.linalg.eigvalsh(residual)[0] >= -1e-11 * trace
        np.testing.assert_allclose(residual[found.pivots], 0.0, atol=1e-9 * max(trace, 1e-300))
        np.testing.assert_allclose(np.trace(residual), found.residual_trace, atol=1e-11 * trace)


@settings(max_examples=25)
@given(X=tables)
def test_laws_on_pairs_of_any_points(X):
    hk = ARDHarmonic(0.6, np.full(X.shape[1], 0.3))
    K = hk(all_pairs(X))
    found = pair_cholesky(hk, X, tol=1e-6)
    residual = K - found.factor @ found.factor.T
    assert np.trace(residual) <= 1.001e-6 * np.trace(K)
    assert np.linalg.eigvalsh(residual)[0] >= -1e-11 * np.trace(K)
    # The pivots suffice to make every section again, the more exactly the smaller the tolerance.
    at_pivots = hk(X[found.pivots])
    across = hk(all_pairs(X), X[found.pivots])
    nystroem = across @ np.linalg.pinv(at_pivots, rcond=1e-13, hermitian=True) @ across.T
    assert np.trace(K - nystroem) <= 1e-5 * np.trace(K)


def test_scaling_the_kernel_scales_the_factor():
    plain = incomplete_cholesky(Gaussian(0.3), X, tol=1e-4)
    for scale in (1e-200, 1e-3, 1e200):
        found = incomplete_cholesky(scale * Gaussian(0.3), X, tol=1e-4)
        np.testing.assert_array_equal(found.pivots, plain.pivots)
        np.testing.assert_allclose(found.factor / np.sqrt(scale), plain.factor, atol=1e-10)


def test_frames_names_and_row_numbers_pass_through():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(text="red")
    kernel = Columns(["a", "c"], Gaussian())
    by_name, by_number = (
        incomplete_cholesky(kernel, frame),
        incomplete_cholesky(Gaussian(), X[:, [0, 2]]),
    )
    np.testing.assert_array_equal(by_name.pivots, by_number.pivots)
    matrix = Gaussian()(X[:, [0, 2]])
    kept = matrix.copy()
    from_matrix = incomplete_cholesky(Precomputed(matrix), np.arange(60)[:, None])
    np.testing.assert_allclose(from_matrix.factor, by_number.factor, atol=1e-8)
    np.testing.assert_array_equal(matrix, kept)
    np.testing.assert_array_equal(
        pair_cholesky(Harmonic(), pd.DataFrame(X[:5])).pivots,
        pair_cholesky(Harmonic(), X[:5]).pivots,
    )


def test_what_a_kernel_lends_out_and_the_points_are_left_as_they_were():
    class Lending(Kernel):
        def __init__(self, K):
            self.K = K

        def _evaluate(self, X, Y):
            return self.K[: len(X), : len(Y)]

        def _diag(self, X):
            return self.K.diagonal()[: len(X)]

    K = np.full((4, 4), 2.0)
    incomplete_cholesky(Lending(K), np.arange(4.0)[:, None])
    np.testing.assert_array_equal(K, np.full((4, 4), 2.0))
    points = X.copy()
    pair_cholesky(ARDHarmonic(0.6, np.ones(4)), points, max_rank=5)
    np.testing.assert_array_equal(points, X)


def test_pairs_are_prepared_once_and_only_needed_columns_are_evaluated():
    class Counting(ARDHarmonic):
        tables, entries = 0, 0

        def _table(self, left, right):
            Counting.tables += 1
            return super()._table(left, right)

        def _evaluate(self, table, other):
            Counting.entries += len(table) * len(other)
            return super()._evaluate(table, other)

    points = RNG.standard_normal((120, 3))
    n_pairs = 120 * 121 // 2
    tracemalloc.start()
    found = pair_cholesky(Counting(0.6, np.ones(3)), points, tol=0.0, max_rank=40)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.factor.shape == (n_pairs, 40)
    assert Counting.tables == 1
    # The pivots' columns, and again on the rows that are looked at within a block.
    assert Counting.entries <= 40 * n_pairs + 64 * 1024 * 2
    # The whole matrix would take 8 n_pairs²; the room for the factor is reserved, not used.
    reserved = GreedyOptions().room * 8
    assert reserved > 40 * n_pairs * 8
    assert peak < 12 * 40 * n_pairs * 8 < 8 * n_pairs**2 / 10


def test_a_sample_of_pairs_serves_for_all():
    points = RNG.standard_normal((60, 2))
    hk = ARDHarmonic(0.6, [0.1, 0.1])
    found = pair_cholesky(hk, points, tol=1e-6, n_pairs=300, random_state=0)
    assert found.factor.shape[0] == len(found.pairs) == 300
    again = pair_cholesky(hk, points, tol=1e-6, n_pairs=300, random_state=0)
    np.testing.assert_array_equal(found.pivots, again.pivots)
    # What was left out of the sample is explained nearly as well.
    everything = all_pairs(points)
    across = hk(everything, points[found.pivots])
    weights = np.linalg.pinv(hk(points[found.pivots]), rcond=1e-12, hermitian=True)
    missed = hk.diag(everything) - np.einsum("ip,pq,iq->i", across, weights, across)
    assert missed.sum() < 1e-4 * hk.diag(everything).sum()
    # More than there are is all of them.
    complete = pair_cholesky(hk, points, tol=1e-6, n_pairs=10**6)
    np.testing.assert_array_equal(complete.pairs, pair_cholesky(hk, points).pairs)


def test_small_and_degenerate_problems():
    two = pair_cholesky(Harmonic(), [[0.0], [1.0]])
    assert two.pivots.tolist() == [[0, 0], [0, 1]]
    same = pair_cholesky(Harmonic(), np.ones((5, 3)))
    assert same.pivots.tolist() == [[0, 0]]
    np.testing.assert_allclose(same.factor, 1.0)
    nothing = incomplete_cholesky(Linear(), np.zeros((3, 2)))
    assert nothing.factor.shape == (3, 0)
    assert nothing.residual_trace == nothing.relative_residual == 0.0
    zero_row = incomplete_cholesky(Linear(), [[0.0, 0.0], [1.0, 1e-9], [3.0, 5.0]], tol=0.0)
    assert zero_row.factor.shape == (3, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        nothing.residual_trace = 1.0


def test_points_without_length_are_no_sign_of_an_indefinite_kernel():
    # As centring leaves points at the mean: rounding of either sign in every entry.
    noise = 1e-15 * RNG.standard_normal((9, 9))
    K = noise + noise.T
    K[:5, :5] = X[:5, :3] @ X[:5, :3].T
    assert K.diagonal().min() < 0
    found = incomplete_cholesky(Precomputed(K), np.arange(9)[:, None])
    assert found.factor.shape == (9, 3)
    assert set(found.pivots.tolist()) <= set(range(5))


@in_all_blocks
def test_no_pivot_is_chosen_twice_even_if_the_diagonal_is_slightly_off(options):
    class Noisy(Gaussian):
        def _diag(self, X):
            return np.full(len(X), 1.0 + 1e-9)

    found = in_blocks(Noisy(5.0), np.vstack([X[:10], X[:10]]), options)
    assert len(set(found.pivots.tolist())) == len(found.pivots) >= 10


class Indefinite(Kernel):
    def _evaluate(self, X, Y):
        return np.where(X == Y.T, 1.0, 2.0)

    def _diag(self, X):
        return np.ones(len(X))


class Negative(Indefinite):
    def _diag(self, X):
        return -np.ones(len(X))


class Endless(Hyperkernel):
    def _evaluate(self, table, other):
        return np.full((len(table), len(other)), np.inf)

    def _diag(self, table):
        return np.ones(len(table))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: incomplete_cholesky("rbf", X), r"kernel must be a Kernel object, got 'rbf'; pass"),
        (lambda: incomplete_cholesky(Harmonic(), X), r"kernel must be a Kernel object, got Harm"),
        (lambda: pair_cholesky(Gaussian(), X), r"must be a Hyperkernel object, got Gaussian\(\)"),
        (lambda: incomplete_cholesky(Linear(), X, tol=1.0), r"tol must be a number from 0 to bel"),
        (lambda: incomplete_cholesky(Linear(), X, tol=-1e-9), r"tol must be .*, got -1e-09; 1e-6"),
        (lambda: incomplete_cholesky(Linear(), X, tol=np.nan), r"tol must be a number .*got nan"),
        (lambda: incomplete_cholesky(Linear(), X, tol="1"), r"tol must be a number .*got '1'"),
        (lambda: incomplete_cholesky(Linear(), X, max_rank=0), r"max_rank must be a positive int"),
        (lambda: pair_cholesky(Harmonic(), X, n_pairs=1.5), r"n_pairs must be a positive integer"),
        (lambda: pair_cholesky(Harmonic(2.0), X), r"lambda_h must be a number between 0 and 1"),
        (lambda: pair_cholesky(ARDHarmonic(), X), r"gammas must be given before it is called"),
        (lambda: pair_cholesky(Harmonic(), [[np.nan]]), r"X must hold finite numbers only"),
        (lambda: incomplete_cholesky(Linear(), X[0]), r"X must be a 2-D table"),
        (lambda: incomplete_cholesky(Indefinite(), X[:, :1]), r"semidefinite .* residual of -3 on"),
        (lambda: incomplete_cholesky(Negative(), X[:, :1]), r"semidefinite .*got -1 on its diag"),
        (lambda: pair_cholesky(Endless(), X), r"columns of the kernel must hold finite numbers"),
    ],
)
def test_what_cannot_be_factored_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
