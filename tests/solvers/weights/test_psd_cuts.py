"""Finding what makes a matrix indefinite, against a full eigendecomposition."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.matrices import GramStack
from kernlearn.families.weights import free_weights
from kernlearn.solvers.weights.psd_cuts import OPTIONS, PsdCuts, smallest_eigenpairs

SIZES = [1, 2, 3, 40, OPTIONS.dense_size + 60]


def _with_spectrum(values, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    K = (Q * values) @ Q.T
    return 0.5 * (K + K.T)


@pytest.mark.parametrize("shift", [1e-6, 1e-2, 10.0])
@pytest.mark.parametrize("n", SIZES)
def test_the_most_negative_eigenvalue_is_found(n, shift):
    spectrum = np.linspace(0.1, 2.0, n)
    spectrum[0] = -0.7
    if n > 3:
        spectrum[1] = -0.02
    K = _with_spectrum(spectrum)
    before = K.copy()
    values, vectors = smallest_eigenpairs(K, 1e-9, shift)
    np.testing.assert_array_equal(K, before)
    # Vectors may be rough: a cut is valid whatever the vector, and only has to be deep.
    assert values.min() == pytest.approx(-0.7, rel=1e-2)
    assert (values < 0).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0), 1.0, rtol=1e-3)
    np.testing.assert_allclose(np.einsum("ij,ij->j", vectors, K @ vectors), values, atol=1e-8)
    assert np.linalg.eigvalsh(K)[0] <= values.min() + 1e-12


@pytest.mark.parametrize("n", SIZES)
def test_a_definite_matrix_has_none(n):
    values, vectors = smallest_eigenpairs(_with_spectrum(np.linspace(1e-3, 2.0, n)), 1e-9, 1e-3)
    assert len(values) == 0
    assert vectors.shape == (n, 0)


@pytest.mark.parametrize("n", [40, OPTIONS.dense_size + 60])
def test_rounding_below_the_tolerance_counts_as_zero(n):
    spectrum = np.linspace(0.0, 2.0, n)
    spectrum[0] = -1e-11
    assert len(smallest_eigenpairs(_with_spectrum(spectrum), 1e-9, 1e-3)[0]) == 0
    spectrum[0] = -1e-8
    assert len(smallest_eigenpairs(_with_spectrum(spectrum), 1e-9, 1e-3)[0]) > 0


@pytest.fixture
def cuts(make_stack):
    family = GramStack(make_stack(seed=14, n=10, n_unlabelled=3).grams, 10)
    domain = free_weights(family.inner_products, family.traces, 3.0, 3, 3.0, family.n_points)
    return PsdCuts(family, domain), domain, family


def _random_slice_points(domain, count=300):
    """Coordinates on the slice, near the middle of the set, where both outcomes are common."""
    x = domain.start + 0.3 * np.random.default_rng(0).normal(size=(count, len(domain.start)))
    return x / (x @ domain.equality)[:, None]


def test_no_cut_removes_a_kernel_that_is_positive_semidefinite(cuts):
    psd_cuts, domain, family = cuts
    points = _random_slice_points(domain)
    for x in points[:40]:
        psd_cuts.cut_in_full(x)
        psd_cuts.cut_in_subspace(x)
    smallest = [
        np.linalg.eigvalsh(family.combine(domain.weights(x), labelled_only=False))[0]
        for x in points
    ]
    definite = np.array(smallest) >= 0
    assert 10 < definite.sum() < 290
    assert (domain.cuts @ points[definite].T >= -1e-10).all()


def test_a_point_is_cut_off_just_if_its_kernel_is_indefinite(cuts):
    """What is cut off is indefinite on all points, labelled or not, and what is kept is not."""
    psd_cuts, domain, family = cuts
    for x in _random_slice_points(domain, count=60):
        K = family.combine(domain.weights(x), labelled_only=False)
        smallest = np.linalg.eigvalsh(K)[0]
        found = psd_cuts.cut_in_full(x)
        if smallest < -1e-6:
            assert found
            assert psd_cuts.cut_in_subspace(x)
            assert (domain.cuts @ x).min() < 0  # the point itself is cut off
        elif smallest > 1e-6:
            assert not found


def test_the_subspace_knows_what_it_was_shown(cuts):
    psd_cuts, domain, _ = cuts
    indefinite = next(x for x in _random_slice_points(domain) if psd_cuts.cut_in_full(x))
    small = np.tensordot(domain.weights(indefinite), psd_cuts.small, 1)
    assert np.linalg.eigvalsh(small)[0] < 0
    V = psd_cuts.vectors
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-10)
    assert psd_cuts.cut_in_subspace(indefinite)


def test_a_full_subspace_does_not_grow(cuts):
    """Three vectors that have one new direction between them add just that one."""
    psd_cuts, _, family = cuts
    basis = np.linalg.qr(np.random.default_rng(3).normal(size=(family.n_points,) * 2))[0]
    for first in range(0, family.n_points - 1, 3):
        psd_cuts.add_vectors(basis[:, first : min(first + 3, family.n_points - 1)])
    known = psd_cuts.vectors[:, :3]
    psd_cuts.add_vectors(known + basis[:, -1:] * [2e-8, 3e-8, 5e-8])
    V = psd_cuts.vectors
    assert V.shape[1] == family.n_points
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-10)
