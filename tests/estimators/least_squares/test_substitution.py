"""First-level estimators on sequences."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import kernlearn as kl
from kernlearn import FirstLevelClassifier, FirstLevelRegressor, LSSVMClassifier, LSSVMRegressor
from kernlearn.families.parametric import ParametricKernel, SubstitutionFamily
from kernlearn.kernels import Spectrum

RNG = np.random.default_rng(1)
X = ["".join(row) for row in RNG.choice(list("ACGT"), size=(60, 6))]
# A and G are alike, C and T are: only the kind of letter counts.
Y = np.array([sum(letter in "AG" for letter in row[:3]) >= 2 for row in X])


@pytest.fixture(scope="module")
def model():
    return FirstLevelClassifier(kernel="substitution", lam=0.1, mu=0.01).fit(X, Y)


def test_letters_that_mean_the_same_become_alike(model):
    S = model.substitution_matrix_
    assert list(S) == list("ACGT")
    alike, different = (S["A"]["G"] + S["C"]["T"]) / 2, (S["A"]["C"] + S["G"]["T"]) / 2
    assert alike > 0.2 * S["A"]["A"] > 0.0 > different
    assert model.score(X, Y) > 0.95
    assert 0.0 <= model.duality_gap_ < 1e-6
    assert model.lower_bound_ <= model.objective_


def test_unknown_letters_count_for_nothing(model):
    known = model.predict_proba(["ACGTAC"])
    assert not np.allclose(model.predict_proba(["NCGTAC"]), known)
    alone = model.decision_function(["NNNNNN"])
    np.testing.assert_allclose(alone, model.intercept_ + model.dual_coef_.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(["NNNNNN", "ACGTAC"])[:1], alone)


def test_a_model_file_keeps_it(model, tmp_path):
    kl.save(model, tmp_path / "model")
    again = kl.load(tmp_path / "model")
    assert again.substitution_matrix_ == model.substitution_matrix_
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(clone(again).fit(X, Y).theta_, model.theta_)


def test_lists_arrays_frames_and_pipelines_are_the_same(model):
    expected = model.decision_function(X)
    pandas = pytest.importorskip("pandas")
    upper = FunctionTransformer(lambda rows: [row.upper() for row in rows])
    lower = [row.lower() for row in X]
    for rows in (np.array(X), np.array(X, dtype=object)[:, None], pandas.DataFrame({"dna": X})):
        again = clone(model).fit(rows, Y).decision_function(rows)
        np.testing.assert_allclose(again, expected, rtol=1e-9, atol=1e-9)
    pipeline = make_pipeline(upper, clone(model)).fit(lower, Y)
    np.testing.assert_allclose(pipeline.decision_function(lower), expected, rtol=1e-9, atol=1e-9)


def test_scores_of_folds_and_groups(model):
    groups = np.arange(60) // 2
    scores = cross_val_score(model, X, Y, cv=GroupKFold(2), groups=groups)
    assert scores.mean() > 0.7
    chosen = FirstLevelClassifier("substitution", cv=2, tol=0.1).fit(X, Y, groups=groups)
    assert chosen.cv_loss_ < 0.5 * Y.var() * 4
    assert chosen.mu_ > 0.0


def test_numbers_are_learned_from_sequences_of_any_length():
    rows = [row[: 2 + i % 5] for i, row in enumerate(X)]
    share = np.array([np.mean([letter in "AG" for letter in row]) for row in rows])
    family = SubstitutionFamily(aligned=False, prior=None)
    model = FirstLevelRegressor(family, lam=1e-3, mu=1e-3).fit(rows, share)
    assert model.score(rows, share) > 0.99
    # One number of a sequence is to be known: the nuclear norm leaves a matrix of rank one.
    values = np.linalg.eigvalsh(model.kernel_.matrix)
    assert values[-2] < 1e-4 * values[-1]
    refused = r"one length, 1 at least, got lengths from 2 to 6 in X; align them, or set aligned"
    with pytest.raises(ValueError, match=refused):
        FirstLevelRegressor("substitution").fit(rows, share)


class SpectrumFamily(ParametricKernel):
    """A user's family on sequences."""

    takes_things = True

    def start(self, X):
        return np.ones(1)

    def kernel(self, theta):
        return float(theta[0]) * Spectrum(1)


def test_a_family_of_ones_own_reads_sequences():
    rows = X[:20]
    y = np.array([row.count("A") for row in rows], dtype=float)
    for model in (
        FirstLevelRegressor(SpectrumFamily(), 0.1, 0.1, max_iter=2),
        LSSVMRegressor(SpectrumFamily(), lam=0.1, max_iter=1, starts="one"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(rows, y)
        assert model.theta_ > 0.0
        assert model.score(rows, y) > 0.9


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LSSVMClassifier("substitution"), "positive parameters.*use FirstLevelClassifier"),
        (FirstLevelClassifier("substitution", "evidence", "evidence"), "'evidence' with Substi"),
        (FirstLevelClassifier("substitution", rank=20), "expected rank=None with kernel='substi"),
    ],
)
def test_what_there_is_not_is_refused(model, message, refused):
    assert re.search(message, refused(model, X, Y))


def test_other_kernels_have_no_substitution_matrix(problem):
    model = FirstLevelClassifier("substitution", lam=0.1, mu=0.1).fit(X, Y)
    assert hasattr(model, "lower_bound_")
    model.set_params(kernel="rbf").fit(problem.X, problem.y)
    assert not hasattr(model, "substitution_matrix_")
    assert not hasattr(model, "lower_bound_")
