"""Hostile fits keep their promises, and the judge finds those that do not."""

from __future__ import annotations

import os
import warnings
from copy import copy
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from benchmarks.hostile.fits import MAKERS, fitted, judge_fit, judge_seed, one
from benchmarks.hostile.fits.problem import HostileProblem
from benchmarks.hostile.long_double import best_intercept, held_out, least_squares_machine, long
from kernlearn.estimators.mkl.parameters import all_finite
from kernlearn.runtime.status import Status


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_hostile_fits_keep_their_promises(kind):
    # Number 1 of Cox's models takes as long as all the others; `make fuzz` has it, too.
    verdicts = [judge_fit(kind, 0, number) for number in (0, 2, 3)]
    assert [(v.problem, v.complaints) for v in verdicts if v.complaints] == []


@cache
def _once(kind, number):
    problem = one(kind, 0, number)
    return problem, fitted(problem)[0]


def _fitted(kind, wanted):
    """The first fitted problem of a kind of which something is true, and a model to spoil."""
    for number in range(60):
        problem, model = _once(kind, number)
        if model is not None and wanted(model):
            return problem, copy(model)
    raise AssertionError("no such problem")


def _is_proved(model):
    return model.status_.is_optimal and model.objective_ > 0


def _is_positive_and_proved(model):
    return _is_proved(model) and model.weights == "positive"


def _through_landmarks(model):
    return _is_proved(model) and model.rank_ is not None


def _is_exact_too(model):
    return getattr(model, "exact_lower_bound_", 0.0) > 0


@pytest.mark.parametrize(
    ("kind", "wanted", "spoil", "sentence"),
    [
        ("lssvm", lambda m: m.dual_coef_.any(), {"dual_coef_": 1.001}, "system (3)"),
        ("lssvm", lambda m: m.loo_loss_ > 0, {"loo_loss_": 1.001}, "loo_loss_"),
        ("lssvm", lambda m: m.selection == "loo", {"objective_": 1.001}, "PRESS"),
        ("lssvm", lambda m: m.selection == "cv", {"objective_": 1.1}, "k-fold"),
        ("lssvm", lambda m: 4 < len(m.support_) < 16, {"loo_predictions_": 0.9}, "loo_pred"),
        ("first_level", lambda m: m.objective_ > 0, {"objective_": 1.01}, "objective_ (5)"),
        ("first_level", lambda m: m.theta_.any(), {"theta_": -1.0}, "theta_"),
        ("first_level", lambda m: m.theta_.any() and m.lam_ < 1, {"theta_": 9.0}, "kernel_ is not"),
        ("pairs", lambda m: m.coef_.any(), {"objective_": 1.001}, "objective_"),
        ("pairs", lambda m: m.coef_.any(), {"lower_bound_": 1.001}, "lower_bound_"),
        ("pairs", lambda m: m.combination == "conic", {"coef_": -1.0}, "a negative coefficient"),
        ("hyperkernel", lambda m: True, {"weights_": 1.001}, "the sum of the weights"),
        ("hyperkernel", lambda m: m.objective_ > 0, {"lower_bound_": 1.001}, "lower_bound_"),
        ("hyperkernel", lambda m: True, {"dual_coef_": 2.0}, "a dual coefficient outside"),
        ("hyperkernel", lambda m: m.objective_ > 0, {"objective_": 1.001}, "objective_"),
        ("combinations", lambda m: True, {"weights_": 1.001}, "the total of the weights"),
        ("combinations", lambda m: True, {"weights_": -1.0}, "a negative weight"),
        ("combinations", _is_proved, {"objective_": 1.01}, "objective_"),
        ("combinations", _is_proved, {"lower_bound_": 1.01}, "lower_bound_"),
        ("combinations", _through_landmarks, {"lower_bound_": 1.01}, "lower_bound_"),
        ("cox", _is_positive_and_proved, {"objective_": 1.01}, "objective_"),
        ("cox", _is_positive_and_proved, {"lower_bound_": 1.01}, "lower_bound_"),
        ("cox", _is_proved, {"weights_": 1.001}, "the total of the weights"),
        ("cox", _is_proved, {"_hazard": np.nan}, "a survival probability"),
        ("ranking", _is_proved, {"objective_": 1.01}, "objective_"),
        ("ranking", _is_proved, {"lower_bound_": 1.01}, "lower_bound_"),
        ("ranking", _is_proved, {"dual_coef_": 1.5}, "objective_"),
        ("combinations", _is_exact_too, {"exact_lower_bound_": 100.0}, "exact_lower_bound_"),
    ],
)
def test_the_judge_finds_what_was_spoilt(kind, wanted, spoil, sentence):
    problem, model = _fitted(kind, wanted)
    with np.errstate(all="ignore"):
        assert list(problem.check(model)) == []
        for name, factor in spoil.items():
            setattr(model, name, factor * getattr(model, name))
        found = list(problem.check(model))
    assert any(text.startswith(sentence) for text in found), found


def test_a_fit_that_changes_what_it_was_given_is_found():
    problem = one("mixture", 0, 0)
    given = problem.fit.__self__
    assert not [said for said in problem.check(fitted(problem)[0]) if "changed" in said]
    given.X[0, 0] += 1.0
    model = fitted(problem)[0]
    assert "X was changed by fit" in list(problem.check(model))


def test_the_judge_finds_a_descent_that_was_cut_short():
    """Of those that can tell: a fit after one step says so, and is made to say otherwise."""
    found = []
    for number in range(30):
        problem = one("first_level", 0, number)
        if problem.model.lam != "cv":
            problem.model.set_params(max_iter=1)
            model = fitted(problem)[0]
            if model is not None and not model.status_.has_converged:
                model.status_ = Status.CONVERGED
                found += list(problem.check(model))
    assert sum(text.startswith("converged at") for text in found) >= 5


@pytest.mark.parametrize("kind", ["pairs", "hyperkernel", "combinations"])
def test_the_judge_finds_a_false_status(kind):
    problem, model = _fitted(kind, lambda m: m.status_.is_optimal)
    model.status_ = Status.INACCURATE
    assert any(text.startswith("INACCURATE with a gap") for text in problem.check(model))


class Rude(BaseEstimator):
    """An estimator with every bad habit."""

    def __init__(self, habit):
        self.habit = habit

    def fit(self):
        self.status_, self.coef_ = Status.OPTIMAL, np.random.default_rng().normal()
        match self.habit:
            case "prints":
                print("hello")
            case "writes":
                os.write(1, b"from below")
            case "warns":
                warnings.warn("division by zero", RuntimeWarning, stacklevel=1)
            case "breaks":
                raise ZeroDivisionError("division by zero")
            case "mutters":
                raise ValueError("bad input")
            case "refuses":
                raise ValueError("expected numbers, got none; pass some")
        return self


@pytest.mark.parametrize(
    ("habit", "sentence"),
    [
        ("prints", "printed 'hello"),
        ("writes", "printed 'from below'"),
        ("warns", "RuntimeWarning: division by zero"),
        ("breaks", "ZeroDivisionError: division by zero"),
        ("mutters", "an error that is no sentence: bad input"),
        ("random", "coef_ of a second fit is another"),
    ],
)
def test_the_verdict_finds_bad_habits(monkeypatch, habit, sentence):
    def make(rng):
        return HostileProblem(Rude(habit), lambda m: m.fit(), lambda m: iter(()), 5, "nothing")

    monkeypatch.setitem(MAKERS, "lssvm", make)
    verdict = judge_seed(0)
    assert any(complaint.startswith(sentence) for complaint in verdict.complaints)
    assert verdict.problem.startswith("one('lssvm', 0, 0)")


def test_a_refusal_in_a_sentence_is_no_failure(monkeypatch):
    def make(rng):
        return HostileProblem(Rude("refuses"), lambda m: m.fit(), lambda m: iter(()), 5, "nothing")

    monkeypatch.setitem(MAKERS, "lssvm", make)
    verdict = judge_seed(0)
    assert (verdict.complaints, verdict.status) == ([], "refused")


def test_elimination_solves_what_numpy_solves():
    rng = np.random.default_rng(0)
    root, Y = rng.normal(size=(6, 6)), rng.normal(size=(6, 2))
    K, ridge = root @ root.T, rng.uniform(size=6)
    alpha, b = least_squares_machine(long(K), long(Y), long(ridge))
    one = np.ones((6, 1))
    bordered = np.block([[K + np.diag(ridge), one], [one.T, 0.0]])
    expected = np.linalg.solve(bordered, np.vstack([Y, np.zeros((1, 2))]))
    np.testing.assert_allclose(np.vstack([alpha, b[None]]).astype(float), expected, rtol=1e-8)
    without = held_out(long(K), long(Y), long(ridge), [np.array([2])])[2]
    rest = [0, 1, 3, 4, 5]
    alpha, b = least_squares_machine(long(K[np.ix_(rest, rest)]), long(Y[rest]), long(ridge[rest]))
    np.testing.assert_allclose(without.astype(float), (K[2, rest] @ alpha + b).astype(float))


def test_no_other_intercept_is_better():
    f, t = long([0.3, -2.0, 1.0, 0.4]), long([1.0, -1.0, -1.0, 1.0])
    best = best_intercept(f, t)
    losses = [np.maximum(1 - t * (f + b), 0).sum() for b in np.linspace(-4, 4, 801)]
    assert np.maximum(1 - t * (f + best), 0).sum() <= min(losses) + 1e-12


@pytest.mark.parametrize("number", [89, 299])
def test_a_ridge_that_is_lost_in_rounding_is_refused_in_a_sentence(number):
    problem = one("combinations", 0, number)
    with pytest.raises(ValueError, match=r"expected 1/C to be more than the rounding .*, got .*; "):
        problem.fit(problem.model)


def test_coefficients_of_equal_rows_and_unequal_weights_sum_to_zero():
    problem, model = _once("lssvm", 115)
    assert not list(problem.check(model))


@pytest.mark.slow  # two seconds
def test_steps_beyond_all_numbers_are_taken_back_without_a_word():
    model, noise, _ = fitted(one("combinations", 1, 219))
    assert model is not None
    assert noise == []


def test_log_odds_of_kernels_beyond_all_digits_are_fitted_without_a_word():
    """A polynomial of rows of 1e8: what K rounds to has eigenvalues of -1e15."""
    model, noise, _ = fitted(one("robust", 0, 12))
    assert noise == []
    assert np.isfinite(model.objective_)


@pytest.mark.slow  # two seconds
def test_sizes_at_the_end_of_all_numbers_are_judged():
    """Kernels with traces from 1e-50 to 1e50 beside one another."""
    problem = one("combinations", 1, 269)
    model, noise, _ = fitted(problem)
    assert noise == []
    assert all(np.isfinite(coef).all() for coef in model.landmark_coef_)
    assert list(problem.check(model)) == []


def test_a_machine_that_is_no_number_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"expected kernels of sizes .*, got .*; rescale"):
        all_finite(np.array([1.0, np.nan]))
