"""Gradients of the selection criteria by finite differences, for every family and loss."""

from __future__ import annotations

import numpy as np
import pytest

from kernlearn.families.parametric import ARDGaussianFamily, ARDPolynomialFamily, GaussianFamily
from kernlearn.quality.evidence import Evidence
from kernlearn.quality.held_out import KFoldLoss, LeaveOneOut, SelectionCriterion
from kernlearn.quality.logistic_evidence import LogisticEvidence
from kernlearn.solvers.selection.objective import SelectionObjective

N = 30


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    Y = np.column_stack([np.sin(X[:, 0]), np.sign(X[:, 1] + 0.5 * rng.normal(size=N))])
    return X, Y, rng.uniform(0.2, 3.0, size=N)


def _loss(name, weight, Y):
    if name == "evidence":
        return Evidence(weight, Y)
    if name == "logistic":
        return LogisticEvidence(weight, np.where(Y > 0, 1.0, -1.0))
    if name == "cv":
        return KFoldLoss(weight, [np.arange(i, N, 4) for i in range(4)])
    return LeaveOneOut(weight)


@pytest.mark.parametrize("name", ["loo", "cv", "bayes", "evidence", "logistic"])
@pytest.mark.parametrize(
    "family",
    [GaussianFamily(), ARDGaussianFamily(), ARDPolynomialFamily()],
    ids=["rbf", "ard", "poly"],
)
def test_gradients_are_differences(data, family, name):
    X, Y, weight = data
    criterion = SelectionCriterion(_loss(name, weight, Y), name == "bayes", 0.3, 0.02)
    objective = SelectionObjective(family, X, Y, criterion)
    spread = np.linspace(0.4, 1.7, len(family.start(X)))
    z = np.log(np.append(0.2, spread * family.start(X)))
    value, gradient = objective.value_and_gradient(z)
    # The mode of a logistic machine is found again from where it was.
    again = 1e-11 if name == "logistic" else 0.0
    assert value == pytest.approx(objective.value(z), rel=again, abs=0.0)
    steps = 1e-5 * np.eye(len(z))
    differences = [(objective.value(z + h) - objective.value(z - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


def test_a_ridge_that_was_raised_has_no_slope(data):
    X, Y, weight = data
    objective = SelectionObjective(GaussianFamily(), X, Y, SelectionCriterion(LeaveOneOut(weight)))
    z = np.log([1e-200, 1e-6])
    value, gradient = objective.value_and_gradient(z)
    assert gradient[0] == 0.0
    assert value == pytest.approx(objective.value(z + [1.0, 0.0]), abs=1e-12)


def test_where_no_machine_can_be_trained_the_criterion_is_infinite(data):
    X, Y, weight = data

    class Refusing(GaussianFamily):
        def matrix(self, X, Y, theta):
            if theta[0] > 1.0:
                raise OverflowError("too narrow")
            return (-1.0 if theta[0] > 0.1 else 1.0) * super().matrix(X, Y, theta)

    objective = SelectionObjective(Refusing(), X, Y, SelectionCriterion(LeaveOneOut(weight)))
    for theta in (2.0, 0.5):
        value, gradient = objective.value_and_gradient(np.log([0.1, theta]))
        assert value == np.inf == objective.value(np.log([0.1, theta]))
        np.testing.assert_array_equal(gradient, 0.0)
    assert objective.n_breakdowns == 4
    assert np.isfinite(objective.value(np.log([0.1, 0.05])))


def test_an_error_that_is_no_breakdown_ends_the_selection(data):
    X, Y, weight = data

    class Defective(GaussianFamily):
        def matrix(self, X, Y, theta):
            raise ValueError("operands could not be broadcast together")

    objective = SelectionObjective(Defective(), X, Y, SelectionCriterion(LeaveOneOut(weight)))
    for evaluate in (objective.value, objective.value_and_gradient):
        with pytest.raises(ValueError, match="operands"):
            evaluate(np.log([0.1, 1.0]))
