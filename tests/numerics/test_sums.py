"""Sums whose rounding is bounded in the worst case."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.families.matrices import GramStack, RankOneStack
from kernlearn.kernels import Gaussian, Linear
from kernlearn.numerics.sums import (
    EPS,
    SplitMatrices,
    blocked_product,
    blocked_sum,
    column_means,
    exact_sum,
    inner_product,
    n_roundings,
    rounding,
)
from kernlearn.quality.one_class import one_class

SIZES = [5, 64, 65, 300]


class Counted:
    """A number that counts through how many roundings it has gone."""

    def __init__(self, depth=0):
        self.depth = depth

    def __add__(self, other):
        return Counted(max(self.depth, getattr(other, "depth", 0)) + 1)

    def __mul__(self, other):
        return Counted(self.depth + getattr(other, "depth", 0) + 1)

    __radd__, __rmul__ = __add__, __mul__


def _counted(*shape):
    return np.array([Counted() for _ in range(int(np.prod(shape)))], dtype=object).reshape(shape)


@pytest.mark.parametrize("n", SIZES)
def test_no_term_is_rounded_more_often_than_is_counted(n):
    """One term after the other within a block, which no BLAS can do worse."""
    form = blocked_product(blocked_product(_counted(n), _counted(n, n)), _counted(n))
    assert form.depth <= 2 * n_roundings(n) + 4
    assert form.depth * EPS / 2 <= rounding(n) <= 1.2 * (2.0 * np.sqrt(n) + 64) * EPS


@pytest.mark.parametrize("n", SIZES)
def test_forms_are_within_what_is_said_of_them(n):
    rng = np.random.default_rng(n)
    K = rng.normal(size=(2, n, n))
    K = K + K.transpose(0, 2, 1)
    a = rng.normal(size=n) * 10.0 ** rng.uniform(-3, 3, size=n)
    V = rng.normal(size=(n, 2))
    for family, grams in (
        (GramStack(K), K),
        (RankOneStack(V), np.array([np.outer(v, v) for v in V.T])),
    ):
        found = blocked_product(family.apply(a), a)
        both = np.column_stack([a, a])
        small = family.forms(both, both[:, :1])
        for i, gram in enumerate(grams):
            rows = [exact_sum(np.longdouble(1) * row * a) for row in gram]
            exact, size = exact_sum(np.array(rows) * a), np.abs(a) @ np.abs(gram) @ np.abs(a)
            assert abs(found[i] - exact) <= (rounding(n) + 4 * EPS) * size
            np.testing.assert_allclose(small[i], exact, atol=(rounding(n) + 4 * EPS) * size)
        products = [np.sum(gram * grams[0]) for gram in grams]
        np.testing.assert_allclose(family.products(grams[0]), products, rtol=1e-9)


def test_sums():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000) * 10.0 ** rng.uniform(-8, 8, size=1000)
    exact = float(sum(map(Fraction, x.tolist())))
    assert exact_sum(x) == exact
    assert exact_sum(x, 1e20) == float(sum(map(Fraction, x.tolist())) + 10**20)
    assert abs(blocked_sum(x) - exact) <= 0.5 * rounding(1000) * np.abs(x).sum()
    assert blocked_sum(x[:0]) == 0.0
    K = rng.normal(size=(200, 200)).astype(np.longdouble)
    np.testing.assert_allclose(column_means(K).astype(float), K.mean(axis=0).astype(float))
    assert column_means(K).dtype == np.longdouble
    assert inner_product(np.eye(200), np.asarray(K, dtype=float)) == pytest.approx(float(K.trace()))


def test_no_violation_hides_in_the_rounding_of_a_sum():
    machine = one_class(np.ones(3), 0.5)
    a = np.array([0.6, 0.4, 1e-17])
    assert a.sum() == 1.0
    assert machine.infeasibility(a) == float(sum(map(Fraction, a.tolist())) - 1) > 0.0


def exact_form(K, v):
    v = [Fraction(x) for x in v]
    return sum(Fraction(K[i, j]) * v[i] * v[j] for i in range(len(v)) for j in range(len(v)))


@pytest.mark.parametrize("kept", [1e6, 0.0])
@pytest.mark.parametrize("n", [1, 2, 25])
def test_errors_are_within_their_bounds_and_far_below_rounding(n, kept):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(2, n, 3))
    grams = np.array([1.0, 3e-7])[:, None, None] * (points @ points.transpose(0, 2, 1))
    # The last vector is one that the first matrix all but annuls.
    vectors = np.column_stack([rng.normal(size=(n, 2)), np.linalg.eigh(grams[0])[1][:, 0]])
    forms, errors = SplitMatrices(grams, kept).forms(vectors)
    for i, K in enumerate(grams):
        for k, v in enumerate(vectors.T):
            found, bound = Fraction(forms[k, i]), Fraction(errors[k, i])
            assert abs(found - exact_form(K, v)) <= bound
    sizes = np.einsum("ik,mij,jk->km", np.abs(vectors), np.abs(grams), np.abs(vectors))
    assert (errors <= 2.0**-52 * np.abs(forms) + 1e-18 * sizes).all()


def test_weights_of_both_signs_are_proved_optimal_where_a_cut_is_all_but_zero():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = 2.0 + 2.0 * y[:, None] + rng.normal(size=(80, 4))
    model = kl.MKLClassifier(
        [Linear(), Gaussian(0.1)], "squared_soft_margin", C="learn", weights="free"
    ).fit(X, y)
    assert model.status_.is_optimal


def test_weights_of_both_signs_are_proved_optimal_on_hundreds_of_points():
    """The least eigenvalues of smooth kernels are far below the rounding of a form."""
    X = np.random.default_rng(0).normal(size=(300, 2))
    grams = [Gaussian(gamma)(X) for gamma in (0.1, 1.0)]
    found = kl.learn_weights(grams, X[:, 0] * X[:, 1] > 0, C=5.0, weights="free")
    assert found.status.is_optimal
    assert found.weights[0] < 0.0
