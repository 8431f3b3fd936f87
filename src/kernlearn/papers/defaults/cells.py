"""One method on the divisions of the sets, kept in a file of its own."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping

import numpy as np

from kernlearn import __version__
from kernlearn.papers.defaults.data import Table
from kernlearn.papers.defaults.methods import CLASSES, METHODS, Method
from kernlearn.papers.paper import Request
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks

__all__ = ["N_DIVISIONS", "fit_cell", "run_method"]

N_DIVISIONS = 20

Cells = dict[str, list[dict[str, float]]]


def run_method(method: Method, task: str, tables: Mapping[str, Table], request: Request) -> Cells:
    """Fit a method to the divisions of all sets, or read what an earlier run has found.

    Parameters
    ----------
    method : Method
        Which.
    task : {"classification", "regression"}
        What the targets are.
    tables : mapping of str to Table
        The sets.
    request : Request
        What the user asked for.

    Returns
    -------
    cells : dict of str to list of dict
        For every set and division the ``error`` and the ``seconds``.
    """
    n = request.repetitions or N_DIVISIONS
    # Division by division, not set by set: the time left is then that of the average set.
    tasks = {
        f"{name}/{index}": (method.name, task, table, index, request.seed)
        for index in range(n)
        for name, table in tables.items()
    }
    settings = {
        "method": method.name,
        "task": task,
        "seed": request.seed,
        "version": __version__,
        "data": {name: table.fingerprint for name, table in tables.items()},
    }
    stem = f"{task}-{method.name.lower().replace(', ', '-').replace(' ', '-')}"
    found = run_tasks(
        fit_cell,
        tasks,
        ResultsFile(request.out, stem, settings),
        jobs=request.jobs,
        description=method.name,
        quiet=request.quiet,
    )
    return {name: [found[f"{name}/{index}"] for index in range(n)] for name in tables}


def fit_cell(method: str, task: str, table: Table, index: int, seed: int) -> dict[str, float]:
    """Fit one method to one division: errors in per cent, or root mean squared ones."""
    part = table.divide(index, seed)
    start = time.perf_counter()
    with warnings.catch_warnings():
        # Kernels at the ends of their ranges, libsvm at its limits: the errors tell.
        warnings.simplefilter("ignore")
        model = METHODS[method].make(task, part.X_train, part.y_train)
        model = model.fit(part.X_train, part.y_train)
        seconds = time.perf_counter() - start
        predicted = model.predict(part.X_test)
    if task == CLASSES:
        error = 100.0 * float(np.mean(predicted != part.y_test))
    else:
        error = float(np.sqrt(np.mean((predicted - part.y_test) ** 2)))
    return {"error": error, "seconds": seconds}
