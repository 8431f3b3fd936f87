"""With few rows, what is said of held-out rows must not know them in any way."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

import kernlearn as kl
from kernlearn.estimators.held_out.calibration import (
    fit_calibration,
    probabilities,
    shrunk_calibration,
    shrunk_to_shares,
)
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.candidates.machine import KernelMachine
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.screening import NEGLIGIBLE, screen_candidates
from kernlearn.estimators.mixture.nested_predictions import (
    held_out_predictions,
    ladders_of,
    nested_predictions,
    nested_searches,
)
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation.table import STANDARD
from kernlearn.kernels import Linear
from kernlearn.quality.predictive import LogLoss
from kernlearn.runtime.stopping import StoppingControl

CHOICE = chosen_families(["linear", "Gaussian", "Gaussian SVM"])


def problem(n=30, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.choice([-1.0, 1.0], size=(n, 1))
    folds = [np.arange(n)[i::5] for i in range(5)]
    return CandidateProblem({STANDARD: X}, LogLoss(y, np.ones(n)), folds)


def test_labels_of_a_fold_do_not_change_what_is_predicted_for_it():
    first = problem()
    fold, Y = first.folds[0], first.Y.copy()
    Y[fold] = -Y[fold]
    second = replace(first, loss=LogLoss(Y, first.weight))
    nested = [
        nested_predictions(one, ladders_of(one, CHOICE), 8, NEGLIGIBLE) for one in (first, second)
    ]
    np.testing.assert_array_equal(nested[0][fold], nested[1][fold])
    assert not np.allclose(np.delete(nested[0], fold), np.delete(nested[1], fold))
    usual = [
        screen_candidates(one, CHOICE, np.random.RandomState(0)).held_out(8)
        for one in (first, second)
    ]
    assert not np.allclose(usual[0][fold], usual[1][fold])


def test_a_fold_is_predicted_by_the_machines_of_the_other_rows():
    one = problem()
    (ladder,) = ladders_of(one, chosen_families(["linear"]))
    fold = one.folds[0]
    others = np.setdiff1d(np.arange(len(one)), fold)
    part = one.rows(others)
    best = ladder.best(others, part, part.loss)
    X, lam = one.tables[STANDARD], best.fit.judged.lam
    args = Linear(), lam, X[others], part.Y, part.weight
    alone = KernelMachine.trained(STANDARD, *args).predict(X[fold])
    np.testing.assert_allclose(best.predict(fold, others), alone, rtol=1e-9)
    for row in (0, 7):  # what λ was chosen by, and what it is mixed by
        rest = np.delete(np.arange(len(others)), row)
        args = Linear(), lam, X[others][rest], part.Y[rest], part.weight[rest]
        left_out = KernelMachine.trained(STANDARD, *args).predict(X[others][[row]])
        np.testing.assert_allclose(best.fit.judged.held_out[[row]], left_out, rtol=1e-8)
    lams = lam * np.array([0.1, 10.0])
    worse = [np.mean(best.path.residuals(at) ** 2) for at in lams]
    assert best.error < min(worse)


def test_candidates_that_learn_their_kernel_are_searched_again():
    one, options = problem(), MixtureOptions()
    kept = {}
    for name in ("trees", "Gaussian SVM"):
        choice = chosen_families([name])
        assert not ladders_of(one, choice)
        screening = screen_candidates(one, choice, np.random.RandomState(0))
        usual, kept[name] = held_out_predictions(screening, choice, 8, NEGLIGIBLE, options)
        again = nested_searches(one, choice, 8, NEGLIGIBLE, options)
        np.testing.assert_array_equal(kept[name], again)
        assert not np.allclose(usual, again)


def test_without_time_or_folds_there_are_none():
    one = problem()
    limited = replace(one, stopping=StoppingControl(time_limit=1e-9))
    two = replace(one, folds=[np.arange(15), np.arange(15, 30)])
    for each in (limited, two):
        assert nested_predictions(each, ladders_of(each, CHOICE), 8, NEGLIGIBLE) is None
        assert nested_searches(each, CHOICE, 8, NEGLIGIBLE, MixtureOptions()) is None


@pytest.mark.parametrize("is_noise", [True, False])
def test_of_more_labels_the_usual_predictions_are_kept_where_they_are_clearly_better(is_noise):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(90, 2))
    # Steps in squares: trees find them, no straight line does.
    y = np.sign(X[:, :1] * X[:, 1:]) if not is_noise else rng.choice([-1.0, 1.0], size=(90, 1))
    folds = [np.arange(90)[i::5] for i in range(5)]
    one = CandidateProblem({STANDARD: X}, LogLoss(y, np.ones(90)), folds)
    choice = chosen_families(["linear", "trees"])
    screening = screen_candidates(one, choice, np.random.RandomState(0))
    usual, kept = held_out_predictions(screening, choice, 8, NEGLIGIBLE, MixtureOptions())
    assert np.array_equal(usual, kept) != is_noise
    few = MixtureOptions(nested_labels=89)
    usual, kept = held_out_predictions(screening, choice, 8, NEGLIGIBLE, few)
    assert np.array_equal(usual, kept) != is_noise  # nothing is clear
    few = replace(few, nested_unclear_labels=89)
    np.testing.assert_array_equal(*held_out_predictions(screening, choice, 8, NEGLIGIBLE, few))


@pytest.mark.filterwarnings("ignore::kernlearn.exceptions.ExtrapolationWarning")
def test_random_labels_have_the_score_of_the_majority():
    excess, at_chance = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(20, 3)), rng.permutation(20) % 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", kl.exceptions.AtChanceWarning)
            model = kl.KernelClassifier(["linear", "Gaussian"]).fit(X, y)
        excess.append(model.held_out_score_ - 0.5)
        at_chance.append(model.status_.is_at_chance)
        assert model.predict_proba(50.0 * X).min() > 1.0 / 23.0
    assert np.mean(excess) < np.sqrt(0.25 / 200)
    assert np.mean(at_chance) >= 0.7


@pytest.mark.parametrize("k", [1, 3])
def test_a_slope_that_chance_gains_is_taken_off(k):
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=(40, k)), np.ones(40)
    signs = np.where(np.arange(k) == rng.integers(0, max(k, 2), 40)[:, None], 1.0, -1.0)
    plain = fit_calibration(values + signs, signs, weight)
    kept = shrunk_calibration(values + signs, signs, weight)
    assert 0.9 * plain[0] < kept[0] < plain[0]
    fewer = shrunk_calibration(values + signs, signs, weight, np.repeat(np.arange(4), 10))
    assert fewer[0] < kept[0]
    assert shrunk_calibration(values - signs, signs, weight)[0] == 0.0


def test_without_evidence_probabilities_of_classes_are_their_shares():
    """Three classes of 85, 10 and 5 per cent: even a slope of one is better than equal chances."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.choice(3, size=80, p=[0.85, 0.1, 0.05])
    signs, weight = np.where(y[:, None] == np.arange(3), 1.0, -1.0), rng.uniform(1.0, 2.0, 80)
    shares = (weight @ (signs > 0) + 1.0 / 3.0) / (weight.sum() + 1.0)
    values = np.log(shares) + 0.3 * rng.normal(size=(80, 3))
    calibration, constants = shrunk_to_shares(values, signs, weight)
    slope = fit_calibration(values, signs, weight)[0]
    assert calibration[0] == pytest.approx(0.01 * slope, rel=1e-9)
    chances = probabilities(values + constants, calibration)
    np.testing.assert_allclose(chances, np.tile(shares, (80, 1)), atol=0.01)
    # Much evidence is left as it is.
    calibration, constants = shrunk_to_shares(values + 3.0 * signs, signs, weight)
    assert np.abs(calibration[0] * constants).max() < 0.05
    with pytest.warns(kl.exceptions.AtChanceWarning):
        model = kl.KernelClassifier(["linear", "Gaussian"]).fit(X, y)
    new = rng.permuted(X, axis=0)
    usual = (np.bincount(y) + 1.0 / 3.0) / 81.0
    np.testing.assert_allclose(model.predict_proba(new), np.tile(usual, (80, 1)), atol=0.02)
    assert (model.predict(new) == 0).all()


def test_without_evidence_every_row_is_of_the_larger_of_two_classes():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 8)), (rng.uniform(size=60) < 0.3).astype(int)
    with pytest.warns(kl.exceptions.AtChanceWarning):
        model = kl.KernelClassifier(["linear", "Gaussian"]).fit(X, y)
    new = rng.normal(size=(400, 8))
    assert np.ptp(model.decision_function(new)) > 0.0
    assert (model.predict(new) == 0).mean() > 0.99
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], y.mean(), atol=0.03)
    # Constants are added by a member that counts.
    members = replace(model._members, factors=np.array([0.0, 0.5]))
    added = members.shifted(np.array([2.0])).predict(members.tables)
    np.testing.assert_allclose(added, members.predict(members.tables) + 2.0)


@pytest.mark.parametrize("sign", [0.0, -1.0])
def test_values_without_a_slope_are_calibrated_too(sign):
    signs = np.where(np.arange(40) < 10, 1.0, -1.0)[:, None]
    calibration, constants = shrunk_to_shares(sign * signs, signs, np.ones(40))
    chances = probabilities(sign * signs + constants, calibration)
    np.testing.assert_allclose(chances[:, 0], 0.75, atol=0.03)


def test_without_a_slope_probabilities_are_those_of_the_classes():
    signs = np.where(np.arange(40) < 10, 1.0, -1.0)[:, None]
    found = shrunk_calibration(-signs, signs, np.ones(40))
    assert found[0] == 0.0
    assert expit(found[1]) == pytest.approx(0.25, abs=0.03)
