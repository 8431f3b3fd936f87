"""Data that cannot be learned from: one sentence that says why."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from kernlearn import (
    FirstLevelClassifier,
    HyperkernelMetric,
    HyperkernelRegressor,
    KernelClassifier,
    KernelRegressor,
    LSSVMClassifier,
    LSSVMRegressor,
    MKLClassifier,
    MKLNoveltyDetector,
    MKLRegressor,
)
from kernlearn.kernels import Linear

ALL = [MKLClassifier, MKLRegressor, MKLNoveltyDetector]


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda X: X[:0], r"0 sample\(s\).*minimum of 1 is required"),
        (lambda X: X[:, :0], r"0 feature\(s\).*minimum of 1 is required"),
        (lambda X: X[:, 0], "Expected 2D array, got 1D array"),
        (lambda X: X.astype(complex), "Complex data not supported"),
        (lambda X: np.full(X.shape, "word"), "expected a number in every cell, got the text 'wor"),
    ],
    ids=["no rows", "no columns", "one axis", "complex", "words"],
)
@pytest.mark.parametrize("kind", ALL)
def test_data(refused, problem, kind, spoil, text):
    X = spoil(problem.X)
    assert re.search(text, refused(kind(), X, problem.y[: len(X)]))


@pytest.mark.parametrize("kind", [*ALL, LSSVMRegressor])
@pytest.mark.parametrize("cell", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("make", [np.array, lambda X: X.tolist(), pd.DataFrame])
def test_a_cell_that_is_no_number_is_named_by_its_place(refused, problem, kind, cell, make):
    X = problem.X.copy()
    X[[3, 7], 1] = cell
    X[0, 0] = np.inf if np.isnan(cell) else X[0, 0]  # a gap is spoken of, and no other cell
    y = problem.target if issubclass(kind, MKLRegressor | LSSVMRegressor) else problem.y
    text = refused(kind(), make(X), y)
    found = f"expected a finite number in every cell, got {cell} in row 3 of column 1 and such in 1"
    assert found in text
    assert text.startswith(f"Input X contains {'NaN' if np.isnan(cell) else 'infinity'}")
    assert ("KernelRegressor, which learns" in text) == (np.isnan(cell) and y is problem.target)
    assert "HistGradientBoosting" not in text


def as_frame_of_words(X):
    return pd.DataFrame(X, columns=list("abc")).assign(b=np.where(X[:, 1] > 9, "1.5", "v"))


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        (MKLClassifier, "KernelClassifier"),
        (MKLRegressor, "KernelRegressor"),
        (LSSVMClassifier, "KernelClassifier"),
        (FirstLevelClassifier, "KernelClassifier"),
        (HyperkernelRegressor, "KernelRegressor"),
        (HyperkernelMetric, None),
        (MKLNoveltyDetector, None),
        (KernelClassifier, "KernelClassifier"),
        (KernelRegressor, "KernelRegressor"),
    ],
)
@pytest.mark.parametrize("make", [np.asarray, lambda frame: frame.to_numpy().tolist(), None])
def test_a_word_among_numbers_is_named_by_its_place(refused, problem, kind, ours, make):
    frame = as_frame_of_words(problem.X)
    if make is None and kind in (KernelClassifier, KernelRegressor):
        return  # to which words are categories
    name = "'b'" if make is None else 1
    y = problem.y.astype(float)
    text = refused(kind(), frame if make is None else make(frame), y)
    found = f"{kind.__name__} expected a number in every cell, got the text 'v' in row 0 of column"
    assert f"{found} {name} and such in 39 more; " in text
    assert "encode such columns, for example by a OneHotEncoder" in text
    assert (f"or pass a data frame to {ours}, for which text is" in text) == (ours is not None)


def test_numbers_that_are_written_as_text(refused, problem):
    X, y = problem.X.astype(str), problem.target.astype(str)
    text = refused(MKLRegressor(), X, problem.target)
    assert f"got the text {str(X[0, 0])!r} in row 0 of column 0" in text
    assert "convert them to numbers, for example by np.asarray(X, dtype=float)" in text
    for kind in (KernelRegressor, MKLRegressor, LSSVMRegressor):
        text = refused(kind(), problem.X, y)
        assert f"{kind.__name__} expected numbers in y, got text such as {str(y[0])!r}; c" in text


def test_a_stored_cell_of_a_sparse_table_that_is_no_number(refused, problem):
    X = np.where(problem.X > 0, problem.X, 0.0)
    X[3, 1] = np.nan
    text = refused(MKLClassifier([Linear()]), csr_array(X), problem.y)
    assert "got nan in row 3 of column 1; fill the gaps" in text


def test_an_infinite_cell_where_empty_ones_are_taken(refused, problem):
    X = problem.X.copy()
    X[3, 1], X[0, 0] = np.inf, np.nan
    text = refused(KernelClassifier(), X, problem.y)
    assert "got inf in row 3 of column 1; correct such cells, or leave them empty (NaN)" in text


@pytest.mark.parametrize("kind", [MKLClassifier, MKLRegressor])
@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda y: y[:-1], r"inconsistent numbers of samples: \[40, 39\]"),
        (lambda y: None, "requires y to be passed, but the target y is None"),
        (lambda y: np.where(np.arange(40) == 3, np.nan, y), "y contains NaN"),
        (lambda y: np.where(np.arange(40) == 3, np.inf, y), "y contains infinity"),
        (lambda y: np.column_stack([y, y]), r"y should be a 1d array.*\(40, 2\)"),
    ],
    ids=["short", "none", "NaN", "infinity", "two columns"],
)
def test_targets(refused, problem, kind, spoil, text):
    assert re.search(text, refused(kind(), problem.X, spoil(problem.y)))


@pytest.mark.parametrize("kind", [KernelRegressor, MKLRegressor, LSSVMRegressor])
@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (
            None,
            "contains NaN.* expected a number in every row, got None in row 3 and such in 1 mor",
        ),
        (pd.NA, "contains NaN.* got <NA> in row 3"),
        (np.nan, "contains NaN.* got nan in row 3"),
        (np.inf, r"contains infinity or .* got inf in row 3 and such in 1 more; leave these rows"),
        ("one", "expected numbers in y, .* 'one' in row 3; labels are what a classifier takes"),
    ],
)
def test_a_number_that_is_none_is_named_by_its_row(refused, problem, kind, cell, text):
    y = problem.target.astype(float if isinstance(cell, float) else object)
    y[[3, 7]] = cell
    for target in (y, list(y), pd.Series(y)):
        assert re.search(text, refused(kind(), problem.X, target))


@pytest.mark.parametrize("kind", [KernelClassifier, MKLClassifier, LSSVMClassifier])
def test_a_label_that_is_missing_is_named_by_its_row(refused, problem, kind):
    for y in (np.where(problem.y > 0, "yes", "no").astype(object), problem.y.astype(float)):
        y[5] = None if y.dtype == object else np.nan
        text = refused(kind(), problem.X, y)
        assert re.search("expected a label in every row, got (None|nan) in row 5; leave", text)


@pytest.mark.parametrize("kind", [KernelClassifier, MKLClassifier, LSSVMClassifier])
def test_truths_and_whole_numbers_among_objects_are_labels(problem, kind):
    for dtype in (bool, int):
        y = pd.Series((problem.y > 0).astype(dtype), dtype=object)
        model = kind(["linear"]) if kind is KernelClassifier else kind()
        assert model.fit(problem.X, y).classes_.dtype == dtype
        assert model.score(problem.X, y) == model.score(problem.X, y.astype(dtype))
    mixed = np.where(problem.y > 0, True, 0.5).astype(object)
    with pytest.raises(ValueError, match="Unknown label type"):
        kind().fit(problem.X, mixed)


@pytest.mark.parametrize("kind", [KernelClassifier, MKLClassifier, LSSVMClassifier])
def test_a_name_of_two_columns(refused, problem, kind):
    X = pd.DataFrame(problem.X, columns=["age", "size", "age"])
    text = refused(kind(), X, problem.y)
    assert text.startswith("expected a name of its own for every column of X, got 'age' more")
    text = refused(KernelClassifier(), {"clinic": X}, problem.y)
    assert "every column of source 'clinic', got 'age' more than once; rename" in text


def test_labels_that_are_measurements(refused, problem):
    told = refused(MKLClassifier(), problem.X, problem.target)
    assert "Unknown label type: continuous" in told
    assert told.endswith("Pass whole numbers or text as labels, or take a regressor.")


@pytest.mark.parametrize("n", [1, 40])
def test_one_class(refused, problem, n):
    text = refused(MKLClassifier(), problem.X[:n], np.full(n, "same"))
    assert re.search("expected at least two classes in y, got one class .*'same'", text)
    assert "add examples of another class" in text


@pytest.mark.parametrize("weights", ["positive", "free"])
def test_one_row_is_enough_where_no_classes_are_needed(problem, kernels, weights):
    """A single target is predicted everywhere, a single point is not novel."""
    regressor = MKLRegressor(kernels, weights=weights, C=1.0).fit(problem.X[:1], [3.0])
    np.testing.assert_allclose(regressor.predict(problem.X_new), 3.0)
    detector = MKLNoveltyDetector(kernels, weights=weights).fit(problem.X[:1])
    assert detector.predict(problem.X[:1])[0] == 1


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        (np.r_[-1.0, np.ones(39)], "non-negative sample weights.*smallest of -1"),
        (np.zeros(40), "(?i)sample weights.*(not all zero|non-zero)"),
        (np.full(40, np.nan), "sample_weight contains NaN"),
        (np.full(40, np.inf), "sample_weight contains infinity"),
        (np.ones(7), r"sample_weight.shape == \(7,\), expected \(40,\); expected sample_weight"),
        ("balanced", "'balanced'; expected sample_weight to be one non-negative number for every"),
    ],
    ids=["negative", "zero", "NaN", "infinity", "short", "text"],
)
@pytest.mark.parametrize("kind", ALL)
def test_sample_weights(refused, problem, kind, weight, text):
    y = problem.y if kind is MKLClassifier else problem.target
    assert re.search(text, refused(kind(), problem.X, y, sample_weight=weight))


def test_sample_weights_that_leave_one_class(refused, problem):
    text = refused(MKLClassifier(), problem.X, problem.y, sample_weight=1.0 * problem.y)
    assert "at least two classes" in text


@pytest.mark.parametrize(
    ("unlabelled", "text"),
    [
        (np.zeros((5, 2)), r"X_unlabeled with 3 columns, as X has, got shape \(5, 2\)"),
        (np.zeros(3), r"X_unlabeled with 3 columns, as X has, got shape \(3,\)"),
        (pd.DataFrame(np.zeros((5, 3))), "same kind as X, got a data frame and an array"),
        (np.full((5, 3), np.nan), "contains NaN"),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
    ],
    ids=["width", "one axis", "frame", "NaN", "no rows"],
)
def test_unlabelled_points(refused, problem, unlabelled, text):
    assert re.search(text, refused(MKLClassifier(), problem.X, problem.y, X_unlabeled=unlabelled))


def test_unlabelled_points_with_other_names(refused, problem):
    frame = pd.DataFrame(problem.X, columns=list("abc"))
    other = frame.rename(columns={"c": "d"})
    text = refused(MKLClassifier(), frame, problem.y, X_unlabeled=other)
    assert "feature names should match" in text


@pytest.mark.parametrize("kind", [KernelClassifier, KernelRegressor])
@pytest.mark.parametrize(
    "X",
    [
        np.full((40, 3), np.nan),
        pd.DataFrame({"a": [None] * 40, "b": np.full(40, np.nan)}),
        pd.DataFrame({"a": pd.Categorical([None] * 40, ["u", "v"])}),
    ],
    ids=["array", "frame", "categories"],
)
def test_a_table_without_a_known_cell(refused, problem, kind, X):
    text = refused(kind(["linear"]), X, problem.y)
    assert re.search("some known cells, got 40 rows in which every cell is missing; look at", text)
    if isinstance(X, np.ndarray):
        known = X.copy()
        known[0] = 1.0  # in a row that does not count
        weight = np.ones(40)
        weight[0] = 0.0
        assert "every cell is missing" in refused(kind(), known, problem.y, sample_weight=weight)
        assert np.isfinite(kind(["linear"]).fit(known, problem.y).predict(X[:2])).all()
