"""Folds: every row once, classes and sizes even, and rows of no weight nowhere."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

from kernlearn import KernelClassifier, KernelRegressor, LSSVMClassifier
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.inputs.row_order import row_order

X = np.zeros((37, 1))
LABELS = np.repeat([0, 1, 2], [20, 14, 3])
ALL = np.arange(37)


def _folds(cv, y=LABELS, kept=ALL, stratify=True, random_state=0):
    return make_folds(cv, X, y, kept, stratify=stratify, random_state=random_state)


@pytest.mark.parametrize("cv", [2, 5, 10, 37])
@pytest.mark.parametrize("stratify", [True, False])
def test_every_row_is_held_out_once_in_folds_of_even_size(cv, stratify):
    folds = _folds(cv, stratify=stratify)
    np.testing.assert_array_equal(np.sort(np.concatenate(folds)), ALL)
    assert np.ptp([len(rows) for rows in folds]) <= 1


@pytest.mark.parametrize("cv", [2, 5, 10])
def test_classes_are_spread_evenly(cv):
    counts = np.array([np.bincount(LABELS[rows], minlength=3) for rows in _folds(cv)])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_the_seed_decides():
    first, again, other = (_folds(5, random_state=seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_rows_of_no_weight_are_in_no_fold_but_keep_the_others_in_place():
    kept = np.setdiff1d(ALL, [0, 5, 6])
    given = KFold(4, shuffle=True, random_state=2)
    folds = _folds(given, kept=kept)
    for (_, test), rows in zip(given.split(X), folds, strict=True):
        np.testing.assert_array_equal(kept[rows], np.setdiff1d(test, [0, 5, 6]))
    assert sum(len(rows) for rows in _folds(5, kept=kept)) == 34


def test_pairs_of_rows_are_folds_too():
    pairs = list(GroupKFold(3).split(X, groups=ALL // 4))
    for (_, test), rows in zip(pairs, _folds(pairs), strict=True):
        np.testing.assert_array_equal(rows, test)


@pytest.mark.parametrize("model", [KernelClassifier(), KernelRegressor(loss="poisson")])
def test_groups_that_share_rows_with_all_others_cannot_be_held_out(model):
    X = np.tile(np.random.default_rng(0).normal(size=(20, 2)), (2, 1))
    groups = np.append(np.arange(20), (np.arange(20) + 1) % 20)
    with pytest.raises(ValueError, match="two groups at least that share no row, got 20 that are"):
        model.fit(X, np.arange(40) % 2, groups=groups)


def test_the_estimator_holds_out_these_folds(problem):
    model = LSSVMClassifier("rbf", "cv", cv=4, random_state=3).fit(problem.X, problem.y)
    rows = np.arange(40)
    order = row_order(problem.X, problem.y, rows, is_class=True)
    folds = make_folds(4, problem.X[order], problem.y[order], rows, stratify=True, random_state=3)
    loss = 0.0
    for test in (order[fold] for fold in folds):
        train = np.setdiff1d(rows, test)
        part = LSSVMClassifier("rbf", None, model.lam_, model.theta_)
        part.fit(problem.X[train], problem.y[train])
        loss += ((part.decision_function(problem.X[test]) - (2 * problem.y[test] - 1)) ** 2).sum()
    assert model.objective_ == pytest.approx(loss, rel=1e-8)
