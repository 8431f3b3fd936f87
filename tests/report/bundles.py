"""Bundles as the command line makes them, small."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import kernlearn as kl
from kernlearn.bundle import ModelBundle

SCRIPT = "<script>alert(1)</script>"


def facts(**changes):
    """Every fact there is, changed as told."""
    made = {
        "task": "classification",
        "target": "cultivar",
        "classes": ["barbera", "barolo", "grignolino"],
        "class_counts": [48, 59, 71],
        "method": "mkl",
        "method_title": "multiple kernel learning",
        "requested_method": "auto",
        "table": "wine.csv",
        "n_rows": 178,
        "n_columns": 5,
        "columns": [
            {"name": "alcohol", "kind": "number", "action": "standardised"},
            {"name": "colour", "kind": "category", "action": "one column for each of 2 values"},
        ],
        "notes": ["3 missing values were replaced by the median of their column."],
        "metric": "accuracy",
        "evaluation": "45 rows, a quarter of each class, were held out.",
        "metric_name": "accuracy",
        "greater_is_better": True,
        "scores": [
            _score("multiple kernel learning", 0.978, 0.884, 0.996, 0.31, "model"),
            _score("tuned RBF SVM", 0.956, 0.852, 0.988, 1.2, "baseline", 0.62),
            _score("most frequent class", 0.4, 0.27, 0.545, 0.001, "baseline", 1e-6),
        ],
        "rows": {
            "read": 181,
            "dropped": [{"reason": "without a value of 'cultivar'", "rows": 3}],
            "refitted": True,
            "sentences": ["The table has 181 rows; 178 were used.", "45 were held out."],
        },
        "held_out": _class_details(),
        "importance": {
            "how": "By how much the accuracy gets worse.",
            "columns": [
                {"name": "alcohol", "importance": 0.3, "standard_error": 0.02},
                {"name": "colour", "importance": -0.01, "standard_error": 0.01},
            ],
            "how_views": "All columns of a view are shuffled together.",
            "views": [
                {"name": "taste", "importance": 0.3, "standard_error": 0.02},
                {"name": "look", "importance": 0.1, "standard_error": 0.02},
            ],
        },
        "parameters": [{"name": "C", "value": 3.5}],
        "class_weight": {"barbera": 2.0},
        "candidates": [
            {
                "candidate": name,
                "held_out_loss": loss,
                "standard_error": 0.02,
                "seconds": 0.1,
                "weight": weight,
            }
            for name, loss, weight in (("Gaussian", 0.2, 1.0), ("linear", 0.4, 0.0))
        ],
        "comparison": [
            _compared("mkl", "multiple kernel learning", 0.972, 0.012, True, ""),
            _compared("svm", "tuned RBF SVM", 0.966, 0.015, False, ""),
            _compared("metric", "learned metric", None, None, False, "skipped: too many rows"),
        ],
        "certificate": {
            "objective": 12.3456789,
            "lower_bound": 12.3456788,
            "gap": 8.1e-9,
            "n_machine_solves": 7,
            "status": "optimal: the duality gap is within the tolerance",
            "sentence": "No other weights can lower the objective by more than 8.1e-07 %.",
        },
        "kernel": "a sum of two kernels, mostly Gaussian",
        "weights": None,
        "scale_shares": None,
        "views": None,
        "seconds": 0.29,
        "seed": 0,
        "command": ["kernlearn", "fit", "my wine.csv", "--target", "cultivar"],
        "versions": {"kernlearn": "0.1.0", "scikit-learn": "1.9.0"},
        "created": "2026-01-02T03:04:05+00:00",
    }
    return {**made, **changes}


def wine(estimator=None, name="alcohol", rename=None, **changes):
    """Three classes of wine, with a column of categories; `name` renames the first column."""
    data = load_wine(as_frame=True)
    rows = data.frame.iloc[::2]
    X = rows.iloc[:, :4].rename(columns={"alcohol": name})
    X["colour"] = np.where(rows["hue"] > 1, "dark", "light")
    names = np.array(rename or ["barolo", "grignolino", "barbera"])
    y = names[rows["target"].to_numpy()]
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]),
        remainder=StandardScaler(),
        verbose_feature_names_out=False,
    )
    model = kl.MKLClassifier() if estimator is None else estimator
    pipeline = make_pipeline(prepare, model).fit(X, y)
    return ModelBundle(pipeline, facts(**changes), X, y)


def line(estimator):
    """A regression on two columns."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["length", "width"])
    y = np.sin(X["length"].to_numpy()) + 0.1 * rng.normal(size=40)
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    made = facts(
        task="regression",
        metric="R²",
        target="price",
        classes=None,
        class_counts=None,
        comparison=None,
        held_out={
            "points": [[0.1, 0.2], [0.5, 0.4], [1.0, 0.9]],
            "interval": {
                "coverage": 0.9,
                "covered": 0.867,
                "mean_width": 1.25,
                "rows": 15,
                "ends": [[0.0, 0.5], [0.1, 0.7], [0.6, 1.2]],
            },
        },
    )
    return ModelBundle(pipeline, made, X, y)


def _class_details():
    rows = (("barbera", 12, 1.0), ("barolo", 15, 0.933), ("grignolino", 18, None))
    return {
        "confusion": [[12, 0, 0], [1, 14, 0], [0, 1, 17]],
        "classes": [
            {"class": name, "rows": n, "recall": recall, "precision": 0.9, "auc": 0.99}
            for name, n, recall in rows
        ],
        "curves": [
            {
                "class": "barbera",
                "roc": [[0.0, 0.0], [0.1, 1.0], [1.0, 1.0]],
                "auc": 0.95,
                "precision_recall": [[0.0, 1.0], [1.0, 0.4]],
                "average_precision": 0.8,
            }
        ],
        "calibration": {
            "of": "predicted class",
            "bins": [
                {"mean": 0.6, "share": 0.5, "rows": 20},
                {"mean": 0.9, "share": 1.0, "rows": 25},
            ],
            "error": 0.1,
            "error_by_chance": 0.08,
            "sentence": "These rows show no fault of the probabilities: the error is 0.100.",
        },
    }


def _score(name, score, low, high, seconds, role, p=None):
    against = None
    if p is not None:
        better = True if p < 0.05 else None
        sentence = f"a difference so large comes by chance (p = {p:g})"
        against = {"test": "McNemar", "p_value": p, "better": better, "sentence": sentence}
    return {
        "against": against,
        "metrics": [{"name": "balanced accuracy", "value": score - 0.01}],
        "name": name,
        "score": score,
        "low": low,
        "high": high,
        "seconds": seconds,
        "role": role,
    }


def _compared(method, name, score, error, kept, note):
    return {
        "method": method,
        "name": name,
        "score": score,
        "standard_error": error,
        "rows": 400,
        "tested": 400,
        "seconds": 1.5,
        "kept": kept,
        "note": note,
    }
