"""Methods on divisions of several sets: every cell kept in a file, errors ranked and tested."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from kernlearn import __version__
from kernlearn.comparison import Comparison, compare
from kernlearn.comparison.signed_rank import signed_rank
from kernlearn.inspection import CriticalDifferenceDisplay
from kernlearn.papers.paper import Request
from kernlearn.papers.pictures import save_picture
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks
from kernlearn.papers.tables import ComparisonTable, Entry

__all__ = [
    "N_DIVISIONS",
    "Cells",
    "Division",
    "HasFingerprint",
    "contest_table",
    "run_cells",
    "timed_fit",
]

N_DIVISIONS = 20
LEVEL = 0.05
RANK, SECONDS = "mean rank", "seconds"

Cells = dict[str, list[dict[str, float]]]


@dataclass(frozen=True, eq=False)
class Division:
    """Training rows and test rows."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any


class HasFingerprint(Protocol):
    """A data set that can be told from any other."""

    @property
    def fingerprint(self) -> int:
        """A number that tells its rows from any others."""
        ...


def run_cells(
    fit_cell: Callable[..., dict[str, float]],
    method: str,
    task: str,
    sets: Mapping[str, HasFingerprint],
    request: Request,
) -> Cells:
    """Fit a method to the divisions of all sets, or read what an earlier run has found.

    Parameters
    ----------
    fit_cell : callable
        ``fit_cell(method, task, set, index, seed)``, importable by name: the ``error`` and the
        ``seconds`` of one division.
    method : str
        Which.
    task : str
        What is predicted; the first part of the file's name.
    sets : mapping of str to data set
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
        f"{name}/{index}": (method, task, data, index, request.seed)
        for index in range(n)
        for name, data in sets.items()
    }
    settings = {
        "method": method,
        "task": task,
        "seed": request.seed,
        "version": __version__,
        "data": {name: data.fingerprint for name, data in sets.items()},
    }
    stem = f"{task}-{method.lower().replace(', ', '-').replace(' ', '-')}"
    found = run_tasks(
        fit_cell,
        tasks,
        ResultsFile(request.out, stem, settings),
        jobs=request.jobs,
        cluster=request.cluster,
        description=method,
        quiet=request.quiet,
    )
    return {name: [found[f"{name}/{index}"] for index in range(n)] for name in sets}


def timed_fit(make: Callable[[], Any], X: Any, y: Any, X_test: Any) -> tuple[Any, float]:
    """Make and fit an estimator; what it predicts, and the seconds that making and fitting took."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        # Kernels at the ends of their ranges, libsvm at its limits: the errors tell.
        warnings.simplefilter("ignore")
        model = make().fit(X, y)
        seconds = time.perf_counter() - start
        return model.predict(X_test), seconds


def contest_table(
    title: str,
    found: Mapping[str, Cells],
    request: Request,
    *,
    rival: str,
    picture: str,
    number_format: str,
    notes: tuple[str, ...],
) -> ComparisonTable:
    """Errors by set and method, mean ranks, seconds, and below what the tests say.

    Parameters
    ----------
    title : str
        Title of the table.
    found : mapping of str to Cells
        What `run_cells` found for every method.
    request : Request
        What the user asked for.
    rival : str
        Method that the others are held against, set by set, by Wilcoxon's test over divisions.
    picture : str
        Name of the file of the diagram of critical differences.
    number_format : str
        Of the errors.
    notes : tuple of str
        Sentences below the table, before those of the tests.

    Returns
    -------
    ComparisonTable
    """
    errors = {name: _column(cells, "error") for name, cells in found.items()}
    sets = next(iter(errors.values()))
    entries = [
        Entry((name,), method, None, errors[method][name], number_format)
        for name in sets
        for method in found
    ]
    if len(found) > 1:
        comparison = compare(errors)
        entries += [
            Entry((RANK,), str(method), None, [float(rank)], ".2f")
            for method, rank in comparison.ranks.items()
        ]
        notes = (*notes, *_tests(comparison, errors, request, rival, picture))
    for method, cells in found.items():
        seconds = [value for values in _column(cells, SECONDS).values() for value in values]
        entries.append(Entry((SECONDS,), method, None, [float(np.mean(seconds))], ".2g"))
    return ComparisonTable(
        title, ("data",), tuple(found), tuple(entries), notes, has_published=False
    )


def _column(cells: Cells, key: str) -> dict[str, list[float]]:
    return {name: [cell[key] for cell in of_set] for name, of_set in cells.items()}


def _tests(
    comparison: Comparison,
    errors: Mapping[str, Mapping[str, list[float]]],
    request: Request,
    rival: str,
    picture: str,
) -> tuple[str, ...]:
    """What the tests say, and the diagram."""
    found = comparison.iman_davenport
    groups = "; ".join(" = ".join(map(str, group)) for group in comparison.groups(LEVEL)) or "none"
    difference = comparison.critical_difference(LEVEL)

    def draw(figure: Any) -> None:
        CriticalDifferenceDisplay.from_comparison(comparison, LEVEL, ax=figure.subplots())

    return (
        f"Friedman's test in the form of Iman and Davenport: p = {found.pvalue:.2g}. Nemenyi's "
        f"critical difference of mean ranks at {LEVEL}: {difference:.2f}; not told apart: "
        f"{groups}.",
        *(
            _against(rival, method, errors)
            for method in errors
            if rival in errors and method != rival
        ),
        save_picture(request.out / picture, draw, width=8.0, height=2.6),
    )


def _against(rival: str, method: str, errors: Mapping[str, Mapping[str, list[float]]]) -> str:
    """Sets where Wilcoxon's test over the divisions tells a method from its rival."""
    better: list[str] = []
    worse: list[str] = []
    for name, ours in errors[method].items():
        theirs = errors[rival][name]
        if signed_rank(ours, theirs).pvalue <= LEVEL:
            (better if np.mean(ours) < np.mean(theirs) else worse).append(name)
    return (
        f"{method} against {rival}, Wilcoxon's test over the divisions at {LEVEL}: better on "
        f"{len(better)} ({', '.join(better) or 'none'}), worse on {len(worse)} "
        f"({', '.join(worse) or 'none'})."
    )
