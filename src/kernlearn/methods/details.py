"""Details of held-out predictions beyond the score, as JSON values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.metrics import precision_recall_curve, roc_curve

from kernlearn.methods.held_out import COVERAGE, HeldOutPredictions
from kernlearn.methods.metrics import KAPPA, Metric
from kernlearn.methods.outcomes import OUTCOME_METRICS, outcome_task
from kernlearn.methods.reliability import reliability
from kernlearn.methods.scores import usual_score
from kernlearn.methods.survival import SURVIVAL_METRICS
from kernlearn.typing import Array, Json

# Larger tables and pictures cannot be read.
MOST_CLASSES = 20
MOST_CURVES = 10
MOST_POINTS = 100
MOST_ROWS = 300


def metric_values(
    held_out: HeldOutPredictions, n_train: int, ranks: tuple[int, ...] = ()
) -> list[Json]:
    """The usual metrics of the targets, without those that the model cannot have.

    Each metric has a 95 % interval, whose ends may be None; `n_train` is the number of rows that
    one split learns from. `ranks` are those of the classes, given only for grades.
    """
    task = outcome_task(held_out.y)
    if task is not None:
        names = [*OUTCOME_METRICS[task]]
    elif held_out.survival is not None:
        names = [*SURVIVAL_METRICS]
    elif held_out.n_classes == 0:
        names = ["r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
    else:
        names = ["accuracy", "balanced_accuracy", "roc_auc" + "_ovr" * (held_out.n_classes > 2)]
        names.append("neg_log_loss")
        names += [KAPPA] * bool(ranks)
    metrics = [Metric(name, ranks if name == KAPPA else ()) for name in names]
    found = [(metric, usual_score(metric, held_out, n_train)) for metric in metrics]
    return [
        {
            "metric": metric.name,
            "name": metric.title,
            "value": score.value,
            "low": score.low,
            "high": score.high,
        }
        for metric, score in found
        if score.value is not None
    ]


def class_details(
    held_out: HeldOutPredictions, labels: list[str], ranks: tuple[int, ...] = ()
) -> Json:
    """Confusion, recall and precision by class, curves and calibration.

    `ranks` of the classes are given only for grades; the classes are then listed in this order.
    """
    if ranks:
        held_out, labels = _in_order(held_out, labels, ranks)
    k = len(labels)
    counts = np.zeros((k, k), dtype=int)
    np.add.at(counts, (held_out.y, held_out.predicted), 1)
    curves = _curves(held_out, labels) if k <= MOST_CURVES else []
    return {
        "confusion": counts.tolist() if k <= MOST_CLASSES else None,
        "distances": _distances(counts) if ranks else None,
        "classes": [_class(counts, held_out, j, label) for j, label in enumerate(labels)],
        "curves": curves,
        "calibration": reliability(held_out),
    }


def _in_order(
    held_out: HeldOutPredictions, labels: list[str], ranks: tuple[int, ...]
) -> tuple[HeldOutPredictions, list[str]]:
    """Predictions and labels with the lowest grade first."""
    places = np.array(ranks)
    columns = np.argsort(places)
    decision, proba = (
        None if values is None or values.ndim == 1 else values[:, columns]
        for values in (held_out.decision, held_out.proba)
    )
    if decision is None:
        decision = (
            held_out.decision if ranks[0] == 0 or held_out.decision is None else -held_out.decision
        )
    ordered = replace(
        held_out,
        y=places[held_out.y],
        predicted=places[held_out.predicted],
        decision=decision,
        proba=proba,
    )
    return ordered, [labels[column] for column in columns.tolist()]


def _distances(counts: NDArray[Any]) -> list[int]:
    """Numbers of rows by the distance between true and predicted grade, from 0 on."""
    i, j = np.indices(counts.shape)
    return [int(counts[np.abs(i - j) == apart].sum()) for apart in range(len(counts))]


def _class(counts: NDArray[Any], held_out: HeldOutPredictions, j: int, label: str) -> Json:
    n_true, n_predicted, right = int(counts[j].sum()), int(counts[:, j].sum()), int(counts[j, j])
    return {
        "class": label,
        "rows": n_true,
        "recall": right / n_true if n_true else None,
        "precision": right / n_predicted if n_predicted else None,
        "auc": _one_against_rest(held_out, j, "roc_auc"),
    }


def _one_against_rest(held_out: HeldOutPredictions, j: int, metric: str) -> float | None:
    """A metric of the order of rows, for one class against all others."""
    values, is_class = _values(held_out, j), (held_out.y == j).astype(int)
    if values is None:
        return None
    return Metric(metric).value(
        HeldOutPredictions(is_class, is_class, 2, values, fold=held_out.fold)
    )


def _values(held_out: HeldOutPredictions, j: int) -> Array | None:
    """Values that rank rows for class j, as in scikit-learn's area under the curve."""
    if held_out.decision is not None and held_out.decision.ndim == 1:
        return held_out.decision if j == 1 else -held_out.decision
    ranked = held_out.decision if held_out.proba is None else held_out.proba
    return None if ranked is None else ranked[:, j]


def rank_shares(values: Array, fold: NDArray[np.intp] | None) -> Array:
    """Ranks within each fold as shares of its rows, so that all folds make one curve."""
    shares, of = np.empty(len(values)), np.zeros(len(values)) if fold is None else fold
    for rows in (np.flatnonzero(of == k) for k in np.unique(of)):
        shares[rows] = (rankdata(values[rows]) - 0.5) / len(rows)
    return shares


def _curves(held_out: HeldOutPredictions, labels: list[str]) -> list[Json]:
    """ROC and precision-recall curves of each class; with two classes, of the second alone."""
    curves = []
    for j in [1] if len(labels) == 2 else range(len(labels)):
        values, is_class = _values(held_out, j), held_out.y == j
        auc = _one_against_rest(held_out, j, "roc_auc")
        if values is None or auc is None:
            continue
        order = rank_shares(values, held_out.fold)
        false, true, _ = roc_curve(is_class, order)
        precision, recall, _ = precision_recall_curve(is_class, order)
        curves.append(
            {
                "class": labels[j],
                "share": float(is_class.mean()),
                "roc": _thinned(false, true),
                "auc": auc,
                # By falling thresholds, so that recall grows.
                "precision_recall": _thinned(recall[::-1], precision[::-1]),
                "average_precision": _one_against_rest(held_out, j, "average_precision"),
            }
        )
    return curves


def _thinned(x: Array, y: Array) -> list[list[float]]:
    places = np.unique(np.linspace(0, len(x) - 1, MOST_POINTS).round().astype(int))
    return [[round(float(x[i]), 5), round(float(y[i]), 5)] for i in places]


def number_details(held_out: HeldOutPredictions) -> Json:
    """Actual and predicted numbers of some rows, and the coverage of intervals."""
    places = np.unique(np.linspace(0, len(held_out) - 1, MOST_ROWS).round().astype(int))
    points = np.column_stack([held_out.y, held_out.predicted])[places]
    interval = None
    if held_out.interval is not None:
        low, high = held_out.interval.T
        interval = {
            "coverage": COVERAGE,
            "covered": float(np.mean((low <= held_out.y) & (held_out.y <= high))),
            "mean_width": float(np.mean(high - low)),
            "rows": len(held_out),
            "ends": held_out.interval[places].tolist(),
        }
    return {"points": points.tolist(), "interval": interval}
