"""Forms by exact products, held against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import kernlearn as kl
from kernlearn.kernels import Gaussian, Linear
from kernlearn.numerics.sums import SplitMatrices


def exact_form(K, v):
    v = [Fraction(x) for x in v]
    return sum(Fraction(K[i, j]) * v[i] * v[j] for i in range(len(v)) for j in range(len(v)))


@pytest.mark.parametrize("n", [1, 2, 25])
def test_errors_are_within_their_bounds_and_far_below_rounding(n):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(2, n, 3))
    grams = np.array([1.0, 3e-7])[:, None, None] * (points @ points.transpose(0, 2, 1))
    # The last vector is one that the first matrix all but annuls.
    vectors = np.column_stack([rng.normal(size=(n, 2)), np.linalg.eigh(grams[0])[1][:, 0]])
    forms, errors = SplitMatrices(grams).forms(vectors)
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
