"""Rows of one group are held out together by combinations and hyperkernels, wherever rows are."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate

import kernlearn as kl
from kernlearn.estimators.held_out.chance import AtChanceWarning
from kernlearn.estimators.held_out.intervals import plus_interval
from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.estimators.mkl.held_out_width import halves_of, held_out_losses
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import Gaussian, Linear
from kernlearn.solvers.engine.statement import ChoiceOptions

KERNELS = [Linear(), Gaussian(2.0)]


def patients(n=60, n_rows=3, seed=0):
    """Rows that tell the patient, and a label drawn at random for each patient."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n, 3)), n_rows, axis=0)
    X += 0.1 * rng.normal(size=X.shape)
    groups = np.repeat(np.arange(n), n_rows)
    labels = np.repeat(rng.permutation(n) % 2, n_rows)
    order = rng.permutation(len(X))
    return X[order], labels[order], groups[order]


WAYS = {
    "margin": {},
    "C": {"C": "auto"},
    "least squares": {"quality": "least_squares", "C": "auto"},
    "landmarks": {"quality": "least_squares", "rank": 90, "C": "auto"},
    "landmarks of a margin": {"rank": 90},
}


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_labels_of_patients_are_remembered_without_groups_and_guessed_with_them(way):
    X, y, groups = patients()
    model = kl.MKLClassifier(KERNELS, **way)
    assert np.abs(model.fit(X, y).predict_proba(X) - 0.5).mean() > 0.3
    with pytest.warns(AtChanceWarning):
        model.fit(X, y, groups=groups)
    assert np.abs(model.predict_proba(X) - 0.5).mean() < 0.1


@pytest.mark.parametrize("kind", [kl.HyperkernelClassifier, kl.HyperkernelRegressor])
def test_hyperkernels_hold_groups_out(kind):
    X, y, groups = patients(30)
    model = kind(max_pivots=10)
    narrow = model.fit(X, y).gamma_factor_
    with pytest.warns(AtChanceWarning):
        model.fit(X, y, groups=groups)
    assert model.gamma_factor_ < narrow


def test_every_group_is_in_one_fold_of_every_split():
    X, y, groups = patients(12)
    model = kl.MKLRegressor(KERNELS, quality="epsilon_svr", cv=4)
    with pytest.warns(AtChanceWarning):
        model.fit(X, y, groups=groups)
    folds = model._folds["fold"]
    assert set(folds) == {0, 1, 2, 3}
    assert all(len(set(folds[groups == group])) == 1 for group in range(12))


@pytest.mark.parametrize("cv", [5, GroupKFold(6)], ids=["drawn", "given"])
def test_intervals_of_least_squares_leave_groups_out(cv):
    X, _, groups = patients(12)
    y = np.sin(X[:, 0]) + 0.1 * X[:, 1]
    model = kl.MKLRegressor([Gaussian(0.5)], "least_squares", C=10.0, cv=cv)
    model.fit(X, y, groups=groups)
    new, values, residuals = X[:3] + 0.3, np.empty((3, len(X))), np.empty(len(X))
    options = kl.MKLOptions(constraint="sum")
    for group in range(12):
        out = groups == group
        rest = kl.MKLRegressor([model.kernel_], "least_squares", C=10.0, options=options)
        rest.fit(X[~out], y[~out])
        values[:, out] = rest.predict(new)[:, None]
        residuals[out] = y[out] - rest.predict(X[out])
    expected = plus_interval(values, residuals, 0.8)
    np.testing.assert_allclose(model.predict_interval(new, 0.8), expected, atol=1e-7)


def test_folds_that_are_given_take_the_place_of_rows_left_out_one_by_one():
    X, y, groups = patients()
    by_hand = [(np.flatnonzero(groups % 3 != i), np.flatnonzero(groups % 3 == i)) for i in range(3)]
    model = kl.MKLClassifier(KERNELS, cv=by_hand)
    with pytest.warns(AtChanceWarning):
        model.fit(X, y)
    # Rows without weight are in no fold.
    weight = np.where(groups == 7, 0.0, 1.0)
    with pytest.warns(AtChanceWarning):
        model.fit(X, y, sample_weight=weight)


def test_a_number_of_folds_is_heeded(problem):
    model = kl.MKLRegressor(KERNELS, C=1.0, cv=3).fit(problem.X, problem.target)
    assert set(model._folds["fold"]) == {0, 1, 2}
    model = kl.MKLRegressor(KERNELS, C=1.0, cv=100).fit(problem.X[:6], problem.target[:6])
    assert set(model._folds["fold"]) == set(range(6))


def test_widths_are_judged_by_groups():
    X, y, groups = patients(40)
    signs = np.where(y > 0, 1.0, -1.0)
    alone, together = (
        choose_bank(X, [signs], np.ones(len(y)), 0, groups=codes)[0][-1].gamma
        for codes in (None, groups)
    )
    assert together < alone
    K = Gaussian(1.0)(X)
    expected = held_out_losses([K], [signs], np.ones(len(y)))
    own = held_out_losses([K], [signs], np.ones(len(y)), np.arange(len(y)))
    np.testing.assert_allclose(own, expected)
    assert held_out_losses([K], [signs], np.ones(len(y)), groups)[0] > 1.5 * expected[0]


def test_halves_are_of_groups():
    codes = np.array([3, 3, 1, 1, 0, 0, 2, 2])
    assert halves_of(8, codes).tolist() == [True, True, False, False, True, True, False, False]
    assert halves_of(4, None).tolist() == [True, False, True, False]
    assert halves_of(6, np.array([0, 0, 0, 0, 0, 1])) is None


def test_a_sample_that_chooses_C_has_every_fold():
    X, y, groups = patients(40, 4)
    groups = np.where(groups < 38, 0, groups)  # one large group and two small ones
    model = kl.MKLClassifier(KERNELS, C="auto", cv=2)
    model._engine = EngineOptions(choices=ChoiceOptions(rows_for_C=10, factors_of_C=(1.0, 10.0)))
    with pytest.warns(AtChanceWarning):
        model.fit(X, y, groups=groups)
    assert np.isfinite(model.loss_by_C_).all()


@pytest.mark.parametrize(
    ("groups", "cv", "text"),
    [
        (np.zeros(40), 5, "expected two groups at least, got one .* pass groups=None"),
        (np.arange(30), 5, r"one label for each of 40 rows, got an array of shape \(30,\)"),
        (np.arange(40) % 3, 5, "expected cv between 2 and 3, the number of groups .* lower cv"),
        ([None] * 20 + ["a", "b"] * 10, 5, "a label in groups for every row, got 20 rows without"),
        (np.arange(40) % 8, KFold(5), "expected cv to keep the rows of a group in one fold"),
        (None, 1, "expected cv to be a number of folds from 2 on, .*, got 1; try cv=5"),
        (None, "five", "expected cv to be a number of folds from 2 on, .*, got 'five'; try cv=5"),
        (None, object(), "expected cv to be a number of folds, a splitter or pairs of rows"),
    ],
)
def test_what_cannot_be_is_said(refused, problem, groups, cv, text):
    for model, y in (
        (kl.MKLClassifier(KERNELS, cv=cv), problem.y),
        (kl.HyperkernelRegressor(max_pivots=3, cv=cv), problem.target),
    ):
        assert re.search(text, refused(model, problem.X, y, groups=groups))


@pytest.mark.parametrize("name", ["sample_weight", "X_unlabeled", "groups"])
def test_what_goes_with_rows_is_passed_by_name(name, problem):
    with pytest.raises(TypeError, match="positional"):
        kl.MKLClassifier().fit(problem.X, problem.y, problem.y)
    with sklearn.config_context(enable_metadata_routing=True):
        for kind in (kl.MKLClassifier, kl.MKLRegressor, kl.HyperkernelClassifier):
            assert (
                name in kind().set_fit_request(**{name: True}).get_metadata_routing().fit.requests
            )


def test_searches_pass_groups_on(problem):
    X, y, groups = patients(20)
    model = kl.MKLClassifier(KERNELS, cv=3)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(groups=True)
        search = GridSearchCV(model, {"C": [1.0, 10.0]}, cv=GroupKFold(2))
        with pytest.warns(AtChanceWarning):
            search.fit(X, y, groups=groups)
        with pytest.warns(AtChanceWarning):
            found = cross_validate(model, X, y, cv=GroupKFold(2), params={"groups": groups})
    assert len(found["test_score"]) == 2
    assert np.abs(search.predict_proba(X) - 0.5).mean() < 0.25
