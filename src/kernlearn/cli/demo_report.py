"""The report of the demo: the same page that `kernlearn fit --report` writes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernlearn.bundle import ModelBundle
from kernlearn.cli.demo_data import Division
from kernlearn.cli.failure import failures
from kernlearn.cli.report import write_html
from kernlearn.methods.facts import SAMPLE_ROWS
from kernlearn.methods.scores import METRICS, wilson_interval
from kernlearn.methods.words import certificate, kernel_in_words, weights
from kernlearn.runtime.optional import load_pandas

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
    path: Path, scaler: Any, model: Any, data: Division, facts: dict[str, Any]
) -> None:
    """Write the report of the learned kernel.

    Parameters
    ----------
    path : pathlib.Path
        Where to.
    scaler, model : estimators
        Fitted to the training rows.
    data : Division
        The rows.
    facts : dict
        What only the caller knows: ``scores``, ``evaluation``, ``views``, ``seed``, ``command``.
    """
    X = load_pandas("the report").DataFrame(data.X, columns=list(data.names))
    labels, counts = np.unique(data.y, return_counts=True)
    scaled = "standardised by the training rows"
    everything = {
        "task": "classification",
        "target": "illness",
        "classes": [str(label) for label in labels],
        "class_counts": counts.tolist(),
        "method": "mkl",
        "method_title": "a learned combination of kernels",
        "table": f"{len(X)} of {len(X) + len(data.y_test)} patients, drawn at random",
        "n_rows": len(X),
        "n_train": len(X),
        "n_held_out": len(data.y_test),
        "n_columns": len(data.names),
        "columns": [{"name": name, "kind": "number", "action": scaled} for name in data.names],
        "metric": METRICS["classification"],
        "certificate": certificate(model),
        "kernel": kernel_in_words(model, list(data.names)),
        "weights": weights(model),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
    }
    pipeline = Pipeline([("scale", scaler), ("learn", model)])
    # What the page draws is named, so the scaler has to know the names too.
    scaler.feature_names_in_ = np.array(data.names, dtype=object)
    bundle = ModelBundle(pipeline, everything, X[:SAMPLE_ROWS], data.y[:SAMPLE_ROWS])
    with failures(f"write {path}", path):
        write_html(bundle, path)
