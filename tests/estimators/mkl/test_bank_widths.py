"""Widths of the default bank and of the default hyperkernel, by rows held out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import recall_score
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.estimators.mkl.held_out_width import held_out_losses, sample_rows
from kernlearn.kernels import Gaussian


def _gammas(kernels):
    return np.array([k.gamma for k in kernels if isinstance(k, Gaussian)])


def _waves(frequency, n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, np.sign(np.sin(frequency * X[:, 0]) * np.sin(frequency * X[:, 1]))


def test_losses_are_those_of_machines_that_miss_the_row(problem):
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 40)
    K = 7.0 * Gaussian(0.3)(problem.X)
    found = held_out_losses([K], [problem.target], weight)
    by_hand, unit = [], 2.0  # the power of two next to the median weight
    assert 2.0**0.5 < np.median(weight) < 2.0**1.5
    for ridge in unit * np.array([0.01, 0.1, 1.0, 10.0]):
        model = kl.LSSVMRegressor(Gaussian(0.3), None, ridge)
        model.fit(problem.X, problem.target, sample_weight=weight)
        by_hand.append(weight @ (problem.target - model.loo_predictions_) ** 2)
    np.testing.assert_allclose(found, min(by_hand))


def test_matrices_without_a_machine_lose():
    y = np.array([1.0, -1.0, 1.0])
    grams = [np.zeros((3, 3)), np.array([[1.0, 50, 0], [50, 1, 50], [0, 50, 1]]), np.eye(3)]
    found = held_out_losses(grams, [y], np.ones(3))
    np.testing.assert_array_equal(np.isfinite(found), [False, False, True])


def test_few_rows_are_all_looked_at_and_many_are_sampled_alike():
    np.testing.assert_array_equal(sample_rows(200, 0), np.arange(200))
    many = sample_rows(1000, 0)
    assert len(np.unique(many)) == 200
    np.testing.assert_array_equal(many, sample_rows(1000, 0))
    assert not np.array_equal(many, sample_rows(1000, 1))


def test_the_bank_is_narrow_where_the_function_is():
    X, y = _waves(8.0)
    wide, notes = choose_bank(X, [np.sin(X.sum(axis=1))], np.ones(150), 0)
    narrow, _ = choose_bank(X, [y], np.ones(150), 0)
    assert _gammas(narrow).max() > 3 * _gammas(wide).max()
    np.testing.assert_allclose(np.diff(np.log2(_gammas(wide))), [2.0, 2.0, 1.0])
    assert f"gamma = {_gammas(wide)[2]:.3g}, which of 9 widths" in notes[0]


def test_nothing_to_predict_leaves_the_median_distance():
    X, y = _waves(3.0)
    bank, notes = choose_bank(X, [np.zeros_like(y)], np.ones(len(y)), 0)
    np.testing.assert_array_equal(_gammas(bank), _gammas(kl.kernels.default_bank(X)))
    assert notes == []


def test_a_best_width_at_the_edge_is_said():
    """Pairs of points that are all but equal, and labels that nothing else predicts."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 1)), 2, axis=0) + 1e-4 * rng.normal(size=(120, 1))
    y = np.repeat(rng.choice([-1.0, 1.0], 60), 2)
    with pytest.warns(UserWarning, match=r"the narrowest \(gamma = .*pass kernels of your own"):
        kl.MKLClassifier().fit(X, y)


def test_estimators_tell_what_they_chose(problem, capsys):
    model = kl.MKLClassifier(verbose=1).fit(problem.X, problem.y)
    assert "smallest leave-one-out loss" in model.bank_notes_[0]
    assert f"MKLClassifier: {model.bank_notes_[0]}" in capsys.readouterr().out
    assert not hasattr(
        model.set_params(kernels=[Gaussian()]).fit(problem.X, problem.y), "bank_notes_"
    )


def _rare(seed, n=300):
    """Nineteen of one class to one of the other, a little apart."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.05).astype(int)
    return rng.normal(size=(n, 5)) + 1.2 * y[:, None], y


def test_balanced_class_weights_find_the_rare_class():
    """The narrowest kernel learns the few rows by heart, and finds none of the others."""
    ours, theirs = [], []
    for seed in range(3):
        (X, y), (X_new, y_new) = _rare(seed), _rare(seed + 10, 2000)
        model = kl.MKLClassifier(class_weight="balanced").fit(X, y)
        ours.append(recall_score(y_new, model.predict(X_new)))
        svc = SVC(class_weight="balanced").fit(X, y)
        theirs.append(recall_score(y_new, svc.predict(X_new)))
    assert np.mean(ours) > np.mean(theirs) - 0.05
    assert np.mean(ours) > 0.6


def test_the_factor_of_a_hyperkernel_is_found_by_rows_held_out():
    X, y = _waves(5.0)
    X_new, y_new = _waves(5.0, 1000, 1)
    found = kl.HyperkernelClassifier(max_pivots=40).fit(X, y)
    paper = kl.HyperkernelClassifier(max_pivots=40, gamma_factor=1.0).fit(X, y)
    assert found.gamma_factor_ > 10
    assert paper.gamma_factor_ == 1.0
    np.testing.assert_allclose(
        found.hyperkernel_.gammas, found.gamma_factor_ * paper.hyperkernel_.gammas
    )
    assert found.score(X_new, y_new) > paper.score(X_new, y_new) + 0.1


@pytest.mark.parametrize("factor", [0.0, -1.0, "best", None])
def test_a_factor_that_is_none_is_refused(problem, factor):
    with pytest.raises(ValueError, match="expected gamma_factor to be a positive number"):
        kl.HyperkernelClassifier(gamma_factor=factor).fit(problem.X, problem.y)


def test_a_hyperkernel_with_its_own_widths_keeps_them(problem):
    hyperkernel = kl.hyperkernels.ARDHarmonic(0.6, [0.1, 0.2, 0.3])
    model = kl.HyperkernelClassifier(hyperkernel, max_pivots=8).fit(problem.X, problem.y)
    assert model.hyperkernel_ is hyperkernel
    assert model.gamma_factor_ == 1.0
