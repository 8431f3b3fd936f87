"""Relevance of columns: the fall of a fitted model's score when they are shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernlearn._checks import check_count
from kernlearn.estimators.held_out.correlated_columns import correlated_columns
from kernlearn.estimators.held_out.relevance import ShuffledScores, shuffled_cells
from kernlearn.estimators.held_out.scoring import Scoring, check_scoring
from kernlearn.estimators.inputs.cells import is_category, numbers, texts
from kernlearn.estimators.inputs.source_checks import are_sources
from kernlearn.inspection._learned import last_step
from kernlearn.inspection.dependence import column_names
from kernlearn.kernels._validation import as_pandas_frame, check_table, is_frame
from kernlearn.metrics import harrell_concordance
from kernlearn.numerics.rounding import ranks
from kernlearn.survival.outcome import survival_outcome
from kernlearn.typing import Indices, RandomState, Rows, Targets


def relevance(
    estimator: BaseEstimator,
    X: Rows,
    y: Rows,
    *,
    groups: Rows = None,
    scoring: Scoring = None,
    n_repeats: int = 5,
    random_state: RandomState = 0,
) -> dict[str, Targets]:
    r"""Measure how much a fitted model loses when the cells of a column are shuffled.

    .. math:: I_j = s(f; X, y) - \frac{1}{R} \sum_r s(f; X^{\pi_r}_j, y)

    where s is the score, and :math:`X^{\pi}_j` are the rows with the cells of column j in another
    order. Two correlated columns can replace each other, and each alone seems to matter
    little. Columns with a mean correlation of 0.8 or more are therefore shuffled together, too.

    Parameters
    ----------
    estimator : estimator with ``predict``
        Fitted: any estimator of kernlearn that predicts, any of scikit-learn, or a Pipeline.
    X : array-like, sparse matrix, data frame or dict of sources
        Rows that the model has not seen. The sources of a dict are shuffled whole.
    y : array-like of shape (n,) or (n, n_targets)
        Labels or targets of the rows; for a survival model events and times, as in its ``score``.
    groups : array-like of shape (n,), optional
        Labels of the rows that belong together, patients for example. Groups, not rows, then count
        as independent in the standard error.
    scoring : str, callable or None, default=None
        The score: a name such as "roc_auc" or "neg_log_loss", or a scorer of scikit-learn's. None:
        accuracy of labels, R² of numbers, Harrell's concordance of risks.
    n_repeats : int, default=5
        Number of times that each column is shuffled.
    random_state : int, RandomState or None, default=0
        Seed of the shuffles.

    Returns
    -------
    dict of ndarray
        The columns "column", "relevance" (the fall of the score) and "standard_error" (over rows or
        groups, and over shuffles). Every column of X has an entry in the order of X; sets of
        correlated columns follow, named "a + b". ``pandas.DataFrame`` takes it.

    See Also
    --------
    RelevanceDisplay : A picture of it.
    kernlearn.KernelClassifier : Its ``relevance_`` is the same, on rows held out in ``fit``.

    Notes
    -----
    A value below zero is chance. Nothing is fitted again: it is what this model uses, not what
    could be learned without the column. The standard error of a score that is no mean over rows,
    ROC AUC for example, comes from a jackknife over ten parts of the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernlearn import MKLClassifier
    >>> from kernlearn.inspection import relevance
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = MKLClassifier().fit(X[::2], y[::2])
    >>> found = relevance(model, X[1::2], y[1::2])
    >>> found["column"][-1]
    'sepal length (cm) + petal length (cm) + petal width (cm)'
    >>> bool(found["relevance"][-1] > found["relevance"][0])
    True
    """
    check_is_fitted(estimator)
    if not hasattr(estimator, "predict"):
        raise ValueError(
            f"expected an estimator that predicts labels or numbers, got {type(estimator).__name__}"
            " without predict; pass for example a fitted MKLClassifier"
        )
    n_repeats = check_count("n_repeats", n_repeats, usual=5)
    if scoring is not None:
        check_scoring(scoring)
    if hasattr(last_step(estimator), "predict_survival_function"):
        y, scoring = survival_outcome(y).structured, scoring or _concordance
    table = _Shuffled.of(X)
    truth = _of_all_rows("y", y, table.n_rows)
    codes = None
    if groups is not None:
        codes = np.unique(_of_all_rows("groups", groups, table.n_rows), return_inverse=True)[1]
    random = check_random_state(random_state)
    orders = [random.permutation(table.n_rows) for _ in range(n_repeats)]
    sets = table.sets()
    names = [*table.names, *(" + ".join(table.names[j] for j in each) for each in sets)]
    places = [*([j] for j in range(len(table.names))), *sets]
    after = (
        [_Remembered(estimator, table.shuffled(each, order)) for order in orders] for each in places
    )
    scores = ShuffledScores(truth, scoring, codes)
    return scores.relevance(names, _Remembered(estimator, table.X), after)


@dataclass(frozen=True, eq=False)
class _Shuffled:
    """A table, or a dictionary of sources, whose columns can be put into another order."""

    X: Rows
    names: list[str]
    n_rows: int

    @classmethod
    def of(cls, X: Rows) -> _Shuffled:
        if are_sources(X):
            sources = {name: as_pandas_frame(X[name]) for name in X}
            sizes = {_n_rows(source) for source in sources.values()}
            if len(sizes) != 1:
                raise ValueError(
                    f"expected sources with one number of rows, got {sorted(sizes)}; pass the same "
                    "rows for all"
                )
            return cls(sources, [str(name) for name in sources], sizes.pop())
        table = check_table(X, "X", sparse=True)
        return cls(table, column_names(table), table.shape[0])

    def sets(self) -> list[list[int]]:
        """Correlated columns of a table that is dense."""
        if isinstance(self.X, dict) or issparse(self.X):
            return []
        return correlated_columns([_cells(self.X, j) for j in range(self.X.shape[1])])

    def shuffled(self, places: Sequence[int], order: Indices) -> Rows:
        """A copy with some columns, or sources, in another order."""
        if isinstance(self.X, dict):
            names = [list(self.X)[j] for j in places]
            return {**self.X, **{name: _reordered(self.X[name], order) for name in names}}
        if not is_frame(self.X):
            return shuffled_cells(self.X, order, np.isin(range(self.X.shape[1]), places))
        copy: Rows = self.X
        copy = copy.copy()
        for j in places:
            copy.isetitem(j, self.X.iloc[:, j].array.take(order))
        return copy


def _n_rows(source: Rows) -> int:
    return source.shape[0] if hasattr(source, "shape") else len(source)


def _reordered(source: Rows, order: Indices) -> Rows:
    if hasattr(source, "iloc"):  # a data frame or a series
        return source.iloc[order].set_axis(source.index)
    return [source[i] for i in order] if isinstance(source, list | tuple) else source[order]


def _cells(table: Rows, j: int) -> NDArray[Any]:
    """A column as numbers, or as text."""
    if not is_frame(table):
        cells = np.asarray(table[:, j])
        return cells if cells.dtype.kind in "biuf" else cells.astype(str)
    column = table.iloc[:, j]
    return texts(column) if is_category(column) else numbers(column, str(column.name))


def _concordance(model: BaseEstimator, rows: Rows, y: Rows) -> float:
    return harrell_concordance(y, ranks(model.predict(rows)))


def _of_all_rows(name: str, values: Rows, n_rows: int) -> Targets:
    found = np.asarray(values)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim == 0 or len(found) != n_rows:
        raise ValueError(
            f"expected {name} of {n_rows} rows, as X has, got shape {found.shape}; pass one entry "
            "for each row"
        )
    return found


class _Remembered(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predicts rows by their numbers; the model predicts the whole table once."""

    def __init__(self, estimator: BaseEstimator, X: Rows) -> None:
        self.estimator = estimator
        self.X = X
        self._known: dict[str, Targets] = {}

    def predict(self, rows: Indices) -> Targets:
        """Labels or numbers."""
        return self._table_predictions("predict")[rows]

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, rows: Indices) -> Targets:
        """Decision values."""
        return self._table_predictions("decision_function")[rows]

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, rows: Indices) -> Targets:
        """Probabilities."""
        return self._table_predictions("predict_proba")[rows]

    @property
    def classes_(self) -> Targets:
        """Labels of the classes."""
        return np.asarray(self.estimator.classes_)

    def _table_predictions(self, method: str) -> Targets:
        if method not in self._known:
            self._known[method] = np.asarray(getattr(self.estimator, method)(self.X))
        return self._known[method]

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)

    def __sklearn_is_fitted__(self) -> bool:
        return True
