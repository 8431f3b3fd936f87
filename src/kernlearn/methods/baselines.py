"""What a model is held against: what one would try first elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.utils import compute_sample_weight

from kernlearn.methods.method import Method, Plan, Setting
from kernlearn.methods.tuned_svm import TUNED_SVM

__all__ = ["BASELINES", "BOOSTING", "GUESS", "LINEAR"]

CS = (0.01, 0.1, 1.0, 10.0, 100.0)
ALPHAS = np.logspace(-3, 4, 15)


def _linear(setting: Setting) -> Plan:
    if setting.task == "regression":
        return Plan([("estimator", RidgeCV(ALPHAS))])
    return Plan([("estimator", LogisticRegression(max_iter=1000))], {"estimator__C": list(CS)})


class _Boosting(HistGradientBoostingClassifier):  # type: ignore[misc]  # without types
    """With weights of classes by their labels, which scikit-learn 1.9 looks for among numbers."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _Boosting:
        weights: Any = self.get_params(deep=False)["class_weight"]
        self.class_weight = None
        try:
            if weights is not None:
                each = compute_sample_weight(weights, y)
                sample_weight = each if sample_weight is None else sample_weight * each
            super().fit(X, y, sample_weight)
        finally:
            self.class_weight = weights
        return self


def _boosting(setting: Setting) -> Plan:
    is_classes = setting.task == "classification"
    kind: Any = _Boosting if is_classes else HistGradientBoostingRegressor
    return Plan([("estimator", kind(random_state=setting.seed))])


def _guess(setting: Setting) -> Plan:
    if setting.task == "classification":
        return Plan([("estimator", DummyClassifier(strategy="prior"))])
    return Plan([("estimator", DummyRegressor())])


LINEAR = Method(
    "linear",
    "logistic or ridge regression",
    _linear,
    max_rows=1_000_000,
    tuning_rows=5000,
    titles={"classification": "logistic regression", "regression": "ridge regression"},
)
# Trees look at one column at a time: of very many, that takes longer than all else together.
BOOSTING = Method("boosting", "gradient boosting", _boosting, max_rows=1_000_000, max_columns=2000)
GUESS = Method(
    "guess",
    "the simplest guess",
    _guess,
    max_rows=10**9,
    titles={
        "classification": "always the most frequent class",
        "regression": "always the mean",
    },
    prepares=True,
)
BASELINES = (LINEAR, TUNED_SVM, BOOSTING)
