"""Bad pairs and bad parameters get a sentence with expectation, finding and cure."""

import numpy as np
import pytest

from kernlearn.hyperkernels import (
    ARDHarmonic,
    Explicit,
    Harmonic,
    PowerSeries,
    Series,
    TranslationInvariant,
)
from kernlearn.kernels import Gaussian, Laplacian, Linear, Polynomial

PAIRS = np.array([[[0.0, 1.0], [2.0, -3.0]], [[1.0, 0.5], [1.0, -1.0]]])
X = PAIRS[:, 0]


def calls_on(hk, pairs):
    return (
        lambda: hk(pairs),
        lambda: hk.diag(pairs),
        lambda: hk.sections(pairs[0], pairs),
        lambda: hk.section(pairs[0])(pairs[0]),
    )


def box(t, s):
    return np.where((np.abs(t) < 1) & (np.abs(s) < 1), 1.0, 0.0)


@pytest.mark.parametrize(
    ("hk", "message"),
    [
        (Harmonic(0.0), r"Harmonic's lambda_h must be a number between 0 and 1, .*got 0.0; 0.6"),
        (Harmonic(1.0), r"Harmonic's lambda_h must be a number between 0 and 1, .*got 1.0"),
        (Harmonic(np.nan), r"lambda_h must be a number between 0 and 1, .*got nan"),
        (Harmonic("0.6"), r"lambda_h must be a number between 0 and 1, .*got '0.6'"),
        (Harmonic(gamma=0.0), r"Harmonic's gamma must be a positive finite number, got 0.0"),
        (ARDHarmonic(), r"gammas must be given before it is called, got None; .* from the data"),
        (ARDHarmonic(1.5, [1.0, 1.0]), r"ARDHarmonic's lambda_h must be a number between 0 and 1"),
        (ARDHarmonic(gammas=[1.0, -1.0]), r"non-negative finite numbers, one for each column, got"),
        (ARDHarmonic(gammas=1.0), r"ARDHarmonic's gammas must be a list of non-negative finite"),
        (ARDHarmonic(gammas=[1.0]), r"one number for each feature, got 1 for 2 features; pass"),
        (PowerSeries("tan", Gaussian()), r"one of exp, sinh, .* or a Series object, got 'tan'"),
        (PowerSeries(None, Gaussian()), r"or a Series object, got None; choose one"),
        (PowerSeries("exp", "rbf"), r"PowerSeries must be built from kernel objects, got 'rbf'"),
        (PowerSeries("exp", Polynomial(8)), r"must give finite values, got an overflow .*rescale"),
        (PowerSeries("exp", Linear()), r"never negative, got -.* from Linear\(\); choose a Gaus"),
        (Explicit([Linear()], [1.0]), r"Explicit needs a kernel that is never negative, got -"),
        (Explicit([], []), r"Explicit must be given a list of at least one kernel, got \[\]"),
        (Explicit(["rbf"], [1.0]), r"Explicit must be built from kernel objects, got 'rbf'"),
        (Explicit([Gaussian()], [-1.0]), r"coefs must be 1 non-negative finite numbers, .*got \[-"),
        (Explicit([Gaussian()], [1.0, 2.0]), r"coefs must be 1 non-negative finite numbers, one"),
        (TranslationInvariant(3), r"must be a function of two arrays of differences, got 3; pass"),
        (TranslationInvariant(box, [0.0, 1.0]), r"scales must be a positive number or one for"),
        (TranslationInvariant(box, span=0.0), r"TranslationInvariant's span must be a positive"),
    ],
)
def test_parameters_are_checked_when_called(hk, message):
    for call in calls_on(hk, PAIRS):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("name", ["arctanh", "log"])
def test_the_radius_of_convergence_is_kept(name):
    same = np.zeros((1, 2, 2))
    message = rf"below 1, the root of .* convergence of {name}, got 1 from Gaussian\(\); scale"
    for call in calls_on(PowerSeries(name, Gaussian()), same):
        with pytest.raises(ValueError, match=message):
            call()
    # Just inside, the value is large and right.
    nearly = PowerSeries(name, (1 - 1e-9) * Gaussian())
    expected = {"arctanh": 0.5 * np.log(2 / 2e-9), "log": -np.log(2e-9)}[name]
    assert nearly(same)[0, 0] == pytest.approx(expected, rel=1e-6)
    # Series that converge everywhere take any kernel.
    assert PowerSeries("exp", 3.0 * Gaussian())(same)[0, 0] == pytest.approx(np.exp(9.0))


def test_the_radius_of_a_series_of_ones_own_is_kept():
    series = Series("half", lambda xi: 1 / (1 - 4 * xi), 0.25)
    assert PowerSeries(series, 0.4 * Laplacian())(PAIRS).min() >= 1.0
    with pytest.raises(ValueError, match=r"below 0.5, the root .*of half, got 0.6 from"):
        PowerSeries(series, 0.6 * Laplacian())(np.zeros((1, 2, 1)))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (X, r"shape \(n_pairs, 2, n_features\) .* got shape \(2, 2\); build it"),
        (np.zeros((3, 3, 2)), r"shape \(n_pairs, 2, n_features\) .* got shape \(3, 3, 2\)"),
        (np.zeros((0, 2, 2)), r"at least one pair and one feature, got shape \(0, 2, 2\)"),
        (np.zeros((2, 2, 0)), r"at least one pair and one feature, got shape \(2, 2, 0\)"),
        (PAIRS * np.nan, r"finite numbers only, got nan in pair 0, point 0, feature 0; remove"),
        (
            [[["a"], ["b"]]],
            r"rows of one length, got list that is not one; encode text",
        ),
        (
            [[[1.0], [1.0, 2.0]]],
            r"rows of one length, got list that is not one; .*float64",
        ),
        (PAIRS + 1j, r"hold real numbers, got complex ones"),
    ],
)
def test_pairs_are_checked(pairs, message):
    hk = Harmonic()
    for call in (
        lambda: hk(pairs),
        lambda: hk.diag(pairs),
        lambda: hk(PAIRS, pairs),
        lambda: hk.sections(X, pairs),
        lambda: hk.expansion(pairs, [1.0, 1.0]),
    ):
        with pytest.raises(ValueError, match=f"^(pairs|other) must .*{message}"):
            call()


def test_points_are_checked():
    hk = Harmonic()
    with pytest.raises(ValueError, match=r"^other must have as many features .* got 1 for 2; pass"):
        hk(PAIRS, PAIRS[:, :, :1])
    with pytest.raises(ValueError, match=r"^X must have as many features as the pairs, got 1 for"):
        hk.sections(X[:, :1], PAIRS)
    with pytest.raises(ValueError, match=r"^Y must have as many features as the pairs, got 1 for"):
        hk.sections(X, PAIRS, X[:, :1])
    with pytest.raises(ValueError, match=r"^X must have as many features as the pairs, got 1 for"):
        hk.section(PAIRS[0])(X[:, :1])
    with pytest.raises(ValueError, match=r"^X must hold finite numbers only, got nan in row 0"):
        hk.sections([[np.nan, 1.0]], PAIRS)
    with pytest.raises(ValueError, match=r"^pair must have shape \(2, n_features\), got shape"):
        hk.section(PAIRS)
    with pytest.raises(ValueError, match=r"^pair must hold finite numbers only, got inf"):
        hk.section([[np.inf], [0.0]])


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0], [np.nan, 1.0], 1.0, [[1.0, 1.0]]])
def test_weights_are_checked(weights):
    with pytest.raises(ValueError, match=r"weights must be 2 non-negative finite numbers, one for"):
        Harmonic().expansion(PAIRS, weights)


def test_extreme_data_give_the_right_answer_or_a_sentence():
    far = np.array([[[1e308], [-1e308]]])
    # The difference overflows, and the Gaussian of it is zero.
    assert Harmonic(0.6)(far)[0, 0] == pytest.approx(0.4)
    assert ARDHarmonic(0.6, [1.0])(far)[0, 0] == pytest.approx(0.4)
    with pytest.raises(ValueError, match=r"ARDHarmonic must give finite values, .*rescale"):
        ARDHarmonic(0.6, [0.0])(far)
    assert ARDHarmonic(0.6, [0.0])(far / 4)[0, 0] == pytest.approx(1.0)
