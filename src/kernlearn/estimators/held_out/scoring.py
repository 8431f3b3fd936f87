"""The score of held-out predictions in a metric of scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.utils.metaestimators import available_if

from kernlearn.typing import Array, Indices, Targets

Scoring = str | Callable[..., float] | None
"""A ``scoring`` parameter of scikit-learn for one metric."""


@dataclass(eq=False)
class HeldOutNumbers(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """Predictor that returns the held-out prediction of each row."""

    predicted: Array

    def predict(self, rows: Targets) -> Array:
        """The predictions for rows, given by number."""
        return np.asarray(self.predicted[rows])

    def __sklearn_is_fitted__(self) -> bool:
        return True


@dataclass(eq=False)
class HeldOutLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # without types
    """Classifier that returns held-out labels, decision values and probabilities of rows."""

    classes_: Targets
    labels: Targets
    values: Array | None
    probabilities: Array | None

    def predict(self, rows: Targets) -> Targets:
        """The labels of rows, given by number."""
        return np.asarray(self.labels[rows])

    @available_if(lambda self: self.values is not None)  # type: ignore[untyped-decorator]
    def decision_function(self, rows: Targets) -> Array:
        """The decision values of rows, given by number."""
        values = np.asarray(self.values)[rows]
        return values[:, 0] if values.shape[1:] == (1,) else values

    @available_if(lambda self: self.probabilities is not None)  # type: ignore[untyped-decorator]
    def predict_proba(self, rows: Targets) -> Array:
        """The probabilities of rows, given by number."""
        return np.asarray(self.probabilities)[rows]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def held_out_score(
    scoring: Scoring, held_out: BaseEstimator, truth: Targets, rows: Indices | None = None
) -> float:
    """The score of all rows, or of some, by a metric of scikit-learn's, larger being better.

    `held_out` takes the numbers of rows, as :class:`HeldOutLabels` does.
    """
    score = check_scoring(scoring)
    rows = np.arange(len(truth)) if rows is None else rows
    try:
        found = score(held_out, rows, truth[rows])
    except ValueError as error:
        is_classes = isinstance(held_out, HeldOutLabels)
        fitting = "classes, such as 'roc_auc'" if is_classes else "numbers, such as 'r2'"
        raise ValueError(
            f"expected scoring to judge these held-out predictions, got {scoring!r}, which says: "
            f"{error}; choose a metric of {fitting}"
        ) from error
    if not isinstance(found, int | float | np.number):
        raise ValueError(
            f"expected scoring to give one number, got {type(found).__name__}; pass the name of "
            "one metric"
        )
    return float(found)


def check_scoring(scoring: Scoring) -> Callable[..., object]:
    """The scorer, checked before anything is learned."""
    is_named = isinstance(scoring, str)
    if not (is_named or callable(scoring)):
        raise ValueError(
            "expected scoring to be None, the name of a metric of scikit-learn's or a scorer, got "
            f"{scoring!r}; try scoring='roc_auc', or leave it out"
        )
    try:
        scorer: Callable[..., object] = get_scorer(scoring)
    except ValueError:
        raise ValueError(
            f"expected scoring to be the name of a metric of scikit-learn's, got {scoring!r}; "
            "sklearn.metrics.get_scorer_names() lists them"
        ) from None
    return scorer
