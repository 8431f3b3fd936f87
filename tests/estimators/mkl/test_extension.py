"""Rows that come after a fit with free signs: weights that stay optimal, and cuts where not."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernlearn import (
    MKLClassifier,
    MKLNoveltyDetector,
    MKLOptions,
    MKLRegressor,
    load,
    reference,
    save,
)
from kernlearn.exceptions import IndefiniteKernelWarning
from kernlearn.gram import gram_stack
from kernlearn.kernels import Gaussian, Linear
from kernlearn.penalties import LpNorm
from kernlearn.solvers.core.solution import Solution
from kernlearn.testing.certificate import Case, complaints

KERNELS = [Gaussian(0.1), Gaussian(1.0)]


def _rows(n, seed=0):
    """A checkerboard: a narrow kernel fits it best, with what is wide in it taken off."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


@pytest.fixture(scope="module")
def fitted():
    X, y = _rows(14)
    return MKLClassifier(KERNELS, weights="free", C=5.0).fit(X, y)


def _copy(model):
    other = MKLClassifier(**model.get_params(deep=False))
    vars(other).update(vars(model))
    return other


@pytest.fixture(scope="module")
def program():
    """The semidefinite program on the rows of the fit and the new ones."""
    X, y = _rows(14)
    grams = [kernel(np.vstack([X, _rows(4, 1)[0]])) for kernel in KERNELS]
    # The trace is held over the rows of the fit, which for a unit diagonal is 18 over all rows.
    return reference.eq36(grams, y, C=5.0, c=18.0)


@pytest.mark.parametrize("batches", [[4], [1, 3], [1] * 4])
def test_rows_in_batches_end_at_the_semidefinite_program_of_all_rows(fitted, program, batches):
    X, y = _rows(14)
    new = _rows(4, 1)[0]
    model, start = _copy(fitted), 0
    for size in batches:
        model.extend(new[start : start + size])
        start += size
    assert 2.0 * model.objective_ == pytest.approx(program.value, rel=1e-5)
    whole = MKLClassifier(KERNELS, weights="free", C=5.0).fit(X, y, X_unlabeled=new)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert model.objective_ > fitted.objective_ * (1 + 1e-4)
    assert model.duality_gap_ <= 1e-6
    assert model.weights_.sum() == pytest.approx(1.0)
    assert np.linalg.eigvalsh(model.kernel_(np.vstack([X, new])))[0] > -1e-8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.transduction_, model.predict(new))


def _judged(model, y, quality="soft_margin"):
    """What a judge that owes nothing to the solvers says of the certificate."""
    known = model._transduction
    solution = Solution(
        weights=model.weights_,
        objective=model.objective_,
        lower_bound=model.lower_bound_,
        dual_coef=known.dual_coef[0],
        intercept=float(model.intercept_[0]),
        n_machine_solves=model.n_machine_solves_,
        status=model.status_,
    )
    # Of kernels of a unit diagonal the weights add up to one, on any number of rows.
    stated = {"quality": quality, "C": model.C_, "weights": "free", "constraint": "sum"}
    return complaints(
        Case(gram_stack(model.kernels_, known.rows), y, total=1.0, **stated), solution
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quality", ["soft_margin", "squared_soft_margin"])
def test_a_step_from_the_fit_ends_where_a_fit_to_all_rows_does(quality, seed):
    X, y = _rows(24, seed)
    new = _rows(3, 100 + seed)[0]
    kernels = [Gaussian(0.1), Gaussian(1.0), Gaussian(5.0), Linear()]
    model = MKLClassifier(kernels, quality, C=5.0, weights="free", normalize=True)
    extended = _copy(model.fit(X, y)).extend(new)
    whole = model.fit(X, y, X_unlabeled=new)
    assert not extended.extension_.kept
    assert extended.status_.is_optimal
    assert extended.lower_bound_ <= whole.objective_ * (1 + 1e-12)
    assert whole.lower_bound_ <= extended.objective_ * (1 + 1e-12)
    assert extended.n_machine_solves_ < whole.n_machine_solves_
    assert _judged(extended, y, quality) == []


def test_combinations_of_kernels_that_all_but_depend_on_one_another_are_kept():
    X, y = _rows(24)
    kernels = [*KERNELS, Gaussian(1.001)]
    model = MKLClassifier(kernels, weights="free").fit(X, y)
    new = _rows(6, 1)[0]
    first = _copy(model).extend(new[:3])
    without_matrices = pickle.loads(pickle.dumps(first)).extend(new[3:])
    whole = model.fit(X, y, X_unlabeled=new)
    for extended in (first.extend(new[3:]), without_matrices):
        assert extended.status_.is_optimal
        assert extended.objective_ == pytest.approx(whole.objective_, rel=2e-6)
        assert _judged(extended, y) == []


@pytest.mark.parametrize("limit", [{"options": MKLOptions(max_iter=1)}, {"tol": 1e-12}])
def test_a_search_that_ends_early_is_not_called_optimal(limit):
    X, y = _rows(20)
    new = _rows(40, 1)[0]
    model = MKLClassifier([*KERNELS, Gaussian(5.0), Linear()], weights="free", C=5.0).fit(X, y)
    optimum = _copy(model).extend(new).objective_
    with pytest.warns(ConvergenceWarning):
        model.set_params(**limit).extend(new)
    assert not model.status_.is_optimal
    assert model.duality_gap_ > model.tol
    assert model.lower_bound_ <= optimum * (1 + 1e-6)
    assert model.objective_ >= optimum * (1 - 1e-6)
    if "options" in limit:  # a third machine: learned anew, which ended early, too
        assert model.n_machine_solves_ == 3


def test_weights_that_stay_feasible_stay_optimal_with_their_certificate(fitted):
    model = _copy(fitted).extend(_rows(14)[0][:5])  # repeated rows add nothing
    assert model.extension_.kept
    assert model.extension_.n_machine_solves == 0
    assert str(model.extension_).startswith("the weights stay optimal: on 5 further rows")
    for name in ("weights_", "dual_coef_", "objective_", "lower_bound_", "duality_gap_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(fitted, name))


def test_what_a_prediction_warns_of_extend_cures(fitted, tmp_path):
    new = _rows(120, 1)[0]
    with pytest.warns(IndefiniteKernelWarning, match="call extend with these rows"):
        fitted.predict(new)
    save(fitted, tmp_path / "model")
    model = load(tmp_path / "model").extend(new)
    assert not model.extension_.kept
    assert model.extension_.smallest_eigenvalue < -0.1
    assert "learned again with" in str(model.extension_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(new)
    # Probabilities are those of the machine that was learned.
    assert model.calibration_ is not fitted.calibration_
    assert not hasattr(model.fit(*_rows(14)), "extension_")


@pytest.mark.parametrize(
    "model",
    [
        MKLRegressor(KERNELS, "least_squares", C=1.0, weights="free"),
        MKLNoveltyDetector([Gaussian(5.0), Gaussian(3.0)], 0.5, "free"),
    ],
)
def test_regressors_and_detectors_extend_to_what_they_would_have_learned(model):
    X, y = _rows(30)
    new = _rows(10, 1)[0]
    model.fit(X, y).extend(new)
    assert not model.extension_.kept
    known = model._transduction
    assert (known.n_unlabelled, known.n_fitted) == (10, 30)
    if isinstance(model, MKLRegressor):
        whole = MKLRegressor(KERNELS, "least_squares", C=1.0, weights="free")
        whole.fit(X, y, X_unlabeled=new)
        assert model.objective_ == pytest.approx(whole.objective_, rel=1e-6)
        np.testing.assert_allclose(model.transduction_, whole.transduction_, atol=1e-4)
        np.testing.assert_allclose(model.predict(new), model.transduction_)
    else:
        assert np.linalg.eigvalsh(model.kernel_(np.vstack([X, new])))[0] > -1e-8
        assert model.offset_ == -model.intercept_[0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"weights": "positive"}, "weights='free', got 'positive', whose kernel is positive"),
        ({"rank": 5}, "Gram matrices of all rows, got landmarks; fit with rank=None"),
        ({"quality": "alignment"}, "a machine with a given C, got quality='alignment'"),
        ({"quality": "squared_soft_margin", "C": "learn"}, "a given C, got C='learn'"),
        ({"options": MKLOptions(psd="clip")}, "kernels as they are, got psd='clip'"),
    ],
)
def test_what_cannot_be_extended_is_refused_with_a_cure(options, sentence):
    X, y = _rows(14)
    given = {"weights": "free", "C": 1.0, "quality": "squared_soft_margin"} | options
    model = MKLClassifier([Gaussian(0.1), Linear()], **given).fit(X, y)
    with pytest.raises(ValueError, match=sentence):
        model.extend(X)


def test_with_a_penalty_weights_are_kept_or_refused():
    X, y = _rows(14)
    given = MKLOptions(penalty=LpNorm(2.0, 0.01))
    model = MKLClassifier(KERNELS, weights="free", C=5.0, options=given).fit(X, y)
    weights = model.weights_
    assert model.extend(X[:3]).extension_.kept
    with pytest.raises(ValueError, match="without penalty and constraints, got an eigenvalue"):
        model.extend(_rows(40, 1)[0])
    assert model.weights_ is weights
    assert model.extension_.n_rows == 3


def test_rows_of_another_kind_leave_the_model_as_it_was(fitted):
    model = _copy(fitted)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="features"):
        model.extend(np.zeros((2, 3)))
    assert vars(model) == before
    frame = pd.DataFrame(_rows(14)[0], columns=["a", "b"])
    of_frame = MKLClassifier(KERNELS, weights="free", C=5.0).fit(frame, _rows(14)[1])
    warns_of_names = pytest.warns(UserWarning, match="feature names")
    with warns_of_names, pytest.raises(ValueError, match="of the same kind as in fit"):
        of_frame.extend(np.zeros((2, 2)))
    of_frame.extend(frame.iloc[:2] + 0.5)
    assert of_frame._transduction.n_unlabelled == 2
