"""Held-out scores and probabilities of KernelClassifier on few rows: labels at random, and tables.

    python -m benchmarks.optimism noise --rows 20 --fits 50
    python -m benchmarks.optimism tables --data DIR --rows 40 --fits 5

Without nesting, held-out rows are predicted by candidates whose widths and ridges were chosen with
them; the models, and so their errors, are the same.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace

import numpy as np
from sklearn.metrics import log_loss

from kernlearn import KernelClassifier
from kernlearn.datasets import load_uci
from kernlearn.exceptions import AtChanceWarning
from kernlearn.typing import Array, Targets

TABLES = ("statlog_heart", "sonar", "ionosphere", "pima", "new_thyroid")


def measured(nested: bool, X: Array, y: Targets, new: Array, truth: Targets) -> Array:
    """Held-out score, accuracy and log loss on new rows, and whether the fit is at chance."""
    model = KernelClassifier()
    if not nested:
        model._options = replace(
            model._options, nested_rows=0, nested_labels=0, nested_unclear_labels=0
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AtChanceWarning)
        model.fit(X, y)
    loss = log_loss(truth, model.predict_proba(new), labels=model.classes_)
    found = model.held_out_score_, model.score(new, truth), loss, model.status_.is_at_chance
    return np.array(found, dtype=float)


def said(name: str, nested: bool, excess: Array, found: Array) -> None:
    error = excess.std() / np.sqrt(len(excess))
    means = found.mean(axis=0)
    print(
        f"{name:14} {nested!s:6} {excess.mean():+.3f} ({error:.3f})  accuracy {means[1]:.3f}  "
        f"log loss {means[2]:.4f}  at chance {means[3]:.2f}",
        flush=True,
    )


def noise(n_rows: int, n_fits: int) -> None:
    """The reference is the majority's share."""
    for nested in (False, True):
        found, excess = [], []
        for seed in range(n_fits):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(n_rows, 5)), rng.integers(0, 2, n_rows)
            new, truth = rng.normal(size=(1000, 5)), rng.integers(0, 2, 1000)
            found.append(measured(nested, X, y, new, truth))
            excess.append(found[-1][0] - max(y.mean(), 1.0 - y.mean()))
        said("noise", nested, np.array(excess), np.array(found))


def tables(data_dir: str, n_rows: int, n_fits: int) -> None:
    """The reference is the accuracy on all other rows."""
    for name in TABLES:
        data = load_uci(name, data_dir)
        for nested in (False, True):
            found = []
            for seed in range(n_fits):
                order = np.random.default_rng(seed).permutation(len(data.y))
                some, rest = order[:n_rows], order[n_rows:]
                X, y = data.X, data.y
                found.append(measured(nested, X[some], y[some], X[rest], y[rest]))
            all_found = np.array(found)
            said(name, nested, all_found[:, 0] - all_found[:, 1], all_found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["noise", "tables"])
    parser.add_argument("--data", help="folder with uci_class/*.csv.gz")
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--fits", type=int, default=50)
    asked = parser.parse_args()
    if asked.what == "noise":
        noise(asked.rows, asked.fits)
    else:
        tables(asked.data, asked.rows, asked.fits)


if __name__ == "__main__":
    main()
