"""The sets of weights hold what they promise."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.matrices import GramStack, WithIdentity
from kernlearn.families.weights import free_weights, positive_weights


@pytest.fixture
def traces():
    return np.array([2.0, 0.0, 5.0, 0.5])


def test_positive_coordinates_are_shares_of_the_total(traces):
    domain = positive_weights(traces, total=7.0)
    rng = np.random.default_rng(0)
    for x in rng.dirichlet(np.ones(3), size=20):
        w = domain.weights(x)
        assert (w >= 0).all()
        assert w @ traces == pytest.approx(7.0, rel=1e-14)
        np.testing.assert_allclose(w[[0, 2, 3]] * traces[[0, 2, 3]] / 7.0, x, rtol=1e-12)
        assert domain.equality @ x == pytest.approx(1.0)


def test_a_matrix_without_effect_gets_no_weight(traces):
    domain = positive_weights(traces, total=7.0)
    assert domain.weights(domain.start)[1] == 0.0
    assert not domain.basis[1].any()


def test_the_start_gives_every_matrix_the_same_share(traces):
    domain = positive_weights(traces, total=7.0)
    shares = domain.weights(domain.start) * traces / 7.0
    np.testing.assert_allclose(shares, [1 / 3, 0.0, 1 / 3, 1 / 3])
    assert (domain.start >= domain.low).all()


@pytest.fixture(params=["standard", "duplicate", "rank one", "low rank"])
def free_case(request, make_stack):
    grams = make_stack(request.param).grams
    family = GramStack(grams)
    c = 3.0
    domain = free_weights(
        family.inner_products, family.traces, c, family.n_matrices, c, family.n_points
    )
    return domain, family, c


def test_free_coordinates_have_the_length_of_the_kernel(free_case):
    domain, family, c = free_case
    for x in np.random.default_rng(1).normal(size=(10, len(domain.start))):
        K = family.combine(domain.weights(x))
        assert np.linalg.norm(K) == pytest.approx(c * np.linalg.norm(x), rel=1e-6)
        slice_value = np.trace(K) / c
        assert domain.equality @ x == pytest.approx(slice_value, rel=1e-6, abs=1e-9)


def test_every_positive_mixture_lies_in_the_free_set(free_case):
    domain, family, c = free_case
    rng = np.random.default_rng(2)
    for share in rng.dirichlet(np.ones(family.n_matrices), size=10):
        K = family.combine(c * share / family.traces)
        x = np.linalg.lstsq(domain.basis, c * share / family.traces, rcond=None)[0]
        # Weights of kernels that depend on one another may differ; the kernel may not.
        np.testing.assert_allclose(family.combine(domain.weights(x)), K, atol=1e-9 * c)
        assert np.linalg.norm(x) <= domain.radius + 1e-12
        assert domain.equality @ x == pytest.approx(1.0)


def test_the_free_start_is_the_even_mixture(free_case):
    domain, family, c = free_case
    even = family.combine(c / family.traces / family.n_matrices)
    np.testing.assert_allclose(family.combine(domain.weights(domain.start)), even, atol=1e-9 * c)


def test_duplicates_share_their_weight(make_stack):
    grams = make_stack("duplicate").grams  # the last repeats the second
    family = GramStack(grams)
    domain = free_weights(family.inner_products, family.traces, 3.0, 4, 3.0, family.n_points)
    assert len(domain.start) == 3
    for x in np.random.default_rng(3).normal(size=(5, 3)):
        w = domain.weights(x)
        assert w[1] == pytest.approx(w[3], rel=1e-6, abs=1e-9)


def test_kernels_that_all_but_agree_are_still_two(make_stack):
    """Their difference has a millionth of their length, and is within reach all the same."""
    K = make_stack().grams[1]
    family = GramStack(np.stack([K, K + 1e-6 * np.eye(12)]))
    domain = free_weights(family.inner_products, family.traces, 3.0, 2, 3.0, family.n_points)
    assert len(domain.start) == 2
    w = np.array([5.0, -4.75])
    x = np.linalg.lstsq(domain.basis, w, rcond=None)[0]
    np.testing.assert_allclose(domain.weights(x), w, rtol=1e-4)


@pytest.mark.parametrize("apart", [0.1, 0.01, 1e-4])
def test_coordinates_are_lengths_where_kernels_repeat_and_others_nearly_do(apart):
    """Traces of short combinations in those that cancel had made lengths wrong by a per cent."""
    for seed in range(8):
        vectors = np.random.default_rng(seed).normal(size=(6, 5, 5))
        K = vectors @ vectors.transpose(0, 2, 1)
        K /= np.trace(K, axis1=1, axis2=2)[:, None, None]
        near = (1.0 - apart) * K[0] + apart * K[5]
        family = GramStack(np.stack([*K[:5], near, K[0], K[2]]))
        domain = free_weights(family.inner_products, family.traces, 1.0, 8, 1.0, 5)
        assert domain.basis.shape == (8, 6)
        lengths = np.linalg.eigvalsh(family.inner_products(domain.basis))
        np.testing.assert_allclose(lengths, 1.0, rtol=0, atol=1e-9)


def test_the_last_weights_may_be_kept_non_negative(make_stack):
    family = GramStack(make_stack().grams)
    extended = WithIdentity(family)
    traces = extended.traces
    domain = free_weights(
        extended.inner_products, traces, 5.0, n_signed=3, length=5.0, n_points=extended.n_points
    )
    np.testing.assert_array_equal(domain.low, [-1.0, -1.0, -1.0, 0.0])
    w = domain.weights(np.array([0.0, 0.0, 0.0, 1.0]))
    np.testing.assert_allclose(w, [0.0, 0.0, 0.0, 5.0 / 12.0])
    assert traces @ domain.weights(domain.start) == pytest.approx(5.0)


def test_cuts_are_half_spaces_of_the_weights(make_stack):
    family = GramStack(make_stack().grams)
    domain = free_weights(family.inner_products, family.traces, 3.0, 3, 3.0, family.n_points)
    rows = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [3.0, 1.0, 0.0]])
    domain.add_cuts(rows, noise=np.full(3, 1e-16))
    assert len(domain.cuts) == 2  # a row of zeros cuts nothing off
    np.testing.assert_allclose(np.linalg.norm(domain.cuts, axis=1), 1.0)
    for x in np.random.default_rng(4).normal(size=(10, 3)):
        expected = np.sign(rows[[0, 2]] @ domain.weights(x))
        np.testing.assert_array_equal(np.sign(domain.cuts @ x), expected)


def test_a_cut_of_rounding_errors_is_left_out(make_stack):
    """In a direction in which every kernel is zero, the row is noise and would cut anywhere."""
    family = GramStack(make_stack().grams)
    domain = free_weights(family.inner_products, family.traces, 3.0, 3, 3.0, family.n_points)
    domain.add_cuts(np.array([[1e-15, -2e-15, 1e-15], [1.0, 0.0, 0.0]]), noise=np.full(3, 1e-15))
    assert len(domain.cuts) == len(domain.cut_noise) == 1
    assert 0 < domain.cut_noise[0] < 1e-13
