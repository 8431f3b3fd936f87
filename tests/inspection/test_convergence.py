"""The picture of convergence: the history first, lines second."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from kernlearn import MKLClassifier
from kernlearn.inspection import ConvergenceDisplay

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def model():
    X = np.random.default_rng(0).normal(size=(40, 3))
    return MKLClassifier().fit(X, X[:, 0] * X[:, 1] > 0)


def test_it_holds_the_history_and_ends_at_the_certificate(model):
    display = ConvergenceDisplay.from_estimator(model)
    steps = model.history_
    np.testing.assert_array_equal(display.objective[:-1], [s.objective for s in steps])
    np.testing.assert_array_equal(
        display.n_machine_solves[:-1], [s.n_machine_solves for s in steps]
    )
    assert display.objective[-1] == model.objective_
    assert display.lower_bound[-1] == model.lower_bound_
    assert display.gap[-1] <= model.duality_gap_ + 1e-15
    np.testing.assert_allclose(display.lines_[0].get_ydata(), np.maximum(display.gap, 1.2e-16), 0.2)


def test_the_gap_is_of_the_best_so_far():
    display = ConvergenceDisplay([1, 2, 3], [10.0, 12.0, 8.0], [-np.inf, 6.0, 5.0])
    np.testing.assert_allclose(display.gap, [np.inf, 0.4, 0.25])


def test_an_unknown_bound_is_left_out_and_a_gap_of_zero_stays_on_the_axis():
    display = ConvergenceDisplay([1, 2], [4.0, 2.0], [-np.inf, 2.0]).plot()
    drawn = display.lines_[0].get_ydata()
    assert np.isnan(drawn[0])
    assert 0.0 < drawn[1] < 1e-15
    bounds = display.plot(kind="bounds").lines_
    np.testing.assert_array_equal(bounds[0].get_ydata(), [4.0, 2.0])
    np.testing.assert_array_equal(bounds[1].get_ydata(), [np.nan, 2.0])


def test_wrong_input_is_refused_in_a_sentence(model):
    with pytest.raises(ValueError, match="expected kind to be one of gap, bounds, got 'both'"):
        ConvergenceDisplay.from_estimator(model, kind="both")
    with pytest.raises(ValueError, match="got Ridge without history_"):
        ConvergenceDisplay.from_estimator(Ridge().fit([[0.0], [1.0]], [0, 1]))
