"""Learned substitution matrices: derivatives, the penalty, and a semidefinite program."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.parametric import SubstitutionFamily
from kernlearn.families.parametric.base import Ray
from kernlearn.reference import substitution_matrix
from kernlearn.solvers.first_level.problem import FirstLevelProblem
from kernlearn.testing import check_parametric_kernel

RNG = np.random.default_rng(0)
X = ["".join(row) for row in RNG.choice(list("ABC"), size=(14, 5))]
Y = np.array([row.count("A") - row[:3].count("B") for row in X], dtype=float)[:, None]
PRIOR = np.array([[1.0, 0.3, 0.0], [0.3, 2.0, -0.5], [0.0, -0.5, 1.0]])


@pytest.mark.parametrize(
    "parameters",
    [{}, {"degree": 3, "offset": 0.5}, {"word_length": 2, "prior": None}, {"aligned": False}],
    ids=str,
)
def test_the_laws_hold(parameters):
    check_parametric_kernel(SubstitutionFamily(**parameters), X[:8])


@pytest.mark.parametrize("prior", ["identity", PRIOR, None], ids=["identity", "matrix", "nuclear"])
def test_slopes_and_curvature_of_the_penalty_are_its_differences(prior):
    family = SubstitutionFamily("ABC", prior=prior)
    start = family.start(None)
    theta = start + 0.1 * np.cos(np.arange(6))
    for penalty, place in ((family.penalty, theta), (Ray(family, theta).penalty, np.array([0.7]))):
        for r, step in enumerate(1e-6 * np.eye(len(place))):
            above, below = place + step, place - step
            slope = (penalty.value(above) - penalty.value(below)) / 2e-6
            assert penalty.gradient(place)[r] == pytest.approx(slope, rel=1e-7, abs=1e-8)
            bent = (penalty.gradient(above) - penalty.gradient(below)) / 2e-6
            np.testing.assert_allclose(penalty.hessian(place)[r], bent, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("prior", [PRIOR, None], ids=["matrix", "nuclear"])
def test_the_criterion_is_that_of_a_semidefinite_program(prior):
    family = SubstitutionFamily("ABC", prior=prior)
    rows = family.read(X)
    size = family.size(family.start(None))
    problem = FirstLevelProblem(family, rows, Y - Y.mean(), np.ones(len(X)), size)
    found = problem.minimise(problem.start, 0.5, 2.0, 1e-14, 200)
    program = substitution_matrix(rows.reshape(len(X), 5, 3), Y[:, 0], 0.5, 2.0, prior)
    assert found.point.objective == pytest.approx(program.value, rel=1e-7)
    S = family.kernel(found.point.theta).matrix
    np.testing.assert_allclose(S, program.weights.reshape(3, 3), atol=1e-4)
    # Without CVXPY: the bound proves it, and holds wherever it is taken.
    assert found.point.lower_bound == pytest.approx(found.point.objective, rel=1e-6)
    assert found.point.lower_bound <= found.point.objective * (1 + 1e-12)
    a = np.sqrt(0.5) * found.point.dual_coef
    t, least = family.dual_minimum(rows, a, 2.0)

    def value(theta):
        K = family.matrix(rows, None, theta)
        return 2.0 * family.penalty.value(theta) - 0.5 * t**2 * float(np.sum(a * (K @ a)))

    assert value(found.point.theta) == pytest.approx(least, abs=1e-6)
    assert all(value(theta) >= least for theta in np.random.default_rng(2).normal(size=(20, 6)))
    elsewhere = problem.at(1.5 * problem.start, 0.5, 2.0)
    assert elsewhere.lower_bound < found.point.objective < elsewhere.objective


def test_a_power_has_no_bound():
    family = SubstitutionFamily("ABC", degree=2)
    assert family.dual_minimum(family.read(X), Y - Y.mean(), 1.0) is None


@pytest.mark.parametrize(
    ("family", "rows", "message"),
    [
        (SubstitutionFamily(), ["AAA", "AA"], "at least two different letters .* got 'A'"),
        (SubstitutionFamily("xy"), X, "find words of its alphabet 'xy' in X, got none"),
        (SubstitutionFamily(prior="blosum"), X, "prior must be 'identity', a matrix or None"),
        (SubstitutionFamily(prior=np.eye(2)), X, "3 rows and columns"),
        (SubstitutionFamily(degree=0), X, "degree must be a positive integer"),
    ],
)
def test_what_is_wrong_is_named(family, rows, message):
    with pytest.raises(ValueError, match=message):
        family.fitted_to(rows)


def test_an_alphabet_is_needed_first():
    with pytest.raises(ValueError, match=r"call family.fitted_to\(X_train\) first"):
        SubstitutionFamily().start(None)
