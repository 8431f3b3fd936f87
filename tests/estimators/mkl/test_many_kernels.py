"""Families of kernels as ``kernels=`` of the estimators, beside lists of the same kernels."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.estimators.mkl.parameters import EngineOptions
from kernlearn.kernels import (
    Columns,
    Gaussian,
    GaussianRange,
    Grid,
    Kernel,
    Linear,
    PerColumn,
    Scaled,
)
from kernlearn.methods.description import weights
from kernlearn.penalties import ElasticNet, GroupNorm, LinearPenalty, LpNorm, NearKernel
from kernlearn.solvers.engine import gram_problem
from kernlearn.solvers.engine.exact import sample_for_C
from kernlearn.solvers.engine.statement import ChoiceOptions
from kernlearn.solvers.weights.column_generation import learn_by_columns

RNG = np.random.default_rng(0)
X = RNG.standard_normal((36, 5))
VALUE = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.1 * RNG.standard_normal(36)
LABELS = np.digitize(VALUE, [-0.5, 0.5])
FAMILY = Grid([Gaussian(0.2), Gaussian(1.0)], size=[1, 2])


class Several:
    """A user's own family."""

    def __init__(self, *kernels):
        self.kernels = kernels

    def __len__(self):
        return len(self.kernels)

    def __getitem__(self, i):
        return self.kernels[i]


CASES = {
    "classes": (kl.MKLClassifier(), LABELS),
    "two classes, weights": (kl.MKLClassifier(class_weight={0: 2.0, 1: 0.5}), VALUE > 0),
    "squared": (kl.MKLClassifier(quality="squared_soft_margin", C=10.0), VALUE > 0),
    "normalised, centred": (
        kl.MKLClassifier(normalize=True, options=kl.MKLOptions(center=True)),
        VALUE > 0,
    ),
    "sum": (kl.MKLClassifier(options=kl.MKLOptions(constraint="sum", total=2.0)), VALUE > 0),
    "tube": (kl.MKLRegressor(C=1.0), VALUE),
    "least squares": (kl.MKLRegressor(quality="least_squares", C=1.0), VALUE),
    "novelty": (kl.MKLNoveltyDetector(), None),
}


@pytest.mark.parametrize(("model", "y"), CASES.values(), ids=CASES)
def test_a_family_is_a_list_of_its_kernels(model, y):
    many = clone(model).set_params(kernels=FAMILY, tol=1e-8).fit(X, y)
    few = clone(model).set_params(kernels=list(FAMILY.bind(X)), tol=1e-8).fit(X, y)
    assert many.status_.is_optimal
    assert many.objective_ == pytest.approx(few.objective_, rel=1e-7)
    assert many.weights_.shape == (30,)
    np.testing.assert_array_equal(many.active_kernels_, np.flatnonzero(many.weights_))
    np.testing.assert_array_equal(many.active_weights_, many.weights_[many.active_kernels_])
    assert len(many.kernel_.kernels) == len(many.active_kernels_) < 30
    scores = (m._decision(X[:9]) for m in (many, few))
    np.testing.assert_allclose(*scores, atol=2e-3 * np.abs(few._decision(X)).max())
    if isinstance(model, kl.MKLClassifier):
        proba = many.predict_proba(X[:9])
        np.testing.assert_allclose(proba, few.predict_proba(X[:9]), atol=0.01)
    if isinstance(model, kl.MKLRegressor):
        assert many.predict_interval(X[:3]).shape == (3, 2)


@cache
def without_a_penalty(rank):
    return kl.MKLClassifier(FAMILY, rank=rank).fit(X, VALUE > 0).objective_


@pytest.mark.parametrize("rank", [None, 20])
@pytest.mark.parametrize(
    "penalty",
    [
        LpNorm(1.2, 3.0),
        ElasticNet(3.0),
        GroupNorm(strength=1.0),
        LinearPenalty(np.linspace(0.0, 9.0, 30)),
    ],
    ids=repr,
)
def test_a_family_with_a_penalty_is_a_list_with_it(penalty, rank):
    """The gap covers kernels that never were in the master problem, at the list's optimum."""
    given = {"rank": rank, "options": kl.MKLOptions(penalty=penalty)}
    many = kl.MKLClassifier(FAMILY, **given).fit(X, VALUE > 0)
    assert many.status_.is_optimal
    assert many.objective_ > without_a_penalty(rank) * 1.01
    if rank is None:
        few = kl.MKLClassifier(list(FAMILY.bind(X)), **given).fit(X, VALUE > 0)
        assert many.objective_ == pytest.approx(few.objective_, rel=2e-6)
        K, other = many.kernel_(X[:9]), few.kernel_(X[:9])
        np.testing.assert_allclose(K, other, atol=5e-3 * other.max())


def test_held_out_rows_choose_the_strength_for_a_family():
    given = {"C": 1.0, "options": kl.MKLOptions(penalty=LpNorm(1.5))}
    many = kl.MKLClassifier(FAMILY, **given).fit(X, VALUE > 0)
    few = kl.MKLClassifier(list(FAMILY.bind(X)), **given).fit(X, VALUE > 0)
    assert many.penalty_strength_ == pytest.approx(few.penalty_strength_, rel=0.01)
    assert many.objective_ == pytest.approx(few.objective_, rel=1e-3)
    along = kl.MKLClassifier(FAMILY, C="auto", options=kl.MKLOptions(penalty=LpNorm(2.0, 3.0)))
    assert along.fit(X, VALUE > 0).status_.is_optimal


@pytest.mark.parametrize(
    ("kernels", "penalty", "message"),
    [
        (FAMILY, NearKernel(Linear()), "compares Gram matrices, NearKernel, got a family"),
        (GaussianRange(), LpNorm(2.0, 1.0), "of a GaussianRange, got LpNorm: a weight split"),
        (Several(*[Linear()] * 2001), LpNorm(2.0, 1.0), "family of 2,001 kernels, got the pen"),
    ],
    ids=["prior", "range", "very many"],
)
def test_penalties_that_a_family_has_no_certificate_for_are_refused(kernels, penalty, message):
    model = kl.MKLClassifier(kernels, options=kl.MKLOptions(penalty=penalty))
    with pytest.raises(ValueError, match=message):
        model.fit(X, VALUE > 0)


def test_sample_weights_of_zero_are_rows_left_out():
    weight = np.where(np.arange(36) < 26, 1.0, 0.0)
    y = LABELS > 0
    with_zeros = kl.MKLClassifier(FAMILY).fit(X, y, sample_weight=weight)
    without = kl.MKLClassifier(FAMILY).fit(X[:26], y[:26])
    assert with_zeros.objective_ == pytest.approx(without.objective_, rel=1e-6)


def test_unlabelled_points_count_in_the_traces():
    y = LABELS[:26] > 0
    many = kl.MKLClassifier(PerColumn([Linear(), Gaussian()])).fit(X[:26], y, X_unlabeled=X[26:])
    few = kl.MKLClassifier(list(many.kernels_)).fit(X[:26], y, X_unlabeled=X[26:])
    assert many.objective_ == pytest.approx(few.objective_, rel=1e-6)
    np.testing.assert_array_equal(many.transduction_, few.transduction_)


def test_C_is_chosen_along_a_path_of_families():
    many = kl.MKLClassifier(PerColumn(Gaussian(0.5)), C="auto").fit(X, LABELS > 0)
    few = kl.MKLClassifier(list(many.kernels_), C="auto").fit(X, LABELS > 0)
    assert many.C_ == few.C_
    np.testing.assert_allclose(many.loss_by_C_, few.loss_by_C_, rtol=0.02)


@pytest.mark.parametrize(("rank", "n_looks"), [(None, 2), (15, 1)])
def test_C_of_a_family_is_chosen_without_a_fit_for_every_C(monkeypatch, rank, n_looks):
    """The kernels with weight at the first C go along the path; the last fit looks at all again."""
    looks = []

    def counted(family, *rest, **options):
        looks.append(family.n_points)
        return learn_by_columns(family, *rest, **options)

    monkeypatch.setattr(gram_problem, "learn_by_columns", counted)
    model = kl.MKLRegressor(FAMILY, tol=1e-3, rank=rank).fit(X, VALUE)
    assert len(looks) == n_looks
    assert 3 <= len(model.loss_by_C_) <= 6
    assert model.loss_by_C_[model.loss_by_C_[:, 1].argmin(), 0] == model.C_
    assert (model.rank_ is None) == (rank is None)
    given = clone(model).set_params(C=model.C_).fit(X, VALUE)
    assert given.objective_ == pytest.approx(model.objective_, rel=2e-3)
    assert model.status_.is_optimal


def test_of_many_rows_C_of_a_family_is_chosen_on_some():
    y = LABELS > 0
    few = sample_for_C([np.where(y, 1.0, -1.0)], 1, 0, 30)
    by_hand = kl.MKLClassifier(FAMILY, C="auto", tol=1e-4).fit(X[few], y[few])
    model = kl.MKLClassifier(FAMILY, C="auto", tol=1e-4)
    model._engine = EngineOptions(choices=ChoiceOptions(rows_for_C=30))
    model.fit(X, y)
    assert model.C_ == by_hand.C_
    np.testing.assert_allclose(model.loss_by_C_, by_hand.loss_by_C_, rtol=1e-6)
    assert len(model.support_) > 0
    assert model.support_.max() > 30


def test_a_family_of_many_rows_has_landmarks_and_a_C():
    model = kl.MKLRegressor(FAMILY, tol=1e-2)
    model._engine = EngineOptions(exact_rows=30)
    model.fit(X, VALUE)
    assert model.rank_ is not None
    assert model.C_ in model.loss_by_C_[:, 0]


def test_a_choice_of_C_that_is_stopped_keeps_what_was_learned():
    with pytest.warns(ConvergenceWarning, match="stopped by the callback"):
        model = kl.MKLRegressor(FAMILY, options=kl.MKLOptions(callback=lambda progress: True)).fit(
            X, VALUE
        )
    assert not model.status_.is_optimal
    assert np.isfinite(model.predict(X)).all()


def test_names_of_columns_label_the_kernels_and_files_keep_them(tmp_path):
    frame = pd.DataFrame(X, columns=["age", "mass", "dose", "rate", "dye"])
    model = kl.MKLClassifier(FAMILY).fit(frame, LABELS)
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)
    assert model.kernels_[10].name == "age, mass"
    pytest.importorskip("skops")
    kl.save(model, tmp_path / "model.kl")
    loaded = kl.load(tmp_path / "model.kl")
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert len(loaded.kernels_) == 30
    assert repr(loaded.kernels_[29]) == repr(model.kernels_[29])


def test_displays_show_the_kernels_with_weight():
    pytest.importorskip("matplotlib")
    model = kl.MKLClassifier(FAMILY).fit(X, LABELS)
    display = kl.inspection.KernelWeightsDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.weights, model.active_weights_)
    assert len(display.labels) == len(model.active_weights_)
    assert "Gaussian" in display.labels[0]


def test_paths_and_words_tell_of_the_kernels_with_weight():
    pytest.importorskip("matplotlib")
    model = kl.MKLClassifier(FAMILY, tol=1e-3)
    path = kl.inspection.WeightPathDisplay.from_estimator(
        model, X, LABELS > 0, parameter="C", values=[0.1, 1.0]
    )
    assert path.weights.any(axis=0).all()
    assert path.weights.shape == (2, len(path.labels))
    assert len(path.labels) < 30
    told = weights(model.fit(X, LABELS > 0))
    assert [entry["weight"] for entry in told] == model.active_weights_.tolist()


def test_it_lives_in_pipelines_and_searches():
    model = make_pipeline(StandardScaler(), kl.MKLClassifier(PerColumn(Gaussian(0.1)), tol=1e-3))
    search = GridSearchCV(model, {"mklclassifier__kernels__kernels__gamma": [0.1, 1.0]}, cv=2)
    search.fit(X, LABELS > 0)
    assert search.best_params_["mklclassifier__kernels__kernels__gamma"] in (0.1, 1.0)
    assert model[1].kernels.kernels.gamma == 0.1  # nothing of the user's is changed


def test_a_refit_starts_from_the_last_weights():
    model = kl.MKLClassifier(FAMILY, options=kl.MKLOptions(warm_start=True)).fit(X, LABELS)
    first = model.n_machine_solves_
    assert model.fit(X, LABELS).n_machine_solves_ < first
    assert model.status_.is_optimal


def test_sparse_rows_are_taken_where_all_kernels_take_them():
    y = LABELS > 0
    sparse = kl.MKLClassifier(PerColumn(Gaussian(0.5))).fit(csr_array(X), y)
    dense = kl.MKLClassifier(PerColumn(Gaussian(0.5))).fit(X, y)
    assert sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)


def test_views_are_one_table_to_a_family():
    views = {"a": X[:, :2], "b": X[:, 2:]}
    model = kl.MKLClassifier(PerColumn(Gaussian(0.5))).fit(views, LABELS)
    assert len(model.weights_) == 5
    assert model.predict(views).shape == (36,)


def test_a_users_family_is_any_object_with_a_length_and_kernels():
    kernels = [Columns([0, 1], Gaussian(0.5)), Columns([2], Gaussian(0.5)), Scaled(Linear(), 0.0)]
    model = kl.MKLClassifier(Several(*kernels, kernels[0])).fit(X, LABELS)
    other = kl.MKLClassifier([*kernels, kernels[0]]).fit(X, LABELS)
    assert model.objective_ == pytest.approx(other.objective_, rel=2e-6)
    assert model.weights_[2] == 0.0  # a kernel of zeros
    assert model.weights_[[0, 3]].sum() == pytest.approx(other.weights_[[0, 3]].sum(), rel=0.01)


class NotPositive(Kernel):
    """Indefinite, with a positive diagonal."""

    def _evaluate(self, X, Y):
        return np.where(np.abs(X[:, :1] - Y[:, 0]) < 1.0, 1.0, 0.0)

    def _diag(self, X):
        return np.ones(len(X))


class NotANumber(NotPositive):
    """NaN off the diagonal."""

    def _evaluate(self, X, Y):
        return np.full((len(X), len(Y)), np.nan)


@pytest.mark.parametrize(
    ("kernels", "parameters", "sentence"),
    [
        ([], {}, "got a family of length zero"),
        ([Linear(), 3], {}, "got 3 as the kernel 1"),
        ([Gaussian(), NotPositive()], {}, "kernel 1 of the family.* positive semidefinite"),
        ([Gaussian(), NotANumber()], {}, "kernel 1 of the family.* finite"),
        ([Scaled(Linear(), 0.0)], {}, "positive trace"),
        ([Linear()], {"weights": "free"}, "expected a list of kernels with weights='free'"),
        ([Linear()], {"quality": "alignment"}, "list of kernels with quality='alignment'"),
        ([Linear()], {"quality": "hard_margin"}, "list of kernels with quality='hard_margin'"),
        (
            [Linear()],
            {"quality": "squared_soft_margin", "C": "learn"},
            "list of kernels with C='learn'",
        ),
        ([Linear()], {"missing": "mean"}, "list of kernels with missing='mean'"),
        ([Linear()], {"options": kl.MKLOptions(psd="clip")}, "list of kernels with psd='clip'"),
    ],
)
def test_what_cannot_be_is_said(kernels, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        kl.MKLClassifier(Several(*kernels), **parameters).fit(X, LABELS > 0)


def test_a_million_kernels_of_one_row():
    model = kl.MKLRegressor(Grid(Gaussian(), size=2), C=1.0).fit(np.arange(1415.0)[None], [3.0])
    assert len(model.weights_) == 1_000_405
    assert model.predict(np.zeros((1, 1415))) == pytest.approx(3.0)
    assert model.status_.is_optimal
