"""PSD hygiene: what passes, what is refused, and what the two cures do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlearn.families.matrices import GramStack
from kernlearn.gram import check_gram, psd
from kernlearn.gram.stack import checked_stack
from kernlearn.kernels._matrices import surely_symmetric


def with_eigenvalues(values, seed=0):
    """A symmetric matrix with these eigenvalues, exactly symmetric."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    K = (Q * values) @ Q.T
    return (K + K.T) / 2


spectra = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=8)


@settings(max_examples=40)
@given(values=spectra, seed=st.integers(0, 99))
def test_positive_definite_matrices_come_back_as_the_same_object(values, seed):
    K = with_eigenvalues(values, seed)
    for cure in ("raise", "clip", "shift", "trust"):
        assert check_gram(K, psd=cure) is K


@settings(max_examples=40)
@given(values=spectra, negative=st.floats(0.001, 5.0), seed=st.integers(0, 99))
def test_cures_do_what_they_say(values, negative, seed):
    K = with_eigenvalues([*values, -negative], seed)
    before = K.copy()
    with pytest.raises(ValueError, match="must be positive semidefinite"):
        check_gram(K)
    clipped, shifted = check_gram(K, psd="clip"), check_gram(K, psd="shift")
    expected = np.sort([*values, 0.0])
    np.testing.assert_allclose(np.linalg.eigvalsh(clipped), expected, atol=1e-12)
    assert (clipped == clipped.T).all()
    np.testing.assert_allclose(shifted - K, negative * np.eye(len(K)), atol=1e-12)
    for repaired in (clipped, shifted):
        assert check_gram(repaired) is repaired
    np.testing.assert_array_equal(K, before)


def test_clipping_is_the_nearest_psd_matrix():
    K = with_eigenvalues([3.0, 1.0, -0.5, -2.0])
    distance = np.linalg.norm(K - check_gram(K, psd="clip"))
    assert distance == pytest.approx(np.hypot(0.5, 2.0))
    assert distance < np.linalg.norm(K - check_gram(K, psd="shift"))


def test_the_message_has_the_smallest_eigenvalue_the_name_and_the_cure():
    message = (
        r"Kernel 7 must be positive semidefinite, got a smallest eigenvalue of -1 "
        r'\(the largest is 3\); pass psd="clip" .* or psd="shift"'
    )
    with pytest.raises(ValueError, match=message):
        check_gram([[1.0, 2.0], [2.0, 1.0]], name="Kernel 7")


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
@pytest.mark.parametrize("n", [3, 40])
def test_the_tolerance_is_relative_to_the_largest_eigenvalue(scale, n):
    spectrum = np.linspace(0.1, 1.0, n)
    for below, passes in [(0.0, True), (-3e-9, True), (-3e-8, False), (-0.5, False)]:
        K = scale * with_eigenvalues([below, *spectrum[1:]], seed=n)
        if passes:
            assert check_gram(K) is K
        else:
            with pytest.raises(ValueError, match="smallest eigenvalue of -"):
                check_gram(K)


def test_the_cheap_test_spares_the_eigenvalues(monkeypatch):
    def forbidden(*args, **kwargs):
        raise RuntimeError("eigenvalues were computed")

    monkeypatch.setattr(psd.scipy.linalg, "eigvalsh", forbidden)
    rank_one = np.outer(np.arange(30.0), np.arange(30.0))
    for K in (np.eye(5), np.zeros((4, 4)), np.ones((50, 50)), rank_one, np.array([[2.0]])):
        assert check_gram(K) is K
    indefinite = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert check_gram(indefinite, psd="trust") is indefinite
    with pytest.raises(RuntimeError, match="were computed"):
        check_gram(indefinite)


def test_entries_at_the_end_of_the_range_are_no_obstacle():
    K = np.full((9, 9), 1.7e308)
    assert check_gram(K) is K


def test_negative_definite_and_hollow_matrices_are_refused():
    for K in (-np.eye(3), [[0.0, 1.0], [1.0, 0.0]], [[-1e-30]]):
        with pytest.raises(ValueError, match="must be positive semidefinite"):
            check_gram(K)
    np.testing.assert_array_equal(check_gram(-np.eye(3), psd="clip"), np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), r"must be a square matrix, got shape \(2, 3\); pass the kernel values"),
        (np.ones(4), r"must be a square matrix, got shape \(4,\)"),
        (np.ones((0, 0)), r"rows and columns, got shape \(0, 0\)"),
        ([[np.nan]], r"must hold finite numbers only, got NaN or infinity; rescale"),
        ([[np.inf]], r"must hold finite numbers only"),
        ([["a"]], r"array of real numbers in rows of one length, got list"),
        ([[1j]], r"must hold real numbers"),
        ([[1.0, 2.0], [0.5, 1.0]], r"symmetric, .* differ by up to 1.5; .* pass \(K \+ K.T\) / 2"),
    ],
)
@pytest.mark.parametrize("cure", ["raise", "clip", "shift", "trust"])
def test_what_is_no_symmetric_matrix_is_refused(K, message, cure):
    with pytest.raises(ValueError, match=f"Gram matrix .*{message}"):
        check_gram(K, psd=cure)


def test_asymmetry_far_from_the_first_rows_is_found_and_rounding_is_let_pass():
    K = np.eye(600)
    K[599, 3] = 1e-10
    assert check_gram(K) is K
    K[580, 300] = 1e-6
    with pytest.raises(ValueError, match="differ by up to 1e-06"):
        check_gram(K)


def test_an_unknown_cure_is_refused():
    with pytest.raises(ValueError, match='"shift" or "trust", got \'fix\'; choose'):
        check_gram(np.eye(2), psd="fix")


@pytest.mark.parametrize("place", [(0, 1), (1, 0), (2, 8), (8, 2), (9, 7), (4, 4)])
@pytest.mark.parametrize("change", [1e-6, np.nan, np.inf, -np.inf])
def test_one_wrong_entry_shows_wherever_it_lies(place, change):
    K = with_eigenvalues(np.linspace(0.1, 1.0, 10))
    assert surely_symmetric(K, tile=3)
    K[place] += change
    on_the_diagonal = place == (4, 4) and bool(np.isfinite(change))
    assert surely_symmetric(K, tile=3) is on_the_diagonal


@pytest.mark.parametrize(("lowest", "known"), [(0.1, True), (0.0, True), (-1e-10, False)])
def test_what_is_positive_up_to_rounding_is_told_from_what_is_nearly_so(lowest, known):
    spectrum = np.linspace(1.0, 2.0, 40)
    spectrum[0] = lowest
    K = with_eigenvalues(spectrum)
    stack, to_rounding = checked_stack([K, np.eye(40)], "raise", False)
    assert to_rounding == known
    family = GramStack(stack, psd_to_rounding=to_rounding)
    for weights in ([1.0, 0.0], [0.5, 0.5], [1.0, -0.1]):
        w = np.array(weights)
        assert family.is_psd(w, family.combine(w)) == (known and w.min() >= 0)
    assert not GramStack(stack).is_psd(np.ones(2), family.combine(np.ones(2)))
