"""Scores of predictions of test rows."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from kernlearn.typing import Rows

SMALLEST = 1e-6


def log_loss(y: Rows, classes: Rows, probabilities: Rows) -> float:
    """The mean negative logarithm of the true class's probability, of 1e-6 at least.

    >>> round(log_loss(np.array(["a", "b"]), np.array(["a", "b"]), np.full((2, 2), 0.5)), 4)
    0.6931
    """
    return float(-np.mean(np.log(np.maximum(_of_true_class(y, classes, probabilities), SMALLEST))))


def _of_true_class(y: Rows, classes: Rows, probabilities: Rows) -> Rows:
    """The probability of each row's class: 0 if the training rows have none of this class."""
    is_true = np.asarray(y)[:, None] == np.asarray(classes)[None, :]
    return np.where(is_true, np.asarray(probabilities, dtype=float), 0.0).sum(axis=1)


def area(y: Rows, classes: Rows, probabilities: Rows) -> float:
    """The area under the ROC curve; of several classes the mean of each against the others.

    >>> y, p = np.array(["a", "b", "b"]), np.array([0.9, 0.2, 0.4])
    >>> area(y, np.array(["a", "b"]), np.column_stack([p, 1 - p]))
    1.0
    """
    found = [
        roc_auc_score(y == label, np.asarray(probabilities, dtype=float)[:, j])
        for j, label in enumerate(classes)
        if 0 < np.sum(y == label) < len(y)
    ]
    return float(np.mean(found))


def class_scores(y: Rows, predicted: Rows, classes: Rows, probabilities: Rows) -> dict[str, float]:
    """Error in per cent, log loss and area under the ROC curve."""
    return {
        "error": 100.0 * float(np.mean(np.asarray(predicted) != y)),
        "log_loss": log_loss(y, classes, probabilities),
        "area": area(y, classes, probabilities),
    }


def number_scores(y: Rows, predicted: Rows) -> dict[str, float]:
    """The root mean squared error."""
    residuals = np.asarray(predicted, dtype=float).ravel() - y
    return {"error": float(np.sqrt(np.mean(residuals**2)))}
