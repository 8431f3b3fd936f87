"""Machines trained on shared matrices, against scikit-learn's own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, LinearSVC

from kernlearn.methods import tuning
from kernlearn.methods.tuning import GaussianMachines

PARAMETERS = [{"C": C, "gamma": gamma} for C in (0.1, 30.0) for gamma in ("scale", "auto", 0.03)]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(70, 3)) * [1.0, 2.0, 0.5]
    return Z, np.sin(Z[:, 0]) + 0.3 * rng.normal(size=70)


@pytest.mark.parametrize("limits", [[0.2], [-0.4, 0.1, 0.4]])
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_labels_and_decisions_are_those_of_svc(rows, parameters, limits):
    Z, y = rows
    labels = np.array(list("adbc"))[np.digitize(y, limits)]
    machine = SVC(**parameters, tol=1e-6)
    machines = GaussianMachines(Z[:50], Z[50:], labels[:50])
    assert machines.suits(machine)
    ours, theirs = machines.fit(machine), SVC(**parameters, tol=1e-6).fit(Z[:50], labels[:50])
    assert not hasattr(machine, "support_")
    np.testing.assert_array_equal(ours.predict(Z[50:]), theirs.predict(Z[50:]))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    expected = theirs.decision_function(Z[50:])
    np.testing.assert_allclose(ours.decision_function(Z[50:]), expected, atol=1e-5)
    assert ours.score(Z[50:], labels[50:]) == theirs.score(Z[50:], labels[50:])


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_numbers_are_those_of_svr(rows, parameters):
    Z, y = rows
    machine = SVR(**parameters, epsilon=0.07, tol=1e-6)
    machines = GaussianMachines(Z[:50], Z[50:], y[:50])
    assert machines.suits(machine)
    ours = machines.fit(machine)
    theirs = SVR(**machine.get_params()).fit(Z[:50], y[:50])
    np.testing.assert_allclose(ours.predict(Z[50:]), theirs.predict(Z[50:]), atol=1e-5)
    assert ours.score(Z[50:], y[50:]) == pytest.approx(theirs.score(Z[50:], y[50:]), abs=1e-5)
    assert not hasattr(ours, "decision_function")


def test_matrices_are_made_once_for_a_width(rows, monkeypatch):
    Z, y = rows
    widths = []
    usual = tuning.Gaussian
    monkeypatch.setattr(tuning, "Gaussian", lambda gamma: (widths.append(gamma), usual(gamma))[1])
    machines = GaussianMachines(Z[:50], Z[50:], y[:50])
    for parameters in PARAMETERS:
        machines.fit(SVR(**parameters))
    assert len(widths) == 3


def test_what_it_cannot_do_is_left_to_the_estimator(rows):
    Z, y = rows
    labels = np.digitize(y, [-0.3, 0.3])
    machines = GaussianMachines(Z, Z, labels)
    assert machines.suits(SVC())
    for changes in ({"kernel": "linear"}, {"class_weight": "balanced"}, {"break_ties": True}):
        assert not machines.suits(SVC(**changes))
    assert not machines.suits(LinearSVC())
    assert not GaussianMachines(Z.tolist(), Z, y).suits(SVR())
    assert not GaussianMachines(Z, Z, labels, few_rows=69).suits(SVC())
