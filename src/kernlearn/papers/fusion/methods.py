"""Methods for several sources: kernels combined, the best source taken, or columns concatenated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from kernlearn import KernelClassifier, MKLClassifier, MKLOptions
from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.kernels import (
    Columns,
    Features,
    Kernel,
    Linear,
    Normalized,
    Overlap,
    Spectrum,
)
from kernlearn.papers.defaults.methods import CS, GAMMAS
from kernlearn.papers.fusion.data import Kind, SourceSet, columns_of
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.method_comparison import MethodColumn, by_name
from kernlearn.typing import Rows

LENGTHS = (1, 2, 3)


def kernels_by_source(data: SourceSet, X: Rows, y: Rows) -> dict[str, list[Kernel]]:
    """For every source a few kernels, each with a unit diagonal.

    Numbers: standardised columns, the bank that an estimator without kernels gives to a view.
    Words and text: TF-IDF, the inner product. Categories: agreement, rare ones counting more.
    Sequences: common runs of one, two and three letters. `y` chooses the bank of a view.
    """
    return {
        name: [
            Normalized(Columns(source.place, kernel, name))
            for kernel in _KERNELS[source.kind](columns_of(X, source), y)
        ]
        for name, source in data.sources.items()
    }


def _default_bank(cells: Rows, y: Rows) -> list[Kernel]:
    numbers = np.asarray(cells, dtype=float)
    there = ~np.isnan(numbers).all(axis=1)
    table, labels = StandardScaler().fit_transform(numbers[there]), y[there]
    targets = [np.where(labels == label, 1.0, -1.0) for label in np.unique(y)]
    bank, _ = choose_bank(table, targets, np.ones(len(labels)), 0)
    return [Features(StandardScaler(), kernel) for kernel in bank]


_KERNELS: dict[Kind, Callable[[Rows, Rows], list[Kernel]]] = {
    "numbers": _default_bank,
    "words": lambda cells, y: [Features(TfidfTransformer(), Linear())],
    "text": lambda cells, y: [Features(TfidfVectorizer(), Linear())],
    "categories": lambda cells, y: [Overlap()],
    "sequences": lambda cells, y: [Spectrum(length) for length in LENGTHS],
}


# A source of a kind as `KernelClassifier` takes it.
_SOURCES: dict[Kind, Callable[[Rows], Rows]] = {
    "numbers": lambda cells: np.asarray(cells, dtype=float),
    "words": csr_array,
    "text": lambda cells: list(np.asarray(cells, dtype=object)[:, 0]),
    "categories": lambda cells: cells,
    "sequences": lambda cells: list(np.asarray(cells, dtype=object)[:, 0]),
}


class SourcesAsTheyAre:
    """`KernelClassifier()`, which finds out by itself what every source holds."""

    def __init__(self, data: SourceSet) -> None:
        self.data, self.model = data, KernelClassifier()

    def fit(self, X: Rows, y: Rows) -> SourcesAsTheyAre:
        """Learn from a dictionary of sources."""
        self.model.fit(self._sources(X), y)
        return self

    def predict(self, X: Rows) -> Rows:
        """Predict rows with all sources."""
        return self.model.predict(self._sources(X))

    def _sources(self, X: Rows) -> dict[str, Rows]:
        return {
            name: _SOURCES[source.kind](columns_of(X, source))
            for name, source in self.data.sources.items()
        }


FOLDS = 3
LOGISTIC_CS = [float(C) for C in np.logspace(-3, 2, 6)]
# Default of HistGradientBoosting.
FEWEST_IN_LEAF = 20


class AllSources:
    """Kernels of every source; `equal_share` of the weight is equal and the rest is learned."""

    def __init__(self, data: SourceSet, equal_share: float | str) -> None:
        self.data, self.equal_share = data, equal_share

    def fit(self, X: Rows, y: Rows) -> AllSources:
        """Learn the weights of the kernels of all sources."""
        banks = kernels_by_source(self.data, X, y).values()
        self.model = _machine(self.data, [k for bank in banks for k in bank], self.equal_share)
        self.model.fit(X, y)
        return self

    def predict(self, X: Rows) -> Rows:
        """Predict rows with all sources."""
        return self.model.predict(X)


class _BestSource(AllSources):
    """The source with the smallest loss on rows held out from the training rows.

    That is the loss by which ``C="auto"`` chooses, at its choice.
    """

    def fit(self, X: Rows, y: Rows) -> _BestSource:
        banks = kernels_by_source(self.data, X, y).values()
        models = [_machine(self.data, bank, self.equal_share).fit(X, y) for bank in banks]
        losses = [model.loss_by_C_[:, 1].min() for model in models]
        self.model = models[int(np.argmin(losses))]
        return self


def _machine(data: SourceSet, kernels: list[Kernel], equal_share: float | str) -> MKLClassifier:
    missing = "mean" if data.has_gaps else None
    options = MKLOptions(equal_share=equal_share)
    return MKLClassifier(kernels, C="auto", missing=missing, options=options)


def _texts(cells: Rows) -> list[str]:
    """One column of text as a list, empty where missing."""
    return [cell if isinstance(cell, str) else "" for cell in np.asarray(cells, dtype=object).flat]


def _vectorized(**options: Any) -> Estimator:
    return make_pipeline(FunctionTransformer(_texts), TfidfVectorizer(**options))


_COLUMNS: dict[Kind, Callable[[], Estimator]] = {
    "numbers": lambda: make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
    "words": TfidfTransformer,
    "text": _vectorized,
    "categories": lambda: OneHotEncoder(handle_unknown="ignore"),
    "sequences": lambda: _vectorized(
        analyzer="char", lowercase=False, ngram_range=(LENGTHS[0], LENGTHS[-1])
    ),
}


class SplittableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Leave out columns that no tree can split, so that the others fit into memory and time.

    A column that is zero but in fewer rows than a leaf must have cannot be cut into two leaves.
    """

    def fit(self, X: Rows, y: Rows = None) -> SplittableColumns:
        """Find the columns that a tree can split."""
        others = np.asarray((X != 0).sum(axis=0)).ravel()
        self.kept_ = np.flatnonzero(others >= FEWEST_IN_LEAF)
        return self

    def transform(self, X: Rows) -> Rows:
        """Keep these columns."""
        kept = X[:, self.kept_]
        return kept if isinstance(kept, np.ndarray) else kept.toarray()


def _beside(*steps: Callable[[], Estimator]) -> Callable[[SourceSet, Rows, Rows], Estimator]:
    """All sources prepared by their kind, side by side, before the steps."""

    def make(data: SourceSet, X: Rows, y: Rows) -> Estimator:
        columns = [(_COLUMNS[source.kind](), source.place) for source in data.sources.values()]
        return make_pipeline(make_column_transformer(*columns), *(step() for step in steps))

    return make


def _tuned_svm() -> Estimator:
    grid = [{"gamma": [gamma], "C": CS} for gamma in GAMMAS]
    return GridSearchCV(SVC(), grid, cv=StratifiedKFold(FOLDS))


def _boosting() -> Estimator:
    return HistGradientBoostingClassifier(random_state=0)


def _logistic() -> Estimator:
    return GridSearchCV(LogisticRegression(max_iter=300), {"C": LOGISTIC_CS}, cv=FOLDS)


LEARNED = "learned weights"
METHODS = by_name(
    MethodColumn("Kernel", lambda data, X, y: SourcesAsTheyAre(data)),
    MethodColumn(LEARNED, lambda data, X, y: AllSources(data, "auto")),
    MethodColumn("equal weights", lambda data, X, y: AllSources(data, 1.0)),
    MethodColumn("best source", lambda data, X, y: _BestSource(data, 0.0)),
    MethodColumn("tuned SVM", _beside(_tuned_svm)),
    MethodColumn("boosting", _beside(SplittableColumns, _boosting)),
    MethodColumn("logistic", _beside(_logistic)),
)
