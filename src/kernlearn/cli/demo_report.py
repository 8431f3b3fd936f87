"""The report of the demo: the same page that `kernlearn fit --report` writes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernlearn.bundle import ModelBundle
from kernlearn.cli.failure import failures
from kernlearn.cli.report import write_html
from kernlearn.methods.facts import SAMPLE_ROWS
from kernlearn.methods.scores import METRICS, wilson_interval
from kernlearn.methods.words import certificate, kernel_in_words, weights

__all__ = ["score_fact", "write_demo_report"]


def score_fact(
    name: str, accuracy: float, n_test: int, seconds: float, role: str
) -> dict[str, Any]:
    """One line of the report's table of scores."""
    low, high = wilson_interval(round(accuracy * n_test), n_test)
    return {
        "name": name,
        "score": accuracy,
        "low": low,
        "high": high,
        "seconds": seconds,
        "role": role,
    }


def write_demo_report(
    path: Path, scaler: Any, model: Any, X: Any, y: Any, facts: dict[str, Any]
) -> None:
    """Write the report of the learned kernel.

    Parameters
    ----------
    path : pathlib.Path
        Where to.
    scaler, model : estimators
        Fitted to the training rows.
    X : DataFrame
        Training rows, not scaled.
    y : ndarray
        Their classes.
    facts : dict
        What only the caller knows: ``scores``, ``evaluation``, ``seed``, ``command``.
    """
    labels, counts = np.unique(y, return_counts=True)
    names = [str(name) for name in X.columns]
    scaled = "standardised by the training rows"
    everything = {
        "task": "classification",
        "target": "tumour",
        "classes": [str(label) for label in labels],
        "class_counts": counts.tolist(),
        "method": "mkl",
        "method_title": "a learned combination of kernels",
        "table": "breast cancer, Wisconsin diagnostic (scikit-learn)",
        "n_rows": len(X),
        "n_columns": len(names),
        "columns": [{"name": name, "kind": "number", "action": scaled} for name in names],
        "metric": METRICS["classification"],
        "certificate": certificate(model),
        "kernel": kernel_in_words(model, names),
        "weights": weights(model),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
    }
    pipeline = Pipeline([("scale", scaler), ("learn", model)])
    bundle = ModelBundle(pipeline, everything, X[:SAMPLE_ROWS], y[:SAMPLE_ROWS])
    with failures(f"write {path}", path):
        write_html(bundle, path)
