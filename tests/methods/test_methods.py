"""Every method of the registry, on a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.bundle import ModelBundle
from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.estimators.mkl.parameters import CombinationParameters, EngineOptions
from kernlearn.inspection import kernel_formula, kernel_label
from kernlearn.kernels import Columns
from kernlearn.methods.description import certificate, kernel_in_words, scale_shares, weights
from kernlearn.methods.errors import MethodError
from kernlearn.methods.learner import Learner
from kernlearn.methods.method import MethodOptions, Setting
from kernlearn.methods.preparation import preparation
from kernlearn.methods.registry import BOOSTING, LINEAR, METHODS, find_method
from kernlearn.methods.view_mkl import ViewMKLClassifier, ViewMKLRegressor
from kernlearn.solvers.engine.statement import ChoiceOptions
from kernlearn.survival import survival_outcome
from kernlearn.tables import Column

# Choosing among more is tested in test_tuning.py.
FEW_CANDIDATES = MethodOptions(
    candidates=["linear"], svm_C=(10.0,), svm_gamma=(0.1,), logistic_C=(1.0,)
)
COLUMNS = [
    Column("a", "number", ""),
    Column("b", "number", ""),
    Column("c", "category", ""),
    Column("d", "constant", ""),
]


def rows(n=36, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": 100 + 10 * rng.normal(size=n)})
    frame["c"] = rng.choice(np.array(["x", "y", ""], dtype=object), size=n)
    frame.loc[3, "a"] = np.nan
    value = frame["a"].fillna(0.0).to_numpy() + 0.2 * rng.normal(size=n)
    return frame, value


def targets(task, value):
    """What a table with this task predicts, from numbers."""
    n = len(value)
    if task == "regression":
        return value
    if task == "survival":
        return survival_outcome(event=np.arange(n) % 4 > 0, time=np.exp(-value)).structured
    if task == "counts":
        columns, names = (np.rint(np.exp(1.0 + value)), np.ones(n)), ["count", "exposure"]
        return np.rec.fromarrays(columns, names=names)
    if task == "outcomes":
        return np.column_stack([value, 1.0 - value])
    if task == "ranking":
        columns, names = (np.rint(value), np.arange(n) % 3), ["grade", "group"]
        return np.rec.fromarrays(columns, names=names)
    return np.where(value > 0, "up", "down")


def learner(name, task, columns=COLUMNS, **options):
    setting = Setting(task, 0, options=FEW_CANDIDATES, **options)
    return Learner(find_method(name), setting, lambda: preparation(columns))


def cases():
    return [(name, task) for name, method in METHODS.items() for task in method.tasks]


@pytest.mark.parametrize(("name", "task"), cases())
def test_every_method_learns_is_saved_and_is_put_in_words(name, task, tmp_path):
    X, value = rows()
    y = targets(task, value)
    pipeline = learner(name, task).fit(X, y)
    if task in ("counts", "ranking"):  # scored in test_outcomes.py
        assert np.corrcoef(pipeline.predict(X), value)[0, 1] > 0.5
    else:
        assert pipeline.score(X, y) > (0.3 if task == "regression" else 0.75)
    bundle = ModelBundle(pipeline, {"n": 1}, X, y if y.dtype.names is None else value)
    kl.save(bundle, tmp_path / "m")
    read = kl.load(tmp_path / "m")
    np.testing.assert_array_equal(read.pipeline.predict(X), pipeline.predict(X))
    pd.testing.assert_frame_equal(pd.DataFrame(read.prepared()), pd.DataFrame(bundle.prepared()))
    pd.testing.assert_frame_equal(read.sample_X, X)
    assert type(read.estimator) is type(bundle.estimator)
    first = pipeline.steps[0][1]
    names = list(X) if first is pipeline.steps[-1][1] else list(first.get_feature_names_out())
    assert kernel_in_words(bundle.estimator, names)
    facts = certificate(bundle.estimator)
    assert facts["sentence"].endswith(".")
    if facts["gap"] is not None:
        assert facts["lower_bound"] <= facts["objective"] * (1 + 1e-9)
        assert facts["gap"] <= 1e-6
    shares = scale_shares(bundle.estimator, names)
    if shares is not None:
        assert sum(entry["share"] for entry in shares) == pytest.approx(1.0)
        assert [entry["name"] for entry in shares] == ["a", "b", "c_x", "c_y"]


@pytest.fixture(autouse=True)
def few_candidates(monkeypatch):
    """Choosing among more is tested in test_tuning.py."""
    options = ChoiceOptions(factors_of_C=(1.0, 10.0))
    monkeypatch.setattr(CombinationParameters, "_engine", EngineOptions(choices=options))


@pytest.mark.parametrize(("name", "accuracy"), [("mkl", 1e-3), ("rbf-svm", 1e-9)])
def test_the_target_may_be_in_any_unit(name, accuracy):
    X, value = rows(24)
    plain = learner(name, "regression").fit(X, value).predict(X)
    for unit in (2.0**-20, 2.0**20):
        scaled = learner(name, "regression").fit(X, unit * value).predict(X)
        np.testing.assert_allclose(scaled / unit, plain, atol=accuracy)


def test_prepared_columns():
    X, _ = rows()
    prepared = preparation(COLUMNS).fit(X).transform(X)
    filled = X["a"].fillna(X["a"].median())
    expected = (filled - filled.mean()) / filled.std(ddof=0)
    np.testing.assert_allclose(prepared[:, 0], expected)
    frequent = X.loc[X["c"] != "", "c"].mode()[0]
    known = X["c"].where(X["c"] != "", frequent)
    np.testing.assert_array_equal(prepared[:, 2], known == "x")
    np.testing.assert_array_equal(prepared[:, 3], known == "y")


def test_a_category_never_seen_before_has_zeros():
    X, _ = rows()
    prepare = preparation(COLUMNS).fit(X)
    new = X.iloc[:1].assign(c="z")
    np.testing.assert_array_equal(prepare.transform(new)[0, 2:], [0.0, 0.0])


def test_rows_beyond_the_limit_are_sampled_by_class():
    y = np.arange(1000) % 4 == 0
    model = learner("mkl", "classification")
    assert y[model.rows(y, 100)].sum() == 25
    assert len(model.rows(y, 100)) == 100
    np.testing.assert_array_equal(model.rows(y, 2000), np.arange(1000))


def test_a_baseline_that_is_linear_in_the_rows_has_as_many_as_its_rivals():
    most = max(method.max_rows for method in METHODS.values())
    assert {method.max_rows for method in (LINEAR, BOOSTING)} == {most}


def test_too_many_columns_for_a_scale_each():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 301)))
    X.columns = [f"x{j}" for j in range(301)]
    columns = [Column(name, "number", "") for name in X.columns]
    with pytest.raises(MethodError, match="at most 300 columns, as prepared, got 301; use"):
        learner("first-level", "classification", columns).fit(X, np.arange(20) % 2)


def test_what_a_method_cannot_do():
    X, value = rows()
    with pytest.raises(MethodError, match="metric does classification, got a task of regression"):
        learner("metric", "regression").fit(X, value)
    with pytest.raises(MethodError, match="expected method mkl with --views"):
        learner("lssvm", "regression", views=("v",)).fit(X, value)
    with pytest.raises(MethodError, match=r"a method among kernel, mkl, .* and auto, got 'svm'"):
        find_method("svm")


def view_frame(n=40):
    rng = np.random.default_rng(1)
    names = ["one__p", "two__q", "one__r"]
    return pd.DataFrame(rng.normal(size=(n, 3)), columns=names)


@pytest.mark.parametrize("kind", [ViewMKLClassifier, ViewMKLRegressor])
def test_every_view_has_a_bank_of_its_own(kind):
    X = view_frame()
    y = X["one__p"] + X["one__r"] > 0
    model = kind().fit(X, y.astype(float))
    signs = 2.0 * y.to_numpy() - 1.0
    expected = []
    for view, places in {"one": [0, 2], "two": [1]}.items():
        bank, notes = choose_bank(X.to_numpy()[:, places], [signs], np.ones(40), 0)
        expected += [Columns(places, kernel) for kernel in bank]
        assert model.kernel_views_.count(view) == len(bank)
        assert f"{view}: {notes[0]}" in model.bank_notes_
    for ours, theirs in zip(model.kernels_, expected, strict=True):
        np.testing.assert_array_equal(ours(X), theirs(X))
    known = weights(model)
    by_view = {
        view: sum(w["weight"] for w in known if w["name"].startswith(view))
        for view in ("one", "two")
    }
    assert by_view["one"] > by_view["two"]
    assert "one: " in kernel_in_words(model, [])
    assert kernel_label(model.kernels_[0]) == known[0]["name"] == "one: linear"
    assert "x[one]" in kernel_formula(model.kernel_)


def test_views_need_names():
    with pytest.raises(ValueError, match="expected a data frame with columns named view__column"):
        ViewMKLClassifier().fit(view_frame().to_numpy(), np.arange(40) % 2)


def test_a_fixed_kernel_claims_nothing():
    model = SVC(gamma=0.5).fit([[0.0], [1.0]], [0, 1])
    assert kernel_in_words(model, ["a"]) == "Gaussian, γ = 0.5, with C = 1; nothing learned"
    assert "no certificate" in certificate(model)["sentence"]


def test_labels_that_are_one_number_cannot_be_weighed():
    X, value = rows()
    y = np.where(value > 0, "1", "01")
    weighed = learner("lssvm", "classification", class_weight={"1": 2.0, "01": 1.0})
    with pytest.raises(MethodError, match=r"cannot tell the classes '1' and '01' apart.* rename"):
        weighed.fit(X, y)


def test_boosting_takes_counts_several_outcomes_and_grades():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    counts = np.zeros(60, dtype=[("count", float), ("exposure", float)])
    counts["count"], counts["exposure"] = rng.poisson(3.0, 60), 1.5
    graded = np.zeros(60, dtype=[("grade", float), ("group", int)])
    graded["grade"] = np.round(X[:, 0])
    for task, y in (("counts", counts), ("outcomes", X @ np.ones((2, 3))), ("ranking", graded)):
        [(_, boosting)] = BOOSTING.plan(Setting(task, 0)).steps
        assert boosting.fit(X, y).predict(X).shape == ((60, 3) if task == "outcomes" else (60,))
