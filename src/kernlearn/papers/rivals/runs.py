"""The cells of the comparison: every method on a table before the next table begins."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kernlearn.papers.defaults.methods import CLASSES
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.grid_search import Estimator
from kernlearn.papers.method_comparison import Cells, MethodColumn
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.rivals.data import RivalTable
from kernlearn.papers.rivals.methods import CLASSES_ONLY, OURS, TimedTask
from kernlearn.papers.rivals.scores import class_scores, number_scores
from kernlearn.papers.runner import results_file, run_tasks
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.typing import Json, JsonValue

N_SPLITS = 2


@dataclass(frozen=True)
class RivalCells:
    """The cells by method, table and split, of the tables that every method has finished.

    `missing` are methods that are not installed, and have no results of another run.
    """

    tables: Mapping[str, RivalTable]
    cells: Mapping[str, Cells]
    missing: tuple[str, ...]

    def of_task(self, task: str) -> dict[str, Cells]:
        """The methods that serve a task, on its tables."""
        names = [name for name, table in self.tables.items() if table.task == task]
        return {
            method: {name: cells[name] for name in names}
            for method, cells in self.cells.items()
            if all(name in cells for name in names)
        }

    @property
    def failures(self) -> list[str]:
        """Runs that failed: method, table, split and reason."""
        return [
            f"{method} on {name}, split {index}: {cell['failure']}"
            for method, of_method in self.cells.items()
            for name, of_table in of_method.items()
            for index, cell in enumerate(of_table)
            if cell.get("failure")
        ]


def run_rivals(
    options: RunOptions, methods: Mapping[str, MethodColumn], tables: Mapping[str, RivalTable]
) -> RivalCells:
    """Fit the methods to the splits of the tables, or read the results of an earlier run.

    The order is split by split and table by table. The first method is ours, whose seconds
    AutoGluon is given. With a time limit, no further table begins after it.
    """
    settings = {"data": {name: table.fingerprint for name, table in tables.items()}}
    results = results_file(options, "rivals", settings)
    installed = [name for name in methods if methods[name].is_there]
    end = time.monotonic() + (np.inf if options.time_limit is None else options.time_limit)
    for index in range(options.splits or N_SPLITS):
        for table in tables.values():
            if time.monotonic() < end:
                _run_table(table, index, [methods[each] for each in installed], options, results)
    with results:
        finished = results.finished()
    return _complete(finished, methods, tables, options.splits or N_SPLITS)


def _run_table(
    table: RivalTable,
    index: int,
    methods: list[MethodColumn],
    options: RunOptions,
    results: ResultsFile,
) -> None:
    """The cells of one split: ours, then the others with the seconds that ours took."""
    seconds = 0.0
    for method in methods:
        if table.task != CLASSES and method.name in CLASSES_ONLY:
            continue
        key = f"{table.name}/{index}/{method.name}"
        arguments = (method, table, index, options.seed, seconds)
        found = run_tasks(fit_cell, {key: arguments}, results, quiet=True)
        if method.name == OURS:
            seconds = found[key]["wall_seconds"]


def fit_cell(
    method: MethodColumn, table: RivalTable, index: int, seed: int, seconds: float
) -> Json:
    """Fit a method to one split: its scores, seconds of the processor, and why it failed if so.

    A method that fails is scored as a guess: the mean, or the shares of the classes.
    """
    split = table.split(index, seed)
    cell: Json = {"ratio": split.ratio, "n_train": split.n_train}
    start, wall = time.process_time(), time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = method.make(TimedTask(table.task, seconds), split.X_train, split.y_train)
            fitted = fitted.fit(split.X_train, split.y_train)
            cell["seconds"] = time.process_time() - start
            cell["wall_seconds"] = time.monotonic() - wall
            start = time.process_time()
            cell.update(_scores(fitted, table.task, split))
            cell["predict_seconds"] = time.process_time() - start
        return cell
    except Exception as error:  # a rival of any kind may fail in any way, and the others go on
        cell.setdefault("seconds", time.process_time() - start)
        cell.setdefault("wall_seconds", time.monotonic() - wall)
        first_line = next(iter(str(error).strip().splitlines()), "no message")
        reason = f"{type(error).__name__}: {first_line}"
        return {**cell, **_guess(table.task, split), "predict_seconds": 0.0, "failure": reason}


def _scores(fitted: Estimator, task: str, split: TrainTestSplit) -> dict[str, float]:
    predicted = fitted.predict(split.X_test)
    if task != CLASSES:
        found = number_scores(split.y_test, predicted)
    else:
        probabilities = fitted.predict_proba(split.X_test)
        found = class_scores(split.y_test, predicted, fitted.classes_, probabilities)
    if not np.isfinite(list(found.values())).all():
        raise ValueError(f"predictions of the test rows are not finite: {found}")
    return found


def _guess(task: str, split: TrainTestSplit) -> dict[str, float]:
    """The scores of a method that learns nothing from the columns."""
    n = len(split.y_test)
    if task != CLASSES:
        return number_scores(split.y_test, np.full(n, np.mean(split.y_train)))
    classes, counts = np.unique(split.y_train, return_counts=True)
    shares = np.tile(counts / counts.sum(), (n, 1))
    predicted = np.full(n, classes[np.argmax(counts)])
    return class_scores(split.y_test, predicted, classes, shares)


def _complete(
    finished: Mapping[str, JsonValue],
    methods: Mapping[str, MethodColumn],
    tables: Mapping[str, RivalTable],
    n_splits: int,
) -> RivalCells:
    """The splits of every table that all methods have finished which are there or ever ran."""
    ran = {key.rsplit("/", 1)[1] for key in finished}
    there = [name for name in methods if methods[name].is_there or name in ran]
    cells: dict[str, Cells] = {name: {} for name in there}
    for name, table in tables.items():
        served = [each for each in there if table.task == CLASSES or each not in CLASSES_ONLY]
        for index in range(n_splits):
            keys = {each: f"{name}/{index}/{each}" for each in served}
            if finished.keys() >= set(keys.values()):
                for each, key in keys.items():
                    cells[each].setdefault(name, []).append(finished[key])
    complete = {name: table for name, table in tables.items() if name in cells[there[0]]}
    return RivalCells(complete, cells, tuple(name for name in methods if name not in there))
