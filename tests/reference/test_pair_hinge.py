"""The program of Kondor and Jebara's section 5 against libsvm and against its own dual."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from kernlearn.reference import kondor_section5

RNG = np.random.default_rng(0)
K = rbf_kernel(RNG.normal(size=(12, 2)))
T = np.where(np.arange(12) % 3 == 0, 1.0, -1.0)


def test_linear_is_a_support_vector_machine():
    solution = kondor_section5(K, T, 2.0, conic=False)
    svc = SVC(kernel="precomputed", C=2.0, tol=1e-10).fit(K, T)
    np.testing.assert_allclose(
        K @ solution.weights,
        K[:, svc.support_] @ svc.dual_coef_[0],
        atol=1e-4,
    )
    assert solution.alpha.max() <= 2.0 + 1e-6


def test_conic_has_equal_primal_and_dual_values():
    solution = kondor_section5(K, T, 2.0)
    alpha, a = solution.weights, solution.alpha
    assert alpha.min() > -1e-8
    # The best u of the dual is w less the support vectors' sum, and is nowhere negative.
    assert (K @ (alpha - T * a)).min() > -1e-6
    assert a.sum() - 0.5 * alpha @ K @ alpha == pytest.approx(solution.value, rel=1e-7)


def test_the_unit_of_a_section_is_of_no_importance():
    scale = 10.0 ** np.linspace(-4, 4, 12)
    fewer = kondor_section5(K * np.outer(scale, scale), T, 2.0)
    assert fewer.status == "optimal"
    assert fewer.weights.min() > -1e-6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((K[:3], T, 1.0), r"K: expected a stack of square matrices"),
        ((K, T[:5], 1.0), r"expected one entry for each of the 12 points, got 5"),
        ((K, np.ones(12), 1.0), r"both present, got the values \[1\.0\]"),
        ((K, T, 0.0), r"C: expected a positive finite number, got 0\.0"),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        kondor_section5(*arguments)
