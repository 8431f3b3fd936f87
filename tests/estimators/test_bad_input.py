"""Wrong input: one sentence that says what was expected, what came, and what to do."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from kernlearn import MKLClassifier, MKLNoveltyDetector, MKLRegressor
from kernlearn.kernels import Gaussian, Linear, Precomputed

ALL = [MKLClassifier, MKLRegressor, MKLNoveltyDetector]


def _refused(model, X, y=None, **options):
    """The text of the error; one sentence, from an exception that a caller would catch."""
    with pytest.raises(ValueError) as caught:
        model.fit(X, y, **options)
    text = str(caught.value)
    assert "truth value" not in text
    assert "zero-size" not in text
    return text


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"C": 0.0}, "expected C to be a positive number, got 0.0"),
        ({"C": -1.0}, "expected C to be a positive number, got -1.0"),
        ({"C": np.nan}, "expected C to be a positive number, got nan"),
        ({"C": np.inf}, "expected C to be a positive number, got inf"),
        ({"C": None}, "expected C to be a positive number, got None"),
        ({"C": "large"}, "expected C to be a positive number, got 'large'"),
        ({"C": "learn"}, "expected a number for C with quality='soft_margin', got 'learn'"),
        ({"C": "learn", "quality": "alignment"}, "only squared_soft_margin can learn C"),
        ({"quality": "epsilon_svr"}, "quality to be one of .*soft_margin.*, got 'epsilon_svr'"),
        ({"quality": "one_class"}, "quality to be one of .*soft_margin.*, got 'one_class'"),
        ({"quality": None}, "quality to be one of .*soft_margin.*, got None"),
        ({"weights": "any"}, "weights to be one of positive, free, got 'any'"),
        ({"weights": np.ones(3)}, "weights to be one of positive, free, got array"),
        ({"constraint": "norm"}, "constraint to be one of trace, sum, got 'norm'"),
        ({"psd": "maybe"}, "psd to be one of auto, raise, clip, shift, trust, got 'maybe'"),
        ({"total": 0.0}, "total to be a positive number, got 0.0"),
        ({"tol": 0.0}, "tol to be a positive number, got 0.0"),
        ({"tol": -1e-6}, "tol to be a positive number, got -1e-06"),
        ({"max_iter": 0}, "max_iter to be a positive integer, got 0"),
        ({"max_iter": 2.5}, "max_iter to be a positive integer, got 2.5"),
        ({"quality": "nu_svm", "nu": 0.0}, r"nu in \(0, 1\], got 0.0"),
        ({"quality": "nu_svm", "nu": "half"}, "expected nu .*got 'half'"),
        ({"quality": "nu_svm", "nu": 1.0}, "nu at most 0.7.*got 1.0; lower nu"),
        ({"kernels": []}, "at least one kernel, got an empty list; pass kernels=None"),
        ({"kernels": ["rbf"]}, "kernels of kernlearn.kernels, got 'rbf'"),
        ({"kernels": "rbf"}, "kernels of kernlearn.kernels, got 'rbf'"),
        ({"kernels": 3}, "kernels of kernlearn.kernels, got 3"),
        ({"kernels": [Gaussian]}, "kernels of kernlearn.kernels, got .*Gaussian"),
        ({"kernels": [Gaussian(gamma=-1.0)]}, "gamma must be a positive finite number, got -1"),
        ({"class_weight": "even"}, "class_weight.*'balanced'.*Got 'even'"),
        ({"class_weight": {7: 2.0}}, r"classes, \[0, 1\], are not in class_weight"),
        ({"class_weight": {0: 0.0, 1: 1.0}}, "expected .*weight"),
        ({"class_weight": {0: -1.0, 1: 1.0}}, "expected .*weight.*-1"),
    ],
    ids=str,
)
def test_parameters_of_the_classifier(problem, parameters, text):
    y = problem.y.copy()
    y[np.flatnonzero(y)[:5]] = 0  # classes of different size, so that nu has a limit below one
    assert re.search(text, _refused(MKLClassifier(**parameters), problem.X, y))


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"quality": "soft_margin"}, "quality to be one of epsilon_svr, nu_svr, least_squares"),
        ({"C": "learn"}, "expected a number for C with quality='epsilon_svr', got 'learn'"),
        ({"epsilon": -0.1}, "expected epsilon ≥ 0, got -0.1"),
        ({"epsilon": np.nan}, "expected epsilon ≥ 0, got nan"),
        ({"epsilon": "wide"}, "expected epsilon ≥ 0, got 'wide'"),
        ({"quality": "nu_svr", "nu": 1.5}, r"nu in \(0, 1\], got 1.5"),
    ],
    ids=str,
)
def test_parameters_of_the_regressor(problem, parameters, text):
    assert re.search(text, _refused(MKLRegressor(**parameters), problem.X, problem.target))


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.1, np.nan, "some"])
def test_parameters_of_the_detector(problem, nu):
    assert re.search(r"expected nu.*got", _refused(MKLNoveltyDetector(nu=nu), problem.X))


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda X: X[:0], r"0 sample\(s\).*minimum of 1 is required"),
        (lambda X: X[:, :0], r"0 feature\(s\).*minimum of 1 is required"),
        (lambda X: np.where(X > 2, np.nan, X), "Input X contains NaN"),
        (lambda X: np.where(X > 2, np.inf, X), "Input X contains infinity"),
        (lambda X: X[:, 0], "Expected 2D array, got 1D array"),
        (lambda X: X.astype(complex), "Complex data not supported"),
        (lambda X: np.full(X.shape, "word"), "numeric"),
    ],
    ids=["no rows", "no columns", "NaN", "infinity", "one axis", "complex", "words"],
)
@pytest.mark.parametrize("kind", ALL)
def test_data(problem, kind, spoil, text):
    X = spoil(problem.X)
    assert re.search(text, _refused(kind(), X, problem.y[: len(X)]))


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
def test_targets(problem, kind, spoil, text):
    assert re.search(text, _refused(kind(), problem.X, spoil(problem.y)))


def test_labels_that_are_measurements(problem):
    assert "Unknown label type: continuous" in _refused(MKLClassifier(), problem.X, problem.target)


@pytest.mark.parametrize("n", [1, 40])
def test_one_class(problem, n):
    text = _refused(MKLClassifier(), problem.X[:n], np.full(n, "same"))
    assert re.search("expected at least two classes in y, got one class .*'same'", text)
    assert "add examples of another class" in text


@pytest.mark.parametrize("weights", ["positive", "free"])
def test_one_row_is_enough_where_no_classes_are_needed(problem, kernels, weights):
    """A single target is predicted everywhere, a single point is not novel."""
    regressor = MKLRegressor(kernels, weights=weights).fit(problem.X[:1], [3.0])
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
        (np.ones(7), r"sample_weight.shape == \(7,\), expected \(40,\)"),
    ],
    ids=["negative", "zero", "NaN", "infinity", "short"],
)
@pytest.mark.parametrize("kind", ALL)
def test_sample_weights(problem, kind, weight, text):
    y = problem.y if kind is MKLClassifier else problem.target
    assert re.search(text, _refused(kind(), problem.X, y, sample_weight=weight))


def test_sample_weights_that_leave_one_class(problem):
    text = _refused(MKLClassifier(), problem.X, problem.y, sample_weight=1.0 * problem.y)
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
def test_unlabelled_points(problem, unlabelled, text):
    assert re.search(text, _refused(MKLClassifier(), problem.X, problem.y, X_unlabeled=unlabelled))


def test_unlabelled_points_with_other_names(problem):
    frame = pd.DataFrame(problem.X, columns=list("abc"))
    other = frame.rename(columns={"c": "d"})
    text = _refused(MKLClassifier(), frame, problem.y, X_unlabeled=other)
    assert "feature names should match" in text


def test_hard_margin_on_inseparable_data(problem):
    X, y = np.vstack([problem.X] * 2), np.r_[problem.y, 1 - problem.y]
    model = MKLClassifier(quality="hard_margin")
    text = _refused(model, X, y)
    assert "no solution: the classes cannot be separated by any combination" in text
    assert "use a soft margin" in text
    assert not hasattr(model, "weights_")


def test_kernels_that_are_zero(problem):
    text = _refused(MKLClassifier([Linear()]), np.zeros((40, 2)), problem.y)
    assert "at least one Gram matrix with a positive trace, got only zero matrices" in text


def test_indefinite_matrices(problem):
    K = Gaussian(gamma=0.5)(problem.X) - 0.5 * np.eye(40)
    rows = np.arange(40)[:, None]
    text = _refused(MKLClassifier([0.5 * Precomputed(K)]), rows, problem.y)
    assert re.search("must be positive semidefinite, got a smallest eigenvalue of -0.2", text)
    assert 'psd="clip"' in text
    assert MKLClassifier([Precomputed(K)], psd="clip").fit(rows, problem.y).duality_gap_ <= 1e-6
    assert "symmetric" in _refused(MKLClassifier([Precomputed(np.triu(K))]), rows, problem.y)


def test_a_kernel_of_ones_own_that_is_not_semidefinite(problem):
    """Its trouble is not that the classes cannot be separated."""

    class Tanh(Linear):
        def _evaluate(self, X, Y):
            return np.tanh(X @ Y.T - 1.0)

        def _diag(self, X):
            return np.tanh((X**2).sum(axis=1) - 1.0)

    text = _refused(MKLClassifier([Tanh()]), problem.X, problem.y)
    assert "positive semidefinite" in text


def test_free_signs_of_unequal_traces_need_the_trace(problem):
    model = MKLClassifier([Linear(), Gaussian()], weights="free", constraint="sum")
    text = _refused(model, problem.X, problem.y)
    assert re.search("equal trace.*got traces from .* unbounded; use constraint='trace'", text)


@pytest.mark.parametrize("kind", ALL)
def test_constant_and_repeated_columns_do_no_harm(problem, kind):
    y = problem.y if kind is MKLClassifier else problem.target
    constant = kind().fit(np.full((40, 2), 7.0), y)
    assert len(np.unique(constant.predict([[7.0, 7.0], [7.0, 7.0]]))) == 1
    assert np.isfinite(constant.weights_).all()
    wider = np.hstack([problem.X, problem.X, np.full((40, 1), 7.0)])
    repeated = kind(normalize=False).fit(wider, y)
    assert np.isfinite(repeated.predict(wider)).all()
    assert repeated.duality_gap_ <= 1e-6


@pytest.mark.parametrize("kind", ALL)
def test_what_came_is_unchanged(problem, kernels, kind):
    y = problem.y if kind is MKLClassifier else problem.target
    weight = np.linspace(0.0, 2.0, 40)
    passed = [problem.X, y, weight, problem.X_new]
    before = [a.copy() for a in passed]
    for array in passed:
        array.setflags(write=False)
    names = [str(k) for k in kernels]
    model = kind(kernels, weights="free", normalize=True, center=True)
    options = {} if kind is MKLNoveltyDetector else {"X_unlabeled": problem.X_new}
    model.fit(problem.X, y, sample_weight=weight, **options).predict(problem.X_new)
    assert model.kernels is kernels
    assert [str(k) for k in kernels] == names
    assert len(kernels) == 3
    for now, then in zip(passed, before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_a_data_frame_and_a_dictionary_are_unchanged(problem):
    frame = pd.DataFrame(problem.X, columns=list("abc"), index=np.arange(40)[::-1])
    before, factors = frame.copy(), {0: 1.0, 1: 2.0}
    MKLClassifier(class_weight=factors).fit(frame, problem.y, X_unlabeled=frame[:5])
    pd.testing.assert_frame_equal(frame, before)
    assert factors == {0: 1.0, 1: 2.0}
