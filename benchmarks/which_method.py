"""Seconds of every estimator at its defaults, for the page *Which method?*.

Prints a Markdown table: one fit to a generated table of ten columns and two classes, in seconds of
the processor, and the share of 2000 further rows that it gets right.

    python -m benchmarks.which_method [SECONDS [ESTIMATOR ...]]

No further size is tried after a fit of more than so many seconds, 20 by default.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import kernlearn as kl
from benchmarks.claims import say
from kernlearn.speed.measure import generated_table

SIZES = (400, 2000, 10_000)
HELD_OUT, COLUMNS = 2000, 10
GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-4, 0, 5)}

ESTIMATORS: dict[str, Callable[[], Any]] = {
    "KernelClassifier": lambda: kl.KernelClassifier(random_state=0),
    "MKLClassifier": kl.MKLClassifier,
    "MKLClassifier, three views": kl.MKLClassifier,
    "FirstLevelClassifier": kl.FirstLevelClassifier,
    "LSSVMClassifier": kl.LSSVMClassifier,
    "HyperkernelClassifier": kl.HyperkernelClassifier,
    "SVC, tuned on a 5 × 5 grid": lambda: GridSearchCV(SVC(), GRID),
    "HistGradientBoostingClassifier": lambda: HistGradientBoostingClassifier(random_state=0),
}


def main(limit: float, names: list[str]) -> None:
    X, y, _ = generated_table(SIZES[-1] + HELD_OUT, COLUMNS, "classification", 0)
    X, X_test, y, y_test = X[HELD_OUT:], X[:HELD_OUT], y[HELD_OUT:], y[:HELD_OUT]
    heads = [f"{size} rows | right" for size in SIZES]
    say(f"| estimator | {' | '.join(heads)} |\n|---|{'---|' * 2 * len(SIZES)}")
    for name in names or ESTIMATORS:
        cells: list[str] = []
        for size in SIZES:
            rows, test = (_views(part) if "views" in name else part for part in (X[:size], X_test))
            start = time.process_time()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = ESTIMATORS[name]().fit(rows, y[:size])
            except MemoryError:
                break
            taken = time.process_time() - start
            cells.append(f"{taken:.2g} | {np.mean(model.predict(test) == y_test):.1%}")
            if taken > limit:
                break
        cells += [" | "] * (len(SIZES) - len(cells))
        say(f"| {name} | {' | '.join(cells)} |")


def _views(X: Any) -> dict[str, Any]:
    return {"first": X.iloc[:, :3], "second": X.iloc[:, 3:6], "third": X.iloc[:, 6:]}


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 20.0, sys.argv[2:])
