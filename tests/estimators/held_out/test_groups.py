"""Rows of one group, and copies of one row, are held out together."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate

import kernlearn as kl
from kernlearn.estimators.held_out.chance import AtChanceWarning, chance_of_labels
from kernlearn.estimators.held_out.folds import make_folds
from kernlearn.estimators.held_out.groups import RowGroups, equal_rows
from kernlearn.estimators.held_out.intervals import plus_interval

ESTIMATORS = [
    kl.KernelClassifier(["linear", "Gaussian"]),
    kl.LSSVMClassifier(),
    kl.FirstLevelClassifier(lam=0.1, mu=0.1),
    kl.KernelRegressor(["linear", "Gaussian"]),
    kl.LSSVMRegressor(),
    kl.FirstLevelRegressor(lam=0.1, mu=0.1),
]
NAMES = [type(model).__name__ for model in ESTIMATORS]


def patients(n=120, n_rows=6, seed=0):
    """Rows that tell the patient, and a label drawn at random for each patient."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n, 4)), n_rows, axis=0)
    X += 0.1 * rng.normal(size=X.shape)
    labels, groups = np.repeat(rng.permutation(n) % 2, n_rows), np.repeat(np.arange(n), n_rows)
    order = rng.permutation(len(X))
    return X[order], labels[order], groups[order]


def test_random_labels_of_patients_are_remembered_without_groups_and_guessed_with_them():
    X, y, groups = patients(120, 3)
    model = kl.KernelClassifier(["Gaussian"])
    assert model.fit(X, y).held_out_score_ > 0.9
    with pytest.warns(AtChanceWarning):
        model.fit(X, y, groups=groups)
    assert abs(model.held_out_score_ - 0.5) < 2.0 * 0.5 / np.sqrt(120)
    assert "chance" in str(model.status_.name).lower()
    assert np.abs(model.predict_proba(X) - 0.5).max() < 0.25


@pytest.mark.parametrize("model", [kl.LSSVMRegressor(), kl.FirstLevelRegressor(lam=0.1, mu=0.1)])
def test_leaving_a_group_out_in_closed_form_is_training_without_it(model):
    """At the λ and θ of all rows; intervals are those of the machines without each group."""
    X, _, groups = patients(12, 3)
    y = np.sin(X[:, 0]) + 0.1 * X[:, 1]
    model.fit(X, y, groups=groups)
    new, values = X[:2] + 0.5, np.empty((2, len(X)))
    for group in range(12):
        out = groups == group
        rest = kl.LSSVMRegressor(model.kernel_, None, model.lam_).fit(X[~out], y[~out])
        np.testing.assert_allclose(model.loo_predictions_[out], rest.predict(X[out]), atol=1e-7)
        values[:, out] = rest.predict(new)[:, None]
    ends = plus_interval(values, y - model.loo_predictions_, 0.8)
    np.testing.assert_allclose(model.predict_interval(new, 0.8), ends, atol=1e-6)


def test_intervals_of_a_mixture_hold_new_groups():
    """Levels of groups are noise to a new one; intervals from single rows would miss it."""
    rng = np.random.default_rng(0)
    X, groups = np.repeat(rng.normal(size=(60, 2)), 5, axis=0), np.repeat(np.arange(60), 5)
    X += 0.01 * rng.normal(size=X.shape)
    y = X[:, 0] + np.repeat(rng.normal(size=60), 5)
    train, model = groups < 40, kl.KernelRegressor(["Gaussian"])
    inside = []
    for given in (None, groups[train]):
        low, high = model.fit(X[train], y[train], groups=given).predict_interval(X[~train]).T
        inside.append(np.mean((low < y[~train]) & (y[~train] < high)))
    assert inside[0] < 0.6
    assert inside[1] > 0.8


@pytest.mark.parametrize("cv", [3, 5])
@pytest.mark.parametrize("stratify", [False, True])
def test_folds_keep_groups_whole_and_are_balanced(cv, stratify):
    X, y, groups = patients(40, 4)
    rows = np.arange(len(X))
    folds = make_folds(
        cv,
        X,
        y,
        rows,
        stratify=stratify,
        random_state=0,
        groups=RowGroups.of(X, groups, len(X)),
    )
    assert np.sort(np.concatenate(folds)).tolist() == rows.tolist()
    assert sum(len(np.unique(groups[fold])) for fold in folds) == 40
    assert max(map(len, folds)) - min(map(len, folds)) <= 4
    if stratify:
        shares = [y[fold].mean() for fold in folds]
        assert max(shares) - min(shares) < 0.2


def test_without_groups_and_copies_folds_are_those_of_rows():
    X, y, _ = patients(20, 2)
    rows, known = np.arange(40), RowGroups.of(X, None, 40)
    assert known.known is None
    assert known.n_duplicates == 0
    plain = make_folds(5, X, y, rows, stratify=True, random_state=3)
    grouped = make_folds(5, X, y, rows, stratify=True, random_state=3, groups=known)
    assert [fold.tolist() for fold in plain] == [fold.tolist() for fold in grouped]


def test_copies_of_a_row_are_found_in_any_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    X[7], X[11, 1], X[3] = X[2], np.nan, X[11]
    X[5] = 0.0
    X[9] = -X[5]
    wanted = equal_rows(X)
    assert len(np.unique(wanted)) == 27
    assert wanted[7] == wanted[2]
    assert wanted[9] == wanted[5]
    X[11, 1] = X[3, 1] = 0.0
    assert (equal_rows(csr_array(X)) == equal_rows(X)).all()
    assert equal_rows([1, 2]) is None
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": X[:, 0], "b": [f"level {i}" for i in range(30)]})
    assert len(np.unique(equal_rows(frame))) == 30
    frame.loc[4, :] = frame.loc[1, :]
    assert equal_rows(frame)[4] == equal_rows(frame)[1]


def test_equal_rows_of_few_values_are_no_copies():
    """Four cells for 60 rows: chance makes rows equal, and they are different observations."""
    X = np.random.default_rng(0).integers(0, 2, size=(60, 2)).astype(float)
    assert (equal_rows(X) == np.arange(60)).all()


@pytest.mark.parametrize("model", ESTIMATORS, ids=NAMES)
def test_copies_are_counted_and_never_on_both_sides(model):
    """Labels at random, each row three times: who sees a copy of a held-out row knows its label."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.permutation(40) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AtChanceWarning)
        model = sklearn.base.clone(model).fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert model.n_duplicates_ == 80
    if hasattr(model, "loo_predictions_"):
        right = np.mean((model.loo_predictions_ > model.loo_predictions_.mean()) == np.tile(y, 3))
        assert right < 0.75
    else:
        assert model.held_out_score_ < 0.75


def test_groups_that_share_a_copy_become_one():
    X = np.random.default_rng(0).normal(size=(6, 2))
    X[5] = X[0]
    assert RowGroups.of(X, list("aabbcc"), 6).codes.tolist() == [0, 0, 1, 1, 0, 0]


@pytest.mark.parametrize("model", ESTIMATORS, ids=NAMES)
def test_the_order_of_rows_and_the_names_of_groups_change_nothing(model):
    X, y, groups = patients(15, 3)
    y = y + X[:, 0] if sklearn.base.is_regressor(model) else (X[:, 0] > 0)
    order = np.random.default_rng(1).permutation(len(X))
    first = sklearn.base.clone(model).fit(X, y, groups=groups)
    names = np.array([f"patient {50 - group}" for group in groups])
    second = sklearn.base.clone(model).fit(X[order], y[order], groups=names[order])
    np.testing.assert_allclose(first.predict(X), second.predict(X), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([0, 1], r"one label for each of 30 rows, got an array of shape \(2,\); pass the column"),
        ([0] * 30, "two groups at least, got one .0. for all rows.*pass groups=None"),
        ([0.0, np.nan] * 15, "every row, got 15 rows without one; give such a row a label"),
        (["a", None] * 15, "every row, got 15 rows without one; give such a row a label"),
        ([0, 1, 2] * 10, "between 2 and 3, the number of groups.*got 5; lower cv"),
    ],
)
@pytest.mark.parametrize("model", [ESTIMATORS[0], kl.LSSVMClassifier(selection="cv")])
def test_bad_groups_get_a_sentence_with_the_cure(model, groups, sentence):
    X, y, _ = patients(30, 1)
    with pytest.raises(ValueError, match=sentence):
        sklearn.base.clone(model).fit(X, y, groups=groups)


def test_a_splitter_gets_the_groups_and_must_not_part_them():
    X, y, groups = patients(20, 3)
    y = X[:, 0] > 0
    model = kl.KernelClassifier(["linear"], cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert model.held_out_score_ > 0.8
    with pytest.raises(ValueError, match="keep the rows of a group in one fold"):
        kl.KernelClassifier(["linear"], cv=KFold(4)).fit(X, y, groups=groups)
    pairs = list(GroupKFold(4).split(X, y, groups))
    again = kl.KernelClassifier(["linear"], cv=pairs).fit(X, y)
    assert again.held_out_score_ == model.held_out_score_
    with pytest.raises(ValueError, match="expected cv to hold out each of the 60 rows"):
        kl.KernelClassifier(["linear"], cv=pairs[:2]).fit(X, y)


def test_groups_are_routed():
    X, y, groups = patients(20, 3)
    y = X[:, 0] > 0
    with sklearn.config_context(enable_metadata_routing=True):
        model = kl.KernelClassifier(["linear"]).set_fit_request(groups=True)
        found = cross_validate(model, X, y, params={"groups": groups}, cv=GroupKFold(3))
        assert found["test_score"].mean() > 0.8
        search = GridSearchCV(
            kl.LSSVMClassifier("ard", selection="cv", cv=GroupKFold(2)).set_fit_request(
                groups=True
            ),
            {"starts": ["one"]},
            cv=GroupKFold(3),
        )
        assert search.fit(X, y, groups=groups).best_score_ > 0.7


def test_groups_are_the_observations_of_a_chance():
    """Twenty rows of a right patient are one right guess, not twenty."""
    signs = np.repeat([1.0, -1.0], 100)[:, None]
    groups = np.repeat(np.arange(10), 20)
    values = np.where(np.isin(groups, [4, 5]), -signs[:, 0], signs[:, 0])[:, None]
    values[groups == 3] *= -1.0
    values[groups == 2] *= -1.0
    assert chance_of_labels(values, signs, np.ones(200)) is None
    assert chance_of_labels(values, signs, np.ones(200), groups) is not None


def test_landmarks_know_no_groups():
    X, y, groups = patients(20, 3)
    with pytest.raises(ValueError, match="expected rank=None with groups, got 10"):
        kl.LSSVMRegressor(rank=10).fit(X, X[:, 0] + y, groups=groups)
