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
        "scores": [
            _score("multiple kernel learning", 0.978, 0.884, 0.996, 0.31, "model"),
            _score("tuned RBF SVM", 0.956, 0.852, 0.988, 1.2, "baseline"),
            _score("most frequent class", 0.4, 0.27, 0.545, 0.001, "baseline"),
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
        "relevances": None,
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
    X = data.data.iloc[:, :4].rename(columns={"alcohol": name})
    X["colour"] = np.where(data.data["hue"] > 1, "dark", "light")
    names = np.array(rename or ["barolo", "grignolino", "barbera"])
    y = names[data.target.to_numpy()]
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]),
        remainder=StandardScaler(),
        verbose_feature_names_out=False,
    )
    model = kl.MKLClassifier() if estimator is None else estimator
    pipeline = make_pipeline(prepare, model).fit(X, y)
    rows = np.arange(0, len(X), 2)
    return ModelBundle(pipeline, facts(**changes), X.iloc[rows], y[rows])


def line(estimator):
    """A regression on two columns."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["length", "width"])
    y = np.sin(X["length"].to_numpy()) + 0.1 * rng.normal(size=60)
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    made = facts(
        task="regression",
        metric="R²",
        target="price",
        classes=None,
        class_counts=None,
        comparison=None,
    )
    return ModelBundle(pipeline, made, X, y)


def _score(name, score, low, high, seconds, role):
    return {
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
        "folds": 5,
        "seconds": 1.5,
        "kept": kept,
        "note": note,
    }
