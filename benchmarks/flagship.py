"""KernelClassifier and KernelRegressor: time of a fit, time of predictions, size of a file.

    python -m benchmarks flagship [--data DIR] [--old COMMIT_OR_SRC]

A fit is held against the tuned SVM of the comparison of defaults, on one split of each table: those
of DIR, or else tables of scikit-learn and generated ones. Predictions are by models of the tables
in :mod:`benchmarks.flagship_predict`. Times are those of the processor in one thread. Each state of
the library has a process of its own, as in :mod:`benchmarks.small_fits`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from benchmarks.claims import Row, say
from benchmarks.small_fits import ROOT, Worker, state, workers

# What 10,000 rows and one row may take, in seconds, for a model of 1000 rows and three classes.
MANY, ONE = 0.3, 3e-3
FLAGSHIP, SVM, PREDICT, COMPRESS = "flagship", "tuned SVM", "predict", "compressed"
# What the comparison calls the two.
COLUMNS = {FLAGSHIP: "Kernel", SVM: "tuned SVM"}
PREDICTED = ("clouds", "thirds", "waveforms", "images", "messy")
# Rows of generated tables.
SIZES = (40, 160, 300)

# Name of a table: task, training rows and targets, test rows and targets.
Tables = dict[str, Callable[[], tuple[Any, ...]]]


def known_tables(data: Path | None) -> Tables:
    """Those of a folder; without one, those that come with scikit-learn, and generated ones."""
    from kernlearn.datasets import IDA_NAMES, UCI_REGRESSION_NAMES

    if data is not None:
        found = {
            **{name: partial(_of_folder, data, name, True) for name in IDA_NAMES},
            **{name: partial(_of_folder, data, name, False) for name in UCI_REGRESSION_NAMES},
        }
        return {name: table for name, table in found.items() if _exists(data, name)}
    names = ("wine", "breast_cancer", "diabetes", "digits")
    bundled: Tables = {name: partial(_bundled, name) for name in names}
    return bundled | {f"generated {n}": partial(_generated, n) for n in SIZES}


def _exists(data: Path, name: str) -> bool:
    places = (data / "ida" / f"{name}.npz", data / "uci_reg" / f"{name}.csv.gz")
    return any(place.is_file() for place in places)


def _of_folder(data: Path, name: str, has_classes: bool) -> tuple[Any, ...]:
    from kernlearn.papers.defaults.data import load_classes, load_numbers
    from kernlearn.papers.defaults.methods import CLASSES, NUMBERS

    load, task = (load_classes, CLASSES) if has_classes else (load_numbers, NUMBERS)
    part = load(data, [name])[name].split(0, 0)
    return task, part.X_train, part.y_train, part.X_test, part.y_test


def _bundled(name: str) -> tuple[Any, ...]:
    from sklearn import datasets

    made = getattr(datasets, f"load_{name}")(as_frame=True)
    return _split(made.data, made.target.to_numpy(), name == "diabetes", 800)


def _generated(n: int) -> tuple[Any, ...]:
    import pandas as pd
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n + 1000, 9, n_informative=5, n_classes=3, flip_y=0.05, random_state=0
    )
    return _split(pd.DataFrame(X).rename(columns=str), y, False, n)


def _split(X: Any, y: Any, is_of_numbers: bool, most: int) -> tuple[Any, ...]:
    """At most so many rows, and at most two thirds, to learn from; the others test."""
    from kernlearn.papers.defaults.methods import CLASSES, NUMBERS

    order = np.random.RandomState(0).permutation(len(y))
    n = min(most, 2 * len(y) // 3)
    train, test = order[:n], order[n:]
    task = NUMBERS if is_of_numbers else CLASSES
    return task, X.iloc[train], y[train], X.iloc[test], y[test]


def work(data: Path | None, questions: IO[str], answers: IO[str]) -> None:
    """Answer lines of a question and a table with numbers."""
    warnings.simplefilter("ignore")  # of fits that are no better than guessing
    tables = known_tables(data)
    for line in questions:
        question, _, name = line.strip().partition(": ")
        if question in (FLAGSHIP, SVM):
            found = _fit(question, tables[name])
        else:
            found = _predict(name, question == COMPRESS)
        print(*found, file=answers, flush=True)


def _fit(method: str, table: Callable[[], tuple[Any, ...]]) -> tuple[float, ...]:
    """Rows, columns, seconds of a fit, and the share of the test rows or variance that is lost."""
    from kernlearn.papers.defaults.methods import METHODS

    task, X, y, X_test, y_test = table()
    model = METHODS[COLUMNS[method]].make(task, X, y)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    return *X.shape, seconds, 1.0 - model.score(X_test, y_test)


def _predict(name: str, compress: bool) -> tuple[float, ...]:
    """Seconds for 10,000 rows and for one, bytes of the file, and the share of wrong labels."""
    from benchmarks.flagship_predict import TABLES, file_size, fitted, seconds_of

    X, y, X_new, y_new = TABLES[name]()
    model = fitted(name, X, y, None, compress)[0]
    model.predict_proba(X_new[:1])  # the first call imports, and arranges the members
    many = seconds_of(lambda: model.predict_proba(X_new), 3)
    one = seconds_of(lambda: model.predict_proba(X_new[:1]), 30)
    return many, one, file_size(model), float(np.mean(model.predict(X_new) != y_new))


def fit_times(data: Path | None, states: Sequence[Worker]) -> Row:
    """Print the times of fits; the last state is today's."""
    known = list(known_tables(data))
    columns = ["table", "rows × columns", *(["before, s"] if len(states) > 1 else []), "s"]
    columns += ["tuned SVM, s", "ratio", *(["lost before"] if len(states) > 1 else []), "lost"]
    _heading([*columns, "lost by the SVM"])
    ours, theirs = [], []
    for name in known:
        answers = [worker.fit(f"{FLAGSHIP}: {name}") for worker in states]
        svm = states[-1].fit(f"{SVM}: {name}")
        ours.append(answers[-1][2])
        theirs.append(svm[2])
        cells = [f"{answer[2]:.2f}" for answer in answers]
        cells += [f"{svm[2]:.2f}", f"{ours[-1] / theirs[-1]:.2f}"]
        cells += [f"{answer[3]:.3f}" for answer in (*answers, svm)]
        say(f"| {name} | {svm[0]:.0f} × {svm[1]:.0f} | {' | '.join(cells)} |")
    measured = f"{np.mean(ours):.2f} s against {np.mean(theirs):.2f} s"
    claim = f"a fit of the flagship takes no longer than a tuned SVM, in the mean of {len(known)}"
    return Row(f"{claim} tables", measured, np.mean(ours) <= np.mean(theirs))


def predict_times(states: Sequence[Worker]) -> Row:
    """Print the times of predictions, of mixtures and of compressed ones."""
    titles = ["10,000 rows, s", "one row, ms", "file, kB", "wrong"]
    _heading(["table", "model", *titles])
    worst_many = worst_one = 0.0
    for name in PREDICTED:
        for number, worker in enumerate(states, start=1):
            is_old = number < len(states)
            for question in (PREDICT,) if is_old else (PREDICT, COMPRESS):
                many, one, size, wrong = worker.fit(f"{question}: {name}")
                kind = "mixture" if question == PREDICT else "compressed"
                model = f"{kind} before" if is_old else kind
                figures = f"{many:.3f} | {1e3 * one:.2f} | {size / 1e3:.0f} | {wrong:.4f}"
                say(f"| {name} | {model} | {figures} |")
                if not is_old and question == PREDICT:
                    worst_many, worst_one = max(worst_many, many), max(worst_one, one)
    claim = f"a mixture of 1000 rows predicts 10,000 rows in {MANY} s, and one in {1e3 * ONE:.0f}"
    measured = f"{worst_many:.2f} s and {1e3 * worst_one:.1f} ms at most"
    return Row(f"{claim} ms", measured, worst_many <= MANY and worst_one <= ONE)


def _heading(columns: Sequence[str]) -> None:
    say(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")


def benchmarks(data: Path | None = None, old: str | None = None) -> list[Row]:
    """Both tables, beside another state of the library where one is named."""
    with state(old or str(ROOT / "src")) as before:
        if before is None:
            raise SystemExit(f"expected a commit or a folder of sources, got {old!r}")
        sources = [before, ROOT / "src"] if old else [ROOT / "src"]
        more = [] if data is None else ["--data", str(data)]
        with workers(sources, "benchmarks.flagship", *more) as states:
            return [fit_times(data, states), predict_times(states)]


def main() -> None:
    """The process of one state, which :func:`benchmarks` asks."""
    parser = argparse.ArgumentParser(description="see python -m benchmarks --help")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", action="store_true", required=True, help=argparse.SUPPRESS)
    work(parser.parse_args().data, sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
