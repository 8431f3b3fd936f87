"""Estimators on rows that are not numbers: text, sparse matrices, data frames of both."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix, random_array
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import kernlearn as kl
from kernlearn.kernels import (
    ARDGaussian,
    Bag,
    Columns,
    Diffusion,
    Features,
    Gaussian,
    GlobalAlignment,
    Laplacian,
    Linear,
    Matern,
    Mismatch,
    Normalized,
    Polynomial,
    RegularizedLaplacian,
    ShortestPath,
    Spectrum,
    WeisfeilerLehman,
)

RNG = np.random.default_rng(0)
GOOD = ["warm", "soft", "lovely", "fits", "perfect"]
BAD = ["small", "thin", "broken", "returned", "poor"]
FILLER = ["the", "hat", "is", "it", "and", "very", "colour", "wool"]


def reviews(n=60):
    """Texts whose words tell the label, most of the time; ages and colours that say a little."""
    y = RNG.integers(0, 2, n)
    texts = []
    for label in y:
        words = RNG.choice(FILLER, 5).tolist() + RNG.choice(GOOD if label else BAD, 2).tolist()
        texts.append(" ".join(RNG.permutation(words).tolist()))
    colours = np.where(RNG.random(n) < 0.7, np.where(y == 1, "red", "blue"), "green")
    frame = pd.DataFrame(
        {"review": texts, "age": 40 + 5 * y + RNG.normal(0, 5, n), "colour": colours}
    )
    return frame, np.where(y == 1, "yes", "no")


FRAME, Y = reviews()
KERNELS = [
    Columns("review", Features(TfidfVectorizer(), Linear())),
    Columns("age", Features(StandardScaler(), Gaussian(0.5))),
    Columns("colour", Features(OneHotEncoder(handle_unknown="ignore"), Linear())),
]


def test_a_data_frame_of_text_numbers_and_categories_is_learned_from():
    train, test, y_train, y_test = train_test_split(FRAME, Y, random_state=0)
    before = FRAME.copy(deep=True)
    model = kl.MKLClassifier(KERNELS).fit(train, y_train)
    assert model.score(test, y_test) > 0.9
    assert FRAME.equals(before)
    assert not hasattr(KERNELS[0].kernel.transformer, "vocabulary_")
    words = model.kernels_[0].kernel.transformer.estimator.vocabulary_
    assert set(words) == {word for text in train["review"] for word in text.split()}


class Spy(CountVectorizer):
    """Remembers, over all copies, what it was fitted to."""

    seen = []  # noqa: RUF012

    def fit_transform(self, raw_documents, y=None):
        self.seen.append(list(raw_documents))
        return super().fit_transform(raw_documents, y)


def test_a_fold_never_sees_the_words_of_the_others():
    texts = np.array(["aa bb", "aa cc", "dd bb", "dd cc", "ee bb", "ff cc"], dtype=object)
    y = [0, 0, 1, 1, 0, 1]
    Spy.seen.clear()
    model = kl.MKLClassifier([Features(Spy(), Linear()), Features(Spy(), Gaussian())])
    folds = [([0, 1, 2, 3], [4, 5]), ([2, 3, 4, 5], [0, 1])]
    cross_val_score(model, list(texts), y, cv=folds)
    assert Spy.seen == [texts[train].tolist() for train, _ in folds]  # one fit a fold, two kernels


def test_lists_of_strings_split_search_clone_and_pickle(tmp_path):
    texts = FRAME["review"].tolist()
    kernels = [Features(TfidfVectorizer(), Linear()), Features(TfidfVectorizer(), Gaussian(0.5))]
    model = kl.MKLClassifier(kernels)
    grid = {"kernels__0__transformer__min_df": [1, 2]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(texts, Y)
    assert search.best_score_ > 0.85
    fitted = search.best_estimator_
    values = fitted.decision_function(texts)
    kl.save(fitted, tmp_path / "model")
    for copied in (pickle.loads(pickle.dumps(fitted)), kl.load(tmp_path / "model")):
        np.testing.assert_array_equal(copied.decision_function(texts), values)
    for rows in (texts, np.array(texts), pd.Series(texts), np.array(texts, object)):
        again = clone(fitted).fit(rows, Y)
        np.testing.assert_array_equal(again.decision_function(rows), values)
        assert len(cross_val_score(model, rows, Y, cv=2, error_score="raise")) == 2


@pytest.mark.parametrize(
    "model",
    [
        kl.MKLClassifier(KERNELS),
        kl.LSSVMClassifier(KERNELS[0] + KERNELS[1] + KERNELS[2]),
    ],
)
def test_models_of_data_frames_are_saved_and_loaded(model, tmp_path):
    fitted = clone(model).fit(FRAME, Y)
    kl.save(fitted, tmp_path / "model")
    again = kl.load(tmp_path / "model")
    rows = FRAME.copy()  # a table that is the one learned from is seen as a symmetric matrix
    np.testing.assert_array_equal(again.decision_function(rows), fitted.decision_function(rows))


def test_regression_and_novelty_on_text():
    texts, target = FRAME["review"].tolist(), FRAME["age"].to_numpy()
    kernel = Features(TfidfVectorizer(), Linear())
    for model in (kl.MKLRegressor(kernel, C=10.0), kl.LSSVMRegressor(kernel)):
        assert model.fit(texts, target).score(texts, target) > 0.3
    novelty = kl.MKLNoveltyDetector(kernel).fit(texts)
    assert set(novelty.predict(["quite other words", texts[0]])) == {-1, 1}


def test_unlabelled_text_takes_part():
    texts = FRAME["review"].tolist()
    kernel = Features(TfidfVectorizer(), Linear())
    model = kl.MKLClassifier(kernel).fit(texts[:40], Y[:40], X_unlabeled=texts[40:])
    assert (model.transduction_ == Y[40:]).mean() > 0.85


SPARSE = random_array((40, 30), density=0.2, random_state=1, format="csr") * 3.0
SPARSE_Y = (SPARSE.toarray()[:, :15].sum(axis=1) > SPARSE.toarray()[:, 15:].sum(axis=1)).astype(int)
ON_SPARSE = [
    Linear(),
    Polynomial(3),
    Gaussian(0.2),
    ARDGaussian(np.linspace(0.0, 1.0, 30)),
    Laplacian(0.1),
    Matern(2.0, nu=0.5),
    Matern(3.0, nu=2.5),
    Normalized(Polynomial(2)),
    Linear() + 0.5 * Columns(slice(0, 20), Gaussian()),
]


class NeverDense(csr_array):
    """A sparse matrix that cannot be made dense; its products with others can."""

    def toarray(self, *args, **kwargs):
        assert 30 not in self.shape, "the data were made dense"
        return super().toarray(*args, **kwargs)

    todense = toarray


@pytest.mark.parametrize("kernel", ON_SPARSE)
def test_kernels_of_sparse_rows_are_those_of_dense_rows_and_never_make_them_dense(kernel):
    dense = SPARSE.toarray()
    for X in (csr_matrix(SPARSE), csr_array(SPARSE), csr_array(SPARSE).tocoo()):
        np.testing.assert_allclose(kernel(X), kernel(dense), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(kernel(X, X.tocsr()[:5]), kernel(dense, dense[:5]), rtol=1e-9)
        np.testing.assert_allclose(kernel.diag(X), kernel.diag(dense), rtol=1e-12)
        np.testing.assert_allclose(kernel(X, dense[:4]), kernel(dense, dense[:4]), rtol=1e-9)
        np.testing.assert_allclose(kernel(dense[:4], X), kernel(dense[:4], dense), rtol=1e-9)
    X = NeverDense(SPARSE)
    np.testing.assert_allclose(kernel(X), kernel(SPARSE))
    kernel.diag(X)


def test_near_duplicates_among_sparse_rows_lose_no_digits():
    dense = np.zeros((3, 2000))
    dense[:, :500] = 1e4
    dense[1, 3] += 1e-3
    dense[2, 7] += 0.5
    for kernel in (Gaussian(2.0), Matern(1.0, nu=0.5)):
        np.testing.assert_allclose(kernel(csr_array(dense)), kernel(dense), rtol=1e-8)


def test_sparse_rows_through_estimators_searches_and_files(tmp_path):
    kernels = [Linear(), Gaussian(0.1), Laplacian(0.05)]
    for model in (kl.MKLClassifier(kernels), kl.LSSVMClassifier(Linear() + Gaussian(0.1))):
        by_sparse = clone(model).fit(SPARSE, SPARSE_Y)
        by_dense = clone(model).fit(SPARSE.toarray(), SPARSE_Y)
        values = by_sparse.decision_function(SPARSE)
        np.testing.assert_allclose(values, by_dense.decision_function(SPARSE.toarray()), atol=1e-5)
        kl.save(by_sparse, tmp_path / "model")
        np.testing.assert_array_equal(kl.load(tmp_path / "model").decision_function(SPARSE), values)
        assert len(cross_val_score(model, SPARSE, SPARSE_Y, cv=2, error_score="raise")) == 2
    pipeline = make_pipeline(TfidfVectorizer(), kl.MKLClassifier([Linear(), Gaussian()]))
    assert cross_val_score(pipeline, FRAME["review"], Y, cv=3).mean() > 0.85


@pytest.mark.parametrize(
    "model",
    [
        kl.MKLClassifier(),
        kl.MKLClassifier([Linear(), Features(OneHotEncoder(), Linear())]),
        kl.LSSVMClassifier(),
        kl.FirstLevelClassifier(),
        kl.HyperkernelClassifier(),
    ],
)
def test_others_say_that_they_need_dense_rows(model):
    with pytest.raises((TypeError, ValueError), match=r"(?i)dense"):
        model.fit(SPARSE, SPARSE_Y)


@pytest.mark.parametrize(
    ("model", "X", "message"),
    [
        (kl.MKLClassifier(KERNELS), FRAME["review"].tolist(), r"need a table with columns"),
        (kl.MKLClassifier(KERNELS), FRAME.assign(review=None), r"text in every row, got None"),
        (
            kl.MKLClassifier([Linear()]),
            FRAME["review"].tolist(),
            r"(?i)expected 2D|convert|numeric",
        ),
        (kl.LSSVMClassifier(KERNELS[0]), FRAME[["age"]], r"got \['review'\], which it does not"),
    ],
)
def test_rows_of_the_wrong_kind_say_so(model, X, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_new_rows_of_another_kind_say_so():
    model = kl.MKLClassifier(KERNELS).fit(FRAME, Y)
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ValueError, match="expecting 3 features"),
    ):
        model.predict(FRAME["review"].tolist())
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME.rename(columns={"age": "years"}))


def _sequences(label, rng):
    motif = "GATTACA" if label else "CCGCGGT"
    start = rng.integers(0, 20)
    text = "".join(rng.choice(list("ACGT"), 30))
    return text[:start] + motif + text[start + 7 :]


def _graphs(label, rng):
    ring = [(i, (i + 1) % 6) for i in range(6)] if label else [(i, i + 1) for i in range(5)]
    return {"edges": ring, "labels": rng.choice(["C", "N"], 6, p=[0.8, 0.2]).tolist()}


def _bags(label, rng):
    return rng.normal(0.8 * label, 1.0, size=(rng.integers(4, 12), 2))


def _series(label, rng):
    return np.sin(np.arange(rng.integers(12, 20)) * (0.5 + 0.5 * label)) + rng.normal(0, 0.3)


KINDS = {
    "sequences": (_sequences, [Spectrum(3), Mismatch(4, 1)], {"kernels__0__k": [2, 4]}),
    "graphs": (_graphs, [WeisfeilerLehman(2), ShortestPath()], {"kernels__0__iterations": [0, 2]}),
    "bags": (_bags, [Bag(Linear()), Bag(Gaussian(0.5))], {"kernels__1__norm": ["mean", "unit"]}),
    "series": (_series, [GlobalAlignment(2.0)], {"kernels__0__sigma": [1.0, 4.0]}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_things_are_split_searched_cloned_and_saved(kind, tmp_path):
    make, kernels, grid = KINDS[kind]
    rng = np.random.default_rng(7)
    y = np.arange(20) % 2
    X = [make(label, rng) for label in y]
    model = kl.MKLClassifier(kernels, C=10.0, normalize=True)
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.7
    frame = pd.DataFrame({"thing": pd.Series(X, dtype=object), "noise": rng.normal(size=20)})
    columns = [*(Columns("thing", k) for k in kernels), Columns("noise", Gaussian())]
    in_frame = kl.MKLClassifier(columns, C=10.0, normalize=True)
    assert cross_val_score(in_frame, frame, y, cv=2, error_score="raise").mean() > 0.6
    for fitted, rows in ((search.best_estimator_, X), (in_frame.fit(frame, y), frame)):
        kl.save(fitted, tmp_path / "model")
        values = fitted.decision_function(rows)
        np.testing.assert_array_equal(kl.load(tmp_path / "model").decision_function(rows), values)
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(fitted)).decision_function(rows), values
        )


def test_nodes_of_a_graph_are_predicted_from_their_neighbours():
    edges = [(a, b) for block in (range(8), range(8, 16)) for a in block for b in block if a < b]
    edges.append((0, 15))
    y = np.repeat([0, 1], 8)
    model = kl.MKLClassifier([Diffusion(edges, 0.3), RegularizedLaplacian(edges)], C=10.0)
    for nodes in (np.arange(16), np.arange(16)[:, None], list(range(16))):
        fitted = clone(model).fit(nodes[::2], y[::2])
        assert fitted.score(nodes, y) == 1.0
    assert fitted.kernels_[0].graph is edges


def test_graphs_of_networkx_are_saved_as_they_are(tmp_path):
    networkx = pytest.importorskip("networkx")
    graphs = [networkx.cycle_graph(n) for n in (3, 4, 5, 6)] + [networkx.star_graph(4)]
    model = kl.LSSVMRegressor(WeisfeilerLehman(2), selection=None, lam=1.0)
    model.fit(graphs, [3.0, 4.0, 5.0, 6.0, 1.0])
    kl.save(model, tmp_path / "model")
    read = kl.load(tmp_path / "model")
    assert networkx.utils.graphs_equal(read.support_vectors_[4], graphs[4])
    np.testing.assert_array_equal(read.predict(graphs), model.predict(graphs))
