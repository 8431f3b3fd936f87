"""The default bank with sums over columns, beside the one without, on the IDA sets.

``python -m benchmarks.default_bank FOLDER [SET …]``, FOLDER with ida/banana.npz and its like.
Errors and seconds of ``MKLClassifier()`` over splits of the published sizes, the same for both.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from time import process_time
from unittest.mock import patch

import numpy as np

from benchmarks.claims import say
from kernlearn import MKLClassifier
from kernlearn.datasets.ida import IDA_NAMES, load_ida
from kernlearn.speed.timings import best_of

N_SPLITS = 20


def without_columns(*_: object) -> None:
    """In place of what looks for sums over columns."""


def one_fit(X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> list[float]:
    fit = partial(MKLClassifier(random_state=0).fit, X[train], y[train])
    seconds, model = best_of(1, fit, process_time)
    notes = " ".join(model.bank_notes_)
    return [np.mean(model.predict(X[test]) != y[test]), seconds, "single columns" in notes]


def row(folder: str, name: str) -> str:
    data = load_ida(name, folder)
    n_train = len(data.train[0])
    found: dict[str, list[list[float]]] = {"old": [], "new": []}
    for seed in range(N_SPLITS):
        order = np.random.default_rng(seed).permutation(len(data.y))
        split = data.X, data.y, order[:n_train], order[n_train:]
        found["new"].append(one_fit(*split))
        with patch("kernlearn.estimators.mkl.bank.column_bank", without_columns):
            found["old"].append(one_fit(*split))
    old, new = np.array(found["old"]), np.array(found["new"])
    spread = 100.0 * (new - old)[:, 0].std(ddof=1) / np.sqrt(N_SPLITS)
    return (
        f"| {name} | {100 * old[:, 0].mean():.2f} | {100 * new[:, 0].mean():.2f} | {spread:.2f} | "
        f"{int(new[:, 2].sum())} of {N_SPLITS} | {old[:, 1].mean():.1f} | {new[:, 1].mean():.1f} |"
    )


def main(folder: str, *names: str) -> None:
    say("| data | before | now | standard error of the difference | by column | s before | s now |")
    say("|---|---|---|---|---|---|---|")
    warnings.simplefilter("ignore")
    for name in names or IDA_NAMES:
        say(row(folder, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
