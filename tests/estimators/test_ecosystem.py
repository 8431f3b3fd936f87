"""Labels, data frames, pipelines, searches, clones and pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLOptions, MKLRegressor
from kernlearn.kernels import Columns, Gaussian, Linear, Precomputed

MODELS = [MKLClassifier(), MKLRegressor(), MKLNoveltyDetector()]


class Uncopied(np.ndarray):
    """A matrix that cannot be copied by cloning or pickling."""

    def __deepcopy__(self, memo):
        raise AssertionError("the matrix was copied")

    def __reduce__(self):
        raise AssertionError("the matrix was pickled")


def _fitted(model, problem):
    y = problem.y if isinstance(model, MKLClassifier) else problem.target
    return clone(model).fit(problem.X, y)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["benign", "malign"]),
        np.array(["b", "a"], dtype=object),
        np.array([False, True]),
        np.array([7, -3]),
        np.array([0.0, 1.0]),
    ],
    ids=["text", "objects", "booleans", "integers", "floats"],
)
def test_labels_of_any_type_come_back_as_they_went_in(problem, kernels, names):
    plain = MKLClassifier(kernels).fit(problem.X, problem.y)
    model = MKLClassifier(kernels).fit(problem.X, names[problem.y])
    np.testing.assert_array_equal(model.classes_, np.unique(names))
    predicted = model.predict(problem.X_new)
    assert predicted.dtype == names.dtype
    np.testing.assert_array_equal(predicted, names[plain.predict(problem.X_new)])
    second = 1.0 if names[1] == model.classes_[1] else -1.0
    np.testing.assert_allclose(
        model.decision_function(problem.X_new),
        second * plain.decision_function(problem.X_new),
        atol=1e-4,
    )


def test_categorical_labels_and_lists_are_fine(problem, kernels):
    text = np.where(problem.y, "yes", "no")
    series = pd.Series(text, dtype="category", index=np.arange(len(text))[::-1])
    listed = MKLClassifier(kernels).fit(problem.X.tolist(), text.tolist())
    framed = MKLClassifier(kernels).fit(problem.X, series)
    np.testing.assert_array_equal(listed.predict(problem.X), framed.predict(problem.X))
    assert framed.score(problem.X, text) > 0.8


def _frame(X):
    # An index that is neither sorted nor unique must play no part.
    return pd.DataFrame(
        X, columns=["width", "height", "age"], index=[3, 1] * (len(X) // 2) + [0] * (len(X) % 2)
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_data_frame_gives_the_same_and_is_remembered(problem, model):
    y = problem.y if isinstance(model, MKLClassifier) else problem.target
    framed = clone(model).fit(_frame(problem.X), y)
    plain = clone(model).fit(problem.X, y)
    np.testing.assert_array_equal(framed.feature_names_in_, ["width", "height", "age"])
    np.testing.assert_allclose(framed.weights_, plain.weights_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        framed.predict(_frame(problem.X_new)), plain.predict(problem.X_new), rtol=1e-7
    )
    with pytest.raises(ValueError, match="feature names should match"):
        framed.predict(_frame(problem.X_new)[["age", "width", "height"]])


def test_columns_by_name_are_columns_by_position(problem):
    named = [Columns("width", Gaussian()), Columns(["height", "age"], Gaussian(gamma=0.2))]
    placed = [Columns(0, Gaussian()), Columns([1, 2], Gaussian(gamma=0.2))]
    a = MKLClassifier(named).fit(_frame(problem.X), problem.y)
    b = MKLClassifier(placed).fit(problem.X, problem.y)
    np.testing.assert_allclose(a.weights_, b.weights_, rtol=1e-9)
    np.testing.assert_allclose(
        a.decision_function(_frame(problem.X_new)), b.decision_function(problem.X_new), rtol=1e-7
    )
    with pytest.raises(ValueError, match="chosen by name need a data frame"):
        MKLClassifier(named).fit(problem.X, problem.y)


def test_row_numbers_of_given_matrices_can_be_split_searched_and_scored(problem, kernels):
    """The same cross-validation as with the kernels themselves, and no copy of a matrix."""
    rows = np.arange(len(problem.X))[:, None]
    given = [Precomputed(k(problem.X).view(Uncopied)) for k in kernels]
    folds = StratifiedKFold(2)
    grid = {"C": [0.05, 20.0]}
    by_rows = GridSearchCV(MKLClassifier(given), grid, cv=folds).fit(rows, problem.y)
    by_data = GridSearchCV(MKLClassifier(kernels), grid, cv=folds).fit(problem.X, problem.y)
    np.testing.assert_array_equal(
        by_rows.cv_results_["mean_test_score"], by_data.cv_results_["mean_test_score"]
    )
    assert by_rows.best_params_ == by_data.best_params_
    assert len(set(by_data.cv_results_["mean_test_score"])) > 1
    np.testing.assert_allclose(
        by_rows.best_estimator_.weights_, by_data.best_estimator_.weights_, rtol=1e-7, atol=1e-9
    )
    scores = cross_val_score(MKLClassifier(given), rows, problem.y, cv=folds)
    np.testing.assert_array_equal(
        scores, cross_val_score(MKLClassifier(kernels), problem.X, problem.y, cv=folds)
    )
    assert all(
        copy.K is matrix.K
        for copy, matrix in zip(clone(MKLClassifier(given)).kernels, given, strict=True)
    )


def test_a_pipeline_prepares_and_learns(problem, kernels):
    far = problem.X * [1.0, 10.0, 100.0] + 50.0
    scaler = StandardScaler().fit(far)
    pipeline = make_pipeline(StandardScaler(), MKLClassifier(kernels))
    pipeline.fit(far, problem.y, mklclassifier__sample_weight=np.ones(len(far)))
    by_hand = MKLClassifier(kernels).fit(scaler.transform(far), problem.y)
    new = problem.X_new * [1.0, 10.0, 100.0] + 50.0
    np.testing.assert_array_equal(pipeline.predict(new), by_hand.predict(scaler.transform(new)))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_pickle_predicts_exactly_the_same(problem, model):
    fitted = _fitted(model, problem)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.predict(problem.X_new), fitted.predict(problem.X_new))
    np.testing.assert_array_equal(restored.weights_, fitted.weights_)
    np.testing.assert_array_equal(restored.kernel_(problem.X_new), fitted.kernel_(problem.X_new))
    assert restored.status_ is fitted.status_


def test_clone_keeps_every_parameter_and_nothing_learned(problem, kernels):
    model = MKLClassifier(
        kernels, C=3.0, weights="free", normalize=True, tol=1e-4, options=MKLOptions(max_iter=50)
    )
    model.fit(problem.X, problem.y)
    copy = clone(model)
    assert not hasattr(copy, "weights_")
    ours, theirs = copy.get_params(), model.get_params()
    assert str(ours.pop("kernels")) == str(theirs.pop("kernels"))
    assert ours.pop("options").get_params() == theirs.pop("options").get_params()
    assert {k: v for k, v in ours.items() if "__" not in k} == {
        k: v for k, v in theirs.items() if "__" not in k
    }


def test_parameters_of_a_kernel_can_be_set_through_the_estimator(problem):
    model = MKLClassifier(Linear() + Gaussian(gamma=1.0))
    model.set_params(kernels__kernel_1__gamma=0.2, C=3.0).fit(problem.X, problem.y)
    direct = MKLClassifier(Linear() + Gaussian(gamma=0.2), C=3.0).fit(problem.X, problem.y)
    np.testing.assert_allclose(
        model.decision_function(problem.X_new), direct.decision_function(problem.X_new), rtol=1e-8
    )
    for name in ("kernels__5__gamma", "kernels__gamma"):
        with pytest.raises(ValueError, match=f"after kernels__, 0 to 0 of this list, got '{name}"):
            MKLClassifier([Gaussian()]).set_params(**{name: 1.0})
    search = GridSearchCV(MKLClassifier(Gaussian()), {"kernels__gamma": [0.01, 0.3, 30.0]}, cv=3)
    assert search.fit(problem.X, problem.y).best_params_["kernels__gamma"] == 0.3


def test_a_search_may_choose_among_lists_of_kernels(problem):
    lists = [[Gaussian(gamma=100.0)], [Columns(0, Gaussian()), Columns([1, 2], Gaussian(0.2))]]
    search = GridSearchCV(MKLClassifier(), {"kernels": lists}, cv=3).fit(problem.X, problem.y)
    assert search.best_params_["kernels"] is lists[1]


def test_the_learned_kernel_outlives_the_estimator(problem):
    """Rows and columns of new points, cloned, and equal to the weighted sum of its parts."""
    model = MKLClassifier(normalize=True, options=MKLOptions(center=True)).fit(problem.X, problem.y)
    kernel = clone(model.kernel_)
    parts = zip(model.kernels_, model.weights_, strict=True)
    expected = sum(w * k(problem.X_new, problem.X) for k, w in parts)
    np.testing.assert_allclose(kernel(problem.X_new, problem.X), expected, atol=1e-12)
    np.testing.assert_allclose(kernel.diag(problem.X_new), np.diag(kernel(problem.X_new)))
