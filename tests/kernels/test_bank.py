"""The default bank: the scale of the data, and data without one."""

import re

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from kernlearn.kernels import Gaussian, Linear, Normalized, Polynomial, default_bank
from kernlearn.kernels.bank import bank_at, median_distance, screen_kernels


def gammas(bank):
    return np.array([k.gamma for k in bank if isinstance(k, Gaussian)])


def test_the_bank_holds_the_kernels_it_promises_at_the_median_distance():
    X = np.random.default_rng(0).standard_normal((200, 4)) * [1, 2, 3, 4]
    bank = default_bank(X)
    assert [type(k) for k in bank] == [Normalized] * 2 + [Gaussian] * 5
    assert isinstance(bank[0].kernel, Linear)
    assert isinstance(bank[1].kernel, Polynomial)
    expected = 2.0 ** np.array([-4, -2, 0, 1.5, 3]) / np.median(pdist(X)) ** 2
    np.testing.assert_allclose(gammas(bank), expected, rtol=1e-12)
    for kernel in bank:
        np.testing.assert_array_equal(kernel.diag(X), np.ones(200))


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e100, 1e150])
def test_the_gaussians_follow_the_unit_of_the_data(scale):
    X = np.random.default_rng(1).standard_normal((60, 3))
    banks = [[k for k in default_bank(z) if isinstance(k, Gaussian)] for z in (X, scale * X)]
    for plain, scaled in zip(*banks, strict=True):
        np.testing.assert_allclose(scaled(scale * X), plain(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-170, 1e-300, 1e170, 1e300])
def test_gammas_stay_in_range_where_the_square_of_the_unit_does_not(scale):
    found = gammas(default_bank(scale * np.random.default_rng(1).standard_normal((30, 3))))
    assert np.isfinite(found).all()
    assert (found > 0).all()


@pytest.mark.parametrize(
    "X", [np.zeros((5, 2)), np.full((5, 2), 7.0), [[3.0, 4.0]]], ids=["zero", "constant", "one row"]
)
def test_data_without_a_scale_get_unit_width(X):
    bank = default_bank(X)
    np.testing.assert_array_equal(gammas(bank), 2.0 ** np.array([-4, -2, 0, 1.5, 3]))
    for kernel in bank:
        assert np.isfinite(kernel(X)).all()


def test_duplicates_do_not_hide_the_scale():
    X = np.array([[0.0]] * 50 + [[2.0]])
    assert gammas(default_bank(X))[2] == 0.25


def test_a_sample_of_the_rows_is_enough_and_reproducible():
    X = np.random.default_rng(2).standard_normal((1050, 3))
    first, again = default_bank(X, random_state=0), default_bank(X, random_state=0)
    np.testing.assert_array_equal(gammas(first), gammas(again))
    assert not np.array_equal(gammas(first), gammas(default_bank(X, random_state=1)))
    assert gammas(first)[2] == pytest.approx(1 / np.median(pdist(X)) ** 2, rel=0.05)


def test_bad_data_are_refused():
    with pytest.raises(ValueError, match="finite numbers only, got nan"):
        default_bank([[np.nan]])


def test_kernels_that_are_nearly_constant_are_left_out_with_their_numbers():
    """Far from the origin all points point the same way."""
    X = np.random.default_rng(0).standard_normal((50, 3)) + 500.0
    kernels, notes = screen_kernels(bank_at(median_distance(X, None), [0.0]), X)
    assert [type(k) for k in kernels] == [Gaussian]
    assert len(notes) == 2
    assert re.search(r"Linear.*left out: .*nearly constant.*95 %.*above 0\.9999\d\d", notes[0])
    assert [type(k) for k in default_bank(X)] == [Gaussian] * 5


def test_kernels_that_are_nearly_the_identity_are_left_out_with_their_numbers():
    """At equal distances the narrowest Gaussian is 3e-4 everywhere."""
    X = np.eye(30)
    kernels, notes = screen_kernels(bank_at(np.sqrt(2.0), [0.0, 3.0]), X)
    np.testing.assert_allclose(gammas(kernels), [0.5])
    assert re.search(r"Gaussian\(gamma=.*left out: .*nearly the identity.*3\.4e-04", notes[-1])
    # Inner products of these are zero too.
    assert len(kernels) == 2
    assert isinstance(kernels[0].kernel, Polynomial)


def test_near_points_save_a_narrow_kernel():
    """Most points are far apart, but every one has neighbours."""
    centres = 100.0 * np.random.default_rng(0).standard_normal((8, 5))
    X = np.repeat(centres, 10, axis=0) + 0.1 * np.random.default_rng(1).standard_normal((80, 5))
    narrow = bank_at(0.3, [0.0])
    assert gammas(screen_kernels(narrow, X)[0]) == gammas(narrow)


def test_where_nothing_would_be_left_everything_stays():
    X = np.random.default_rng(0).standard_normal((50, 3))
    kernels, notes = screen_kernels([Gaussian(1e9), Gaussian(1e-9)], X)
    assert len(kernels) == len(notes) == 2
