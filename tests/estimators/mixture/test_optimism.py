"""With few rows, what is said of held-out rows must not know them in any way."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

import kernlearn as kl
from kernlearn.estimators.held_out.calibration import fit_calibration, shrunk_calibration
from kernlearn.estimators.mixture.candidates.choice import chosen_families
from kernlearn.estimators.mixture.candidates.nested import nested_predictions
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.screening import NEGLIGIBLE, screen_candidates
from kernlearn.estimators.mixture.options import MixtureOptions
from kernlearn.estimators.mixture.preparation import STANDARD
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
        nested_predictions(one, CHOICE, 8, NEGLIGIBLE, MixtureOptions()) for one in (first, second)
    ]
    np.testing.assert_array_equal(nested[0][fold], nested[1][fold])
    assert not np.allclose(np.delete(nested[0], fold), np.delete(nested[1], fold))
    usual = [
        screen_candidates(one, CHOICE, np.random.RandomState(0)).held_out(8)
        for one in (first, second)
    ]
    assert not np.allclose(usual[0][fold], usual[1][fold])


def test_the_candidates_of_a_fast_fit_are_searched():
    one, quick = problem(), chosen_families(["linear"])
    more = replace(quick, families=chosen_families(["linear", "trees"]).families, is_named=False)
    found = [
        nested_predictions(one, choice, 8, NEGLIGIBLE, MixtureOptions()) for choice in (quick, more)
    ]
    np.testing.assert_array_equal(*found)


def test_without_time_or_folds_there_are_none():
    one = problem()
    limited = replace(one, stopping=StoppingControl(time_limit=1e-9))
    assert nested_predictions(limited, CHOICE, 8, NEGLIGIBLE, MixtureOptions()) is None
    two = replace(one, folds=[np.arange(15), np.arange(15, 30)])
    assert nested_predictions(two, CHOICE, 8, NEGLIGIBLE, MixtureOptions()) is None


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


def test_without_a_slope_probabilities_are_those_of_the_classes():
    signs = np.where(np.arange(40) < 10, 1.0, -1.0)[:, None]
    found = shrunk_calibration(-signs, signs, np.ones(40))
    assert found[0] == 0.0
    assert expit(found[1]) == pytest.approx(0.25, abs=0.03)
