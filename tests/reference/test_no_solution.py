"""Programs without a solution, and a machine without CVXPY."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from kernlearn.reference import (
    eq26,
    eq27,
    eq31,
    eq32,
    eq33,
    eq36,
    fixed_kernel_program,
    positive_weights_program,
)


@pytest.fixture
def twins(make_problem):
    """Two labelled points that every kernel holds to be the same, with opposite labels."""
    p = make_problem(seed=0)
    order = [0, 0, *range(2, 10)]
    p.grams = p.grams[:, order][:, :, order]
    return p


def test_inseparable_labels_make_the_semidefinite_program_infeasible(twins):
    for solution in (eq31(twins.grams, twins.y), eq26(twins.grams, twins.y, np.inf, 0.0)):
        assert solution.status == "infeasible"
        assert solution.value == np.inf
        assert solution.weights is None
        assert solution.alpha is None


def test_inseparable_labels_make_the_quadratic_programs_unbounded(twins):
    solutions = [
        eq33(twins.grams, twins.y),
        eq27(twins.grams, twins.y, np.inf, 0.0),
        eq32(np.eye(10)[:, 2:5], twins.y),
        positive_weights_program(twins.grams, twins.y, "hard_margin"),
        fixed_kernel_program(twins.grams[0], twins.y, "hard_margin"),
    ]
    for solution in solutions:
        assert solution.status == "unbounded"
        assert solution.value == np.inf
        assert solution.weights is None


def test_a_soft_margin_takes_the_same_labels(twins):
    assert eq36(twins.grams, twins.y, C=1.0).status == "optimal"


def test_a_nu_that_the_classes_do_not_allow_is_infeasible(make_problem):
    p = make_problem(seed=1)
    lonely = np.where(np.arange(10) == 0, 1.0, -1.0)
    solution = fixed_kernel_program(p.grams[0], lonely, "nu_svm", nu=0.9)
    assert solution.status == "infeasible"
    assert solution.value == -np.inf


def test_without_cvxpy_the_message_names_the_extra(make_problem, monkeypatch):
    p = make_problem()
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match=r'pip install "kernlearn\[reference\]"'):
        eq36(p.grams, p.y, C=1.0)
