"""Kernels on what a transformer makes of its input: fitted on training rows, once, and sparse."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, TargetEncoder

from kernlearn.gram import gram_stack
from kernlearn.kernels import (
    Centered,
    Columns,
    Features,
    Gaussian,
    Kernel,
    Linear,
    Normalized,
    Product,
    WeightedSum,
)
from kernlearn.kernels._sharing import sharing
from kernlearn.testing import check_kernel

TEXTS = [
    "a warm hat of wool",
    "the hat is too small",
    "warm and soft, will buy again",
    "too small and thin",
    "soft wool, warm",
    "",
]
FRAME = pd.DataFrame(
    {
        "review": TEXTS,
        "age": [30.0, 41.0, 25.0, 60.0, 33.0, 52.0],
        "height": [1.6, 1.7, 1.8, 1.5, 1.7, 1.6],
        "colour": ["red", "blue", "red", "green", "blue", "red"],
    }
)


class Counting(TransformerMixin, BaseEstimator):
    """Scales by the largest entry, and counts its fits and transforms over all copies."""

    calls = {"fit": 0, "transform": 0}  # noqa: RUF012

    def __init__(self, power=1.0):
        self.power = power

    def fit(self, X, y=None):
        self.calls["fit"] += 1
        self.size_ = np.abs(np.asarray(X)).max()
        return self

    def transform(self, X):
        self.calls["transform"] += 1
        return (np.asarray(X) / self.size_) ** self.power


@pytest.fixture
def calls():
    Counting.calls.update(fit=0, transform=0)
    return Counting.calls


def test_text_is_what_the_vectoriser_and_the_kernel_make_of_it_by_hand():
    kernel = Columns("review", Features(TfidfVectorizer(), Linear())).fitted_to(FRAME[:4])
    vectoriser = TfidfVectorizer().fit(TEXTS[:4])
    expected = vectoriser.transform(TEXTS) @ vectoriser.transform(TEXTS[:4]).T
    np.testing.assert_allclose(kernel(FRAME, FRAME[:4]), expected.toarray(), atol=1e-15)


def test_nothing_of_the_users_is_changed_and_new_rows_do_not_add_to_the_vocabulary():
    vectoriser = CountVectorizer()
    kernel = Features(vectoriser, Linear())
    fitted = kernel.fitted_to(TEXTS[:2])
    assert not hasattr(vectoriser, "vocabulary_")
    assert kernel.transformer is vectoriser
    assert fitted(["unheard words", "hat"]).tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("kernel", "X"),
    [
        (Features(TfidfVectorizer(), Linear()), TEXTS),
        (Features(TfidfVectorizer(), Gaussian(0.5)), np.array(TEXTS, dtype=object)),
        (Features(HashingVectorizer(n_features=64), Linear()), TEXTS),
        (Normalized(Centered(Features(CountVectorizer(), Linear()), TEXTS)), TEXTS),
        (Columns(["colour"], Features(OneHotEncoder(handle_unknown="ignore"), Linear())), FRAME),
        (
            Columns("review", Features(TfidfVectorizer(), Linear()))
            * Columns("age", Gaussian(1e-3))
            + 0.5 * Columns(3, Features(OneHotEncoder(), Linear())) ** 2,
            FRAME,
        ),
        (
            Columns(
                "review",
                Features(
                    make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)),
                    Features(PCA(1), Gaussian()),
                ),
            ),
            FRAME,
        ),
    ],
)
def test_laws(kernel, X):
    check_kernel(kernel, X)


def test_missing_numbers_are_the_transformers_business():
    frame = FRAME.assign(age=[30.0, np.nan, 25.0, 60.0, 33.0, 52.0])
    filled = frame.assign(age=frame["age"].fillna(frame["age"][:4].mean()))
    imputed = Columns("age", Features(SimpleImputer(), Gaussian(1e-3))).fitted_to(frame[:4])
    np.testing.assert_array_equal(imputed(frame), Columns("age", Gaussian(1e-3))(filled))


def test_clones_of_a_fitted_kernel_are_fitted_and_a_frozen_transformer_stays():
    fitted = Features(CountVectorizer(), Linear()).fitted_to(TEXTS)
    np.testing.assert_array_equal(clone(fitted)(TEXTS), fitted(TEXTS))
    frozen = FrozenEstimator(CountVectorizer().fit(TEXTS[:2]))
    assert Features(frozen, Linear()).fitted_to(TEXTS).transformer is frozen


def test_equal_transformers_of_the_same_columns_are_fitted_once(calls):
    numbers = FRAME[["age", "height"]]
    kernels = [
        Columns("age", Features(Counting(), Gaussian(0.1))),
        Columns(["age"], Features(Counting(), Gaussian(1.0))),
        Columns(0, Normalized(Features(Counting(), Linear()))),
    ]
    with sharing():
        fitted = [kernel.fitted_to(numbers) for kernel in kernels]
        assert calls == {"fit": 1, "transform": 1}
        gram_stack(fitted, numbers)
        assert calls == {"fit": 1, "transform": 1}
    WeightedSum(fitted, [1.0, 1.0, 1.0])(numbers, numbers[:3])
    assert calls == {"fit": 1, "transform": 3}


def test_other_columns_and_other_parameters_are_fitted_apart(calls):
    kernel = Product(
        [
            Columns("age", Features(Counting(), Linear())),
            Columns("height", Features(Counting(), Linear())),
            Columns("age", Features(Counting(2.0), Linear())),
        ]
    )
    expected = np.outer(FRAME["age"] / 60, FRAME["age"] / 60)
    expected = expected**3 * np.outer(FRAME["height"] / 1.8, FRAME["height"] / 1.8)
    np.testing.assert_allclose(kernel.fitted_to(FRAME)(FRAME), expected)
    assert calls["fit"] == 3


class Sees(Kernel):
    """Remembers whether what it is called with is sparse."""

    takes_sparse = True
    seen = []  # noqa: RUF012

    def _evaluate(self, X, Y):
        self.seen.append(issparse(X))
        return np.ones((X.shape[0], Y.shape[0]))

    def _diag(self, X):
        return np.ones(X.shape[0])


def test_sparse_output_stays_sparse():
    Features(TfidfVectorizer(), Sees()).fitted_to(TEXTS)(TEXTS)
    assert Sees.seen == [True]


@pytest.mark.parametrize(
    ("kernel", "X", "message"),
    [
        (Features(None, Linear()), TEXTS, r"must be given a transformer, got None; pass an object"),
        (Features(PCA, Linear()), TEXTS, r"must be given a transformer, got <class"),
        (Features(TfidfVectorizer(), "rbf"), TEXTS, r"must be built from kernel objects"),
        (Features(TfidfVectorizer(), Linear()), ["a hat", None], r"text in every row, got None in"),
        (Features(TfidfVectorizer(), Linear()), ["a", np.nan], r"got nan in row 1; drop such rows"),
        (
            Features(TfidfVectorizer(min_df=0.9), Linear()),
            TEXTS,
            r"could not fit .* 6 rows: .*prun",
        ),
        (Features(TfidfVectorizer(), Linear()), ["", "!"], r"could not fit.*empty vocabulary"),
        (Features(SelectKBest(k=1), Linear()), FRAME[["age"]], r"could not fit SelectKBest"),
        (Features(TargetEncoder(), Linear()), FRAME[["colour"]], r"without targets, got TargetEnc"),
        (Features(TfidfVectorizer(), Linear()), FRAME, r"one thing in each row, got a table of 4"),
        (Features(TfidfVectorizer(), Linear()), "text", r"one thing in each row, got str; put"),
        (Features(TfidfVectorizer(), Linear()), [], r"at least one row, got none"),
        (Columns("a", Features(TfidfVectorizer(), Linear())), TEXTS, r"need a table with columns"),
        (
            Features(FunctionTransformer(lambda X: X[:2]), Linear()),
            FRAME[["age"]].to_numpy(),
            r"as many rows as it was given, 6, got 2",
        ),
    ],
)
def test_what_cannot_be_fitted_says_why(kernel, X, message):
    with pytest.raises(ValueError, match=message):
        kernel.fitted_to(X)(X)


def test_a_kernel_that_is_not_fitted_says_so():
    with pytest.raises(ValueError, match=r"must be fitted before it is called.*fitted_to"):
        Features(TfidfVectorizer(), Linear())(TEXTS)


def test_a_sparse_output_that_the_kernel_does_not_take_is_refused_in_a_sentence():
    from kernlearn.kernels import Precomputed

    kernel = Features(OneHotEncoder(), Precomputed(np.eye(3)))
    with pytest.raises(ValueError, match=r"be a dense table, got a sparse matrix; convert"):
        kernel.fitted_to(FRAME[["colour"]])
