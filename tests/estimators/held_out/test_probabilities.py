"""predict_proba: from rows held out, agreeing with predict, and right as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.estimators.held_out.calibration import fit_calibration, probabilities
from kernlearn.kernels import Gaussian, Linear, Normalized
from kernlearn.quality.registry import Settings
from kernlearn.runtime.stopping import StoppingControl
from kernlearn.solvers.engine.refits import leave_one_out_values, refit_machines

KERNELS = [Normalized(Linear()), Gaussian(0.1), Gaussian(0.5)]
MODELS = [
    kl.MKLClassifier(),
    kl.MKLClassifier(KERNELS, quality="squared_soft_margin", C="learn"),
    kl.MKLClassifier(KERNELS, quality="least_squares"),
    kl.MKLClassifier(KERNELS, quality="lagrangian"),
    kl.MKLClassifier(KERNELS, quality="nu_svm"),
    kl.MKLClassifier(KERNELS, quality="alignment"),
    kl.HyperkernelClassifier(max_pivots=10),
    kl.LSSVMClassifier(),
    kl.FirstLevelClassifier(lam=0.3, mu=1.0),
]


def _name(model):
    return f"{type(model).__name__} {getattr(model, 'quality', '')}"


def _coins(n=300, seed=0):
    """Points whose class is drawn with known probabilities."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = expit(2.0 * X[:, 0] + X[:, 1])
    return X, (rng.random(n) < truth).astype(int), truth


@pytest.mark.parametrize("model", MODELS, ids=_name)
def test_every_classifier_has_probabilities_that_agree_with_predict(make_problem, model):
    n_classes = 2 + MODELS.index(model) % 2  # in turn
    problem = make_problem(n=60, n_new=40, n_classes=n_classes)
    model = clone(model).fit(problem.X, problem.y)
    p = model.predict_proba(problem.X_new)
    assert p.shape == (40, n_classes)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (p >= 0).all()
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(problem.X_new))


# A ν below the noise makes machines that hardly agree with each other.
@pytest.mark.parametrize("model", [m for m in MODELS if "nu_svm" not in str(m)], ids=_name)
def test_the_share_of_a_class_is_what_its_probability_says(model):
    X, y, _ = _coins()
    X_new, _, truth = _coins(1000, seed=1)
    p = clone(model).fit(X, y).predict_proba(X_new)[:, 1]
    tenth = np.minimum((10 * p).astype(int), 9)
    excess = np.bincount(tenth, p - truth, minlength=10) / len(p)
    assert np.abs(excess).sum() < 0.08
    assert p.std() > 0.1


@pytest.mark.parametrize("model", [MODELS[0], *MODELS[4:5], *MODELS[6:]], ids=_name)
def test_flowers_are_told_apart_with_some_certainty(model):
    X, y = load_iris(return_X_y=True)
    p = clone(model).fit(X[::2], y[::2]).predict_proba(X[1::2])
    assert log_loss(y[1::2], p) < 0.35


def test_values_of_training_rows_would_be_too_sure():
    """The reason for all this: a narrow kernel knows its own rows by heart."""
    X, y, _ = _coins()
    X_new, y_new, _ = _coins(1000, seed=1)
    model = kl.MKLClassifier([Gaussian(30.0)], C=100.0).fit(X, y)
    from_training = fit_calibration(
        model.decision_function(X)[:, None], np.where(y > 0, 1.0, -1.0)[:, None], np.ones(len(y))
    )
    values = model.decision_function(X_new)[:, None]
    honest = log_loss(y_new, model.predict_proba(X_new))
    assert honest < log_loss(y_new, probabilities(values, from_training)) - 0.3
    assert honest < np.log(2) + 0.02


@pytest.mark.parametrize("quality", ["soft_margin", "squared_soft_margin", "least_squares"])
def test_refits_are_machines_trained_without_their_fold(problem, quality):
    K, y = Gaussian(0.3)(problem.X), np.where(problem.y > 0, 1.0, -1.0)
    folds = [np.arange(i, 40, 4) for i in range(4)]
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 40)
    settings = Settings(3.0, 0.3, 0.1, weight)
    refits = refit_machines(K, [y, -y], quality, settings, folds, StoppingControl())
    for i, fold in enumerate(folds):
        rest = np.setdiff1d(np.arange(40), fold)
        s = kl.learn_weights(
            K[None][:, rest][:, :, rest],
            y[rest],
            quality=quality,
            C=3.0,
            sample_weight=weight[rest],
            constraint="sum",
        )
        expected = K[np.ix_(fold, rest)] @ s.dual_coef + s.intercept
        np.testing.assert_allclose(refits.values[fold, 0], expected, atol=1e-6)
        np.testing.assert_allclose(refits.values[fold, 1], -expected, atol=1e-6)
        np.testing.assert_array_equal(refits.fold[fold], i)
        assert not refits.coef[i][fold].any()


def test_a_penalised_intercept_is_refitted_too(problem):
    K, y = Gaussian(0.3)(problem.X), np.where(problem.y > 0, 1.0, -1.0)
    folds = [np.arange(20), np.arange(20, 40)]
    settings = Settings(3.0, 0.3, 0.1, np.ones(40))
    refits = refit_machines(K, [y], "lagrangian", settings, folds, StoppingControl())
    s = kl.learn_weights(K[None, 20:, 20:], y[20:], quality="lagrangian", C=3.0, constraint="sum")
    expected = K[:20, 20:] @ s.dual_coef + s.intercept
    np.testing.assert_allclose(refits.values[:20, 0], expected, atol=1e-6)


def test_leave_one_out_in_closed_form_is_folds_of_one_row(problem):
    K, y = Gaussian(0.3)(problem.X), np.where(problem.y > 0, 1.0, -1.0)
    settings = Settings(3.0, 0.3, 0.1, np.random.default_rng(0).uniform(0.5, 2.0, 40))
    folds = [np.array([i]) for i in range(40)]
    slowly = refit_machines(K, [y], "least_squares", settings, folds, StoppingControl()).values
    np.testing.assert_allclose(leave_one_out_values(K, [y], settings), slowly, atol=1e-8)


def test_where_offset_and_sign_disagree_the_classes_are_equally_probable():
    p = probabilities(np.array([[-0.1], [0.0], [0.1], [2.0]]), np.array([1.0, -0.5]))
    np.testing.assert_allclose(p[:3, 1], [expit(-0.6), expit(-0.5), 0.5])
    assert p[2, 1] > p[2, 0]
    assert p[3, 1] == expit(1.5)


def test_balanced_weights_give_the_probabilities_of_balanced_classes(make_problem):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1)) + 1.5 * (np.arange(400) < 60)[:, None]
    y = (np.arange(400) < 60).astype(int)
    kernels = [Gaussian(0.2)]
    plain = kl.MKLClassifier(kernels).fit(X, y).predict_proba([[0.75]])[0, 1]
    balanced = kl.MKLClassifier(kernels, class_weight="balanced").fit(X, y)
    assert plain == pytest.approx(60 / 400, abs=0.08)
    assert balanced.predict_proba([[0.75]])[0, 1] == pytest.approx(0.5, abs=0.1)


def test_a_class_of_one_row_is_no_reason_to_stop():
    X = np.arange(12.0)[:, None]
    y = np.array([0] * 6 + [1] * 5 + [2])
    p = kl.MKLClassifier([Gaussian(0.1)]).fit(X, y).predict_proba(X)
    assert np.isfinite(p).all()


def test_two_rows_say_nothing_about_rows_held_out():
    model = kl.MKLClassifier([Gaussian(0.1)]).fit([[0.0], [1.0]], ["a", "b"])
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), 0.5)


def test_no_held_out_values_no_probabilities(problem):
    model = kl.MKLClassifier([Gaussian(0.1)]).fit(problem.X, problem.y)
    model.calibration_ = fit_calibration(np.full((3, 1), np.nan), np.ones((3, 1)), np.ones(3))
    with pytest.raises(ValueError, match="use decision_function"):
        model.predict_proba(problem.X)


def test_an_interrupt_during_the_refits_keeps_the_folds_that_were_done(problem, monkeypatch):
    from kernlearn.solvers.engine import refits as refits_module

    solve, calls = refits_module.solve_machine, []

    def interrupted(*args, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return solve(*args, **options)

    monkeypatch.setattr(refits_module, "solve_machine", interrupted)
    K, y = Gaussian(0.3)(problem.X), np.where(problem.y > 0, 1.0, -1.0)
    folds = [np.arange(i, 40, 4) for i in range(4)]
    settings = Settings(3.0, 0.3, 0.1, np.ones(40))
    refits = refit_machines(K, [y], "soft_margin", settings, folds, StoppingControl(keeps=True))
    known = ~np.isnan(refits.values[:, 0])
    np.testing.assert_array_equal(np.flatnonzero(known), np.sort(np.r_[folds[0], folds[1]]))


def test_as_good_as_scikit_learn_calibrated_by_folds():
    from sklearn.calibration import CalibratedClassifierCV

    X, y, _ = _coins()
    X_new, y_new, _ = _coins(1000, seed=1)
    ours = kl.MKLClassifier([Gaussian(0.5)]).fit(X, y).predict_proba(X_new)
    theirs = CalibratedClassifierCV(SVC(gamma=0.5), ensemble=False).fit(X, y).predict_proba(X_new)
    assert log_loss(y_new, ours) < log_loss(y_new, theirs) + 0.01
