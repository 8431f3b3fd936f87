"""The classifier to start with, as a stranger uses it."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss, recall_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import scale
from sklearn.svm import SVC

import kernlearn as kl
from kernlearn.estimators.mixture.options import MixtureOptions, ScreeningOptions
from kernlearn.kernels import Columns, Gaussian, Kernel, Linear
from kernlearn.runtime.status import Status

FEW = ["linear", "Gaussian"]


def two_classes(n=80, d=3, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] * X[:, 1] + noise * rng.normal(size=n) > 0, "yes", "no")


@pytest.fixture(scope="module")
def model():
    return kl.KernelClassifier().fit(*two_classes(150))


def test_everything_at_its_default(model):
    X, y = two_classes(300, seed=1)
    assert model.score(X, y) > 0.72
    assert abs(model.held_out_score_ - model.score(X, y)) < 0.15
    table = model.candidates_
    assert list(table) == ["candidate", "held_out_loss", "standard_error", "seconds", "weight"]
    assert table["weight"].sum() == pytest.approx(1.0)
    assert (np.diff(table["held_out_loss"]) >= 0).all()
    assert 1 <= (table["weight"] > 0).sum() <= 8
    assert table["held_out_loss"][0] < table["held_out_loss"][-1] - 0.1
    assert model.status_ is Status.CONVERGED


def test_probabilities_are_better_than_none_and_agree_with_predictions(model):
    X, y = two_classes(300, seed=1)
    p = model.predict_proba(X)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    assert log_loss(y, p) < 0.5
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == "yes")


def test_columns_that_matter_are_told_from_those_that_do_not(model):
    found = model.relevance_
    assert found["column"].tolist() == ["x0", "x1", "x2"]
    above = found["relevance"] / found["standard_error"]
    assert above[:2].min() > 3.0
    assert abs(above[2]) < 2.0


def test_the_held_out_values_are_those_of_rows_that_were_not_seen():
    """A mixture of machines that fit noise exactly must not look good."""
    sure = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        guess = kl.KernelClassifier().fit(rng.normal(size=(80, 3)), rng.integers(0, 2, 80))
        assert guess.held_out_score_ < 0.7
        sure.append(np.abs(guess.predict_proba(rng.normal(size=(50, 3))) - 0.5).mean())
    assert np.mean(sure) < 0.15


def test_a_data_frame_with_text_missing_cells_and_names():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 90),
            "town": rng.choice(["a", "b", "c"], 90),
            "flag": rng.integers(0, 2, 90).astype(bool),
        }
    )
    y = (frame["town"] == "b").to_numpy().astype(int)
    frame.loc[::7, "age"] = np.nan
    frame.loc[::11, "town"] = None
    model = kl.KernelClassifier(FEW).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert list(model.feature_names_in_) == ["age", "town", "flag"]
    assert model.relevance_["column"].tolist() == ["age", "town", "flag"]
    age, town, flag = model.relevance_["relevance"]
    assert town > 10 * max(age, flag)
    new = pd.DataFrame({"age": [np.nan], "town": ["never seen"], "flag": [True]})
    assert np.isfinite(model.predict_proba(new)).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["town", "age", "flag"]])


def test_more_classes_and_one_of_two_rows():
    X, y = load_iris(return_X_y=True)
    keep = np.r_[0:40, 50:90, 100, 101]
    model = kl.KernelClassifier(FEW).fit(X[keep], y[keep])
    assert model.score(X, y) > 0.7
    assert model.predict_proba(X).shape == (150, 3)
    assert model.decision_function(X).shape == (150, 3)


def test_a_class_between_others_is_told(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    grade = np.digitize(X @ [1.0, 0.5, 0.0], [-1.0, -0.3, 0.3, 1.0])
    labels = np.array(["E", "D", "C", "B", "A"])[grade]
    model = kl.KernelClassifier(["linear"]).fit(X[:200], labels[:200])
    # The largest of five linear values is right in 40 per cent: it names the grades at the ends.
    assert model.score(X[200:], labels[200:]) > 0.8
    assert model.candidates_["held_out_loss"].min() < 0.6  # not knowing any would be 1.6
    first, second, third = model.relevance_["relevance"]
    assert first > second > 0.1 > third
    kl.save(model, tmp_path / "grades.kl")
    np.testing.assert_array_equal(
        kl.load(tmp_path / "grades.kl").predict_proba(X), model.predict_proba(X)
    )


def test_of_labels_by_chance_nothing_is_known():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 3)), rng.permutation(np.arange(150) % 3)
    model = kl.KernelClassifier(["linear", "Gaussian", "Laplacian"]).fit(X, y)
    # From means without a row, or without a fold, it could be told which class is missing.
    assert model.held_out_score_ < 0.5
    assert model.predict_proba(rng.normal(size=(500, 3))).max(axis=1).mean() < 0.5


@pytest.mark.parametrize("shape", [(2, 1), (12, 60)])
def test_few_rows_and_many_columns(shape):
    X = np.random.default_rng(0).normal(size=shape)
    y = np.arange(len(X)) % 2
    model = kl.KernelClassifier().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert np.isfinite(model.candidates_["held_out_loss"]).all()


def test_rows_that_are_repeated_and_columns_that_never_change():
    X, y = two_classes(15)
    X[:, 2] = 5.0
    candidates = ["Gaussian", "Gaussian SVM", "trees"]
    model = kl.KernelClassifier(candidates).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert model.relevance_["relevance"][2] == 0.0
    constant = kl.KernelClassifier(FEW).fit(np.ones((12, 2)), np.arange(12) % 3 == 0)
    assert not constant.predict(np.ones((1, 2)))[0]
    np.testing.assert_allclose(constant.predict_proba(np.ones((1, 2)))[0, 1], 1 / 3, atol=0.1)


def test_balanced_weights_find_the_rare_class():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(190, 2)), rng.normal(1.2, 1.0, size=(10, 2))])
    y = np.repeat([0, 1], [190, 10])
    new = np.vstack([rng.normal(size=(500, 2)), rng.normal(1.2, 1.0, size=(500, 2))])
    truth = np.repeat([0, 1], 500)
    plain = kl.KernelClassifier(FEW).fit(X, y)
    balanced = kl.KernelClassifier(FEW, class_weight="balanced").fit(X, y)
    assert recall_score(truth, plain.predict(new)) < 0.4
    assert recall_score(truth, balanced.predict(new)) > 0.6
    assert balanced.score(new, truth) > 0.7


def test_rows_count_by_their_weights():
    X, y = two_classes(120)
    balanced = np.where(y == "yes", 3.0, 1.0)
    by_class = kl.KernelClassifier(FEW, class_weight={"yes": 3.0, "no": 1.0}).fit(X, y)
    by_row = kl.KernelClassifier(FEW).fit(X, y, sample_weight=balanced)
    assert np.mean(by_row.predict(X) == by_class.predict(X)) > 0.97
    assert np.mean(by_row.predict(X) == "yes") > 0.05 + np.mean(y == "yes")
    # Rows without weight are not there, and neither is their class.
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=np.where(X[:, 2] > 0, "up", "down"))
    third = np.arange(120) % 3 == 0
    labels = np.where(third, "never", y)
    model = kl.KernelClassifier(FEW).fit(frame, labels, sample_weight=np.where(third, 0.0, 1.0))
    alone = kl.KernelClassifier(FEW).fit(frame[~third], y[~third])
    assert list(model.classes_) == ["no", "yes"]
    np.testing.assert_allclose(model.predict_proba(frame), alone.predict_proba(frame))


def test_one_member_is_one_kernel_machine():
    X, y = two_classes(40)
    model = kl.KernelClassifier([Gaussian(0.2), "linear"], max_members=1).fit(X, y)
    assert isinstance(model.kernel_, Kernel)
    np.testing.assert_allclose(model.kernel_(X), Gaussian(0.2)(scale(X)))
    machine = SVC(kernel=model.kernel_).fit(X, y)
    assert machine.score(X, y) > 0.6
    assert (model.candidates_["weight"] > 0).sum() == 1
    several = kl.KernelClassifier(FEW).fit(X, y)
    if (several.candidates_["weight"] > 0).sum() > 1:
        assert not hasattr(several, "kernel_")


def test_more_rows_than_are_judged():
    X, y = two_classes(150)
    model = kl.KernelClassifier(FEW)
    model._options = MixtureOptions(
        exact_rows=100, judged_rows=60, landmarks=50, screening=ScreeningOptions(rows=40)
    )
    model.fit(X, y)
    new, truth = two_classes(200, seed=1)
    assert model.score(new, truth) > 0.75
    assert len(model.relevance_["column"]) == 3


def test_it_ends_when_it_is_told_to_and_keeps_what_it_has():
    X, y = two_classes(40)
    told = []

    def stop(progress):
        told.append(progress.message)
        return len(told) == 2

    with pytest.warns(match="stopped by the callback"):
        model = kl.KernelClassifier(callback=stop).fit(X, y)
    assert model.status_ is Status.STOPPED_AT_CHANCE
    assert len(model.candidates_["candidate"]) == 2
    assert told[0].startswith("linear: held-out loss")
    with pytest.warns(match="time limit"):
        model = kl.KernelClassifier(time_limit=1e-9).fit(X, y)
    assert len(model.candidates_["candidate"]) == 1
    assert np.isfinite(model.decision_function(X)).all()


def test_a_notebook_shows_what_was_mixed(model):
    shown = model._repr_mimebundle_()["text/html"]
    best = model.candidates_["candidate"][model.candidates_["weight"] > 0][0]
    assert f"<td>{best}</td>" in shown
    assert "held-out loss" not in kl.KernelClassifier()._repr_mimebundle_()["text/html"]


def test_the_same_seed_gives_the_same_model_and_grids_work():
    X, y = two_classes(50)
    first, second = (kl.KernelClassifier(FEW, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    search = GridSearchCV(kl.KernelClassifier(["linear"]), {"max_members": [1, 2]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"max_members"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_members": 0}, "expected max_members to be a positive integer, got 0"),
        ({"standardize": "no"}, "expected standardize to be True or False, got 'no'"),
        ({"candidates": ["rbf"]}, "expected candidates to hold kernels and names among"),
        ({"time_limit": -1}, "expected time_limit to be a positive number"),
        ({"class_weight": "heavy"}, "class_weight"),
        ({"class_weight": {"yes": 0, "no": 1}}, "expected positive class weights, got {'yes': 0"),
        ({"class_weight": {"yes": -1.0}}, "expected positive class weights"),
        ({"class_weight": {"yes": np.nan}}, "expected positive class weights"),
        (
            {"candidates": ["linear", Columns(["a"], Linear())]},
            "expected the candidate .*'a'.* on the prepared table, of 3 columns without names",
        ),
        (
            {"candidates": [Linear(), Columns([7], Linear())]},
            "expected the candidate .*got an error: .*correct the kernel, or leave it out",
        ),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        kl.KernelClassifier(**options).fit(*two_classes(20))


def test_candidates_for_fewer_columns_are_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 40)), np.arange(30) % 2
    with pytest.warns(UserWarning, match=r"'hyperkernel' takes up to 30 prepared columns; they"):
        model = kl.KernelClassifier(["linear", "hyperkernel"]).fit(X, y)
    assert not any("hyperkernel" in name for name in model.candidates_["candidate"])
    with pytest.raises(ValueError, match=r"'hyperkernel' takes up to 30 .*; name others"):
        kl.KernelClassifier(["hyperkernel"]).fit(X, y)


def test_columns_matter_where_a_class_has_one_row():
    X, _ = two_classes(30)
    y = np.arange(30) == 3
    relevance = kl.KernelClassifier(["linear SVM", "Gaussian"]).fit(X, y).relevance_
    assert np.isfinite([relevance["relevance"], relevance["standard_error"]]).all()


def test_labels_that_are_bytes_and_tables_without_columns_are_refused():
    X, y = two_classes(20)
    with pytest.raises(ValueError, match=r"expected labels that are text or numbers .* bytes"):
        kl.KernelClassifier().fit(X, np.char.encode(y))
    with pytest.raises(ValueError, match="expected columns in X, got 0 columns"):
        kl.KernelClassifier().fit(pd.DataFrame(index=range(20)), y)


@pytest.mark.parametrize("unit", [1e150, 1e-200])
def test_cells_beyond_all_powers_want_a_scale(unit):
    X, y = two_classes()
    with pytest.raises(
        ValueError, match=r"standardize=False expected the largest cell .* standardize=True"
    ):
        kl.KernelClassifier(standardize=False).fit(unit * X, y)
    assert kl.KernelClassifier(FEW).fit(unit * X, y).score(unit * X, y) > 0.7


def test_wrong_tables_are_refused():
    X, y = two_classes(20)
    with pytest.raises(ValueError, match="at least two classes in y, got one class"):
        kl.KernelClassifier().fit(X, ["a"] * 20)
    with pytest.raises(ValueError, match="infinity"):
        kl.KernelClassifier().fit(np.where(X > 1, np.inf, X), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kl.KernelClassifier().fit(X, y[:-1])
    with pytest.raises(ValueError, match="expected rows in X, got 0"):
        kl.KernelClassifier().fit(pd.DataFrame({"a": []}), [])


@pytest.mark.parametrize("kind", [kl.KernelClassifier, kl.KernelRegressor])
def test_parameters_and_attributes_are_documented(kind):
    text = inspect.getdoc(kind)
    for name in inspect.signature(kind).parameters:
        assert f"{name} : " in text
    X, y = two_classes(20)
    model = kind(FEW).fit(X, y == "yes")
    learned = [n for n in vars(model) if n.endswith("_")] + ["candidates_", "relevance_", "kernel_"]
    for name in learned:
        assert name in text, f"{kind.__name__} does not document {name}"
