"""Families against dense loops over their matrices."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.matrices import GramStack, RankOneStack, WithIdentity

N, M = 9, 5


def _vectors():
    return np.random.default_rng(0).normal(size=(N, M))


def _outer_products():
    return np.stack([np.outer(v, v) for v in _vectors().T])


def _dense():
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(M, N, 4))
    return np.stack([F @ F.T for F in factors])


BUILDERS = {
    "dense": (lambda n: GramStack(_dense(), n), _dense),
    "rank one": (lambda n: RankOneStack(_vectors(), n), _outer_products),
}


@pytest.fixture(params=[N, 6], ids=["all labelled", "transduction"])
def n_labelled(request):
    return request.param


@pytest.fixture(params=sorted(BUILDERS))
def case(request, n_labelled):
    build, matrices = BUILDERS[request.param]
    return build(n_labelled), matrices(), n_labelled


def loop_combine(weights, matrices):
    return sum(w * K for w, K in zip(weights, matrices, strict=True))


WEIGHTS = {
    "all used": np.array([0.3, 1.2, -0.7, 2.0, 0.1]),
    "few used": np.array([0.0, 1.2, 0.0, -2.0, 0.0]),
    "none used": np.zeros(M),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS.keys())
def test_combine(case, weights):
    family, matrices, n = case
    K = loop_combine(weights, matrices)
    np.testing.assert_allclose(family.combine(weights), K[:n, :n], rtol=1e-12, atol=1e-12)
    whole = family.combine(weights, labelled_only=False)
    np.testing.assert_allclose(whole, K, rtol=1e-12, atol=1e-12)


def test_combine_gives_an_array_of_the_callers_own(case):
    family, matrices, n = case
    unit = np.eye(M)[2]
    for labelled_only, size in ((True, n), (False, N)):
        family.combine(unit, labelled_only)[:] = 99.0
        np.testing.assert_allclose(
            family.combine(unit, labelled_only), matrices[2][:size, :size], rtol=1e-12, atol=1e-12
        )


def test_apply(case):
    family, matrices, n = case
    a = np.random.default_rng(2).normal(size=N)
    expected = [K[:n, :n] @ a[:n] for K in matrices]
    np.testing.assert_allclose(family.apply(a[:n]), expected, rtol=1e-11, atol=1e-12)
    everywhere = family.apply(a, labelled_only=False)
    np.testing.assert_allclose(everywhere, [K @ a for K in matrices], rtol=1e-11, atol=1e-12)


def test_forms_inner_products_and_traces(case):
    family, matrices, _ = case
    rng = np.random.default_rng(3)
    L, R = rng.normal(size=(N, 2)), rng.normal(size=(N, 3))
    np.testing.assert_allclose(family.forms(L, R), [L.T @ K @ R for K in matrices], rtol=1e-10)
    basis = rng.normal(size=(M, 3))
    combined = [loop_combine(b, matrices) for b in basis.T]
    products = [[np.sum(K * J) for J in combined] for K in combined]
    np.testing.assert_allclose(family.inner_products(basis), products, rtol=1e-10)
    np.testing.assert_allclose(family.traces, [np.trace(K) for K in matrices], rtol=1e-12)
    assert (family.n_matrices, family.n_points) == (M, N)


def test_rank_one_stack_is_the_stack_of_outer_products(n_labelled):
    vectors, stack = RankOneStack(_vectors(), n_labelled), GramStack(_outer_products(), n_labelled)
    weights, a = WEIGHTS["all used"], np.arange(1.0, n_labelled + 1)
    np.testing.assert_allclose(vectors.combine(weights), stack.combine(weights), rtol=1e-10)
    np.testing.assert_allclose(vectors.apply(a), stack.apply(a), rtol=1e-10)
    basis = np.eye(M)
    products = stack.inner_products(basis)
    np.testing.assert_allclose(vectors.inner_products(basis), products, rtol=1e-10)


def test_a_stack_is_never_copied_nor_changed(n_labelled):
    grams = _dense()
    before = grams.copy()
    family = GramStack(grams, n_labelled)
    assert np.shares_memory(family.grams, grams)
    assert family.grams is grams
    for weights in WEIGHTS.values():
        family.combine(weights)
        family.combine(weights, labelled_only=False)
    family.apply(np.ones(n_labelled))
    family.inner_products(np.eye(M))
    np.testing.assert_array_equal(grams, before)
    vectors = _vectors()
    assert np.shares_memory(RankOneStack(vectors).vectors, vectors)


def test_small_differences_of_large_matrices_keep_their_length():
    """⟨K₁ − K₂, K₁ − K₂⟩ of two kernels that agree to nine digits, more rows than one block."""
    n = 150
    K = np.cov(np.random.default_rng(6).normal(size=(n, 40)))
    change = 1e-9 * np.eye(n)
    family = GramStack(np.stack([K, K + change]))
    found = family.inner_products(np.array([[1.0], [-1.0]]))
    assert found == pytest.approx(n * 1e-18, rel=1e-5)


def test_with_identity_adds_the_identity_in_training_only(case):
    family, matrices, n = case
    extended = WithIdentity(family)
    weights = np.append(WEIGHTS["all used"], 0.4)
    K = loop_combine(weights[:-1], matrices)
    trained = K[:n, :n] + 0.4 * np.eye(n)
    np.testing.assert_allclose(extended.combine(weights), trained, rtol=1e-11, atol=1e-12)
    whole = extended.combine(weights, labelled_only=False)
    np.testing.assert_allclose(whole, K, rtol=1e-11, atol=1e-12)
    a = np.random.default_rng(4).normal(size=n)
    applied = [*(J[:n, :n] @ a for J in matrices), a]
    np.testing.assert_allclose(extended.apply(a), applied, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(extended.traces, [*(np.trace(J) for J in matrices), N])
    L = np.random.default_rng(5).normal(size=(N, 2))
    forms = [*(L.T @ J @ L for J in matrices), np.zeros((2, 2))]
    np.testing.assert_allclose(extended.forms(L, L), forms, rtol=1e-10, atol=1e-12)
    S = extended.inner_products(np.eye(M + 1))
    np.testing.assert_allclose(S[:M, :M], family.inner_products(np.eye(M)))
    assert not S[M, :M].any()
    assert S[M, M] == N**2


@pytest.mark.parametrize("support", [[], [3], [0, 4], [0, 1, 2, 3, 4]])
def test_sums_of_few_and_of_many_matrices_are_the_same(support):
    class InPieces(GramStack):
        piece = 7  # which does not divide a matrix

    grams, weights = _dense(), np.zeros(M)
    weights[support] = np.random.default_rng(2).normal(size=len(support))
    found = InPieces(grams).combine(weights)
    expected = sum((w * K for w, K in zip(weights, grams, strict=True)), np.zeros((N, N)))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_some_points_of_dense_matrices():
    rows = np.array([1, 2, 7])
    part = GramStack(_dense()).subset(rows).grams
    np.testing.assert_array_equal(part, _dense()[:, rows[:, None], rows])
