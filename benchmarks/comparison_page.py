"""Methods on many tables of files: cells that an earlier run has finished are read, not run again.

The commands of :mod:`benchmarks.textbook_tables` and :mod:`benchmarks.r_tables`:

    python -m benchmarks.textbook_tables DIR OUT [--splits 3] [--jobs 2] [--method NAME ...]

DIR holds the tables. The results go to OUT, a file for each method and task, and the summary to
``OUT/defaults/NAME.md``, from where ``python docs/insert_results.py OUT`` takes it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.other_tables import OURS, RIVALS, Made, fit_rows
from kernlearn.comparison import compare
from kernlearn.papers.defaults.data import TargetTable
from kernlearn.papers.defaults.methods import CLASSES, METHODS, NUMBERS
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import (
    BEHIND,
    Cells,
    MethodColumn,
    errors_over,
    mean_of,
    run_method,
    tables_behind,
    tests_note,
    wilcoxon_against_each,
)

PACKAGES = ("LightGBM", "XGBoost", "CatBoost")
TASKS = {CLASSES: "classes", NUMBERS: "numbers"}
Found = dict[str, Cells]


@dataclass(frozen=True)
class TableCollection:
    """Tables by their names, each with its target and the columns to leave out."""

    name: str
    title: str
    labels: Mapping[str, str]
    targets: Mapping[str, str]
    read: Callable[[Path, str, str], Made]

    def tables(self, task: str, folder: Path) -> dict[str, TargetTable]:
        """The tables of a task."""
        listed = self.labels if task == CLASSES else self.targets
        return {
            name: TargetTable(name, *self.read(folder, name, columns))
            for name, columns in listed.items()
        }


def fit_cell(
    task: str, method: MethodColumn, table: TargetTable, index: int, seed: int
) -> dict[str, float]:
    """Fit a method to one split of a table; the split depends on its number alone."""
    return fit_rows(task, (table.X, table.y), method, index)


def has_levels(table: TargetTable) -> bool:
    """Whether a column of text has three levels or more."""
    return any(table.X[name].nunique() > 2 for name in table.X.select_dtypes(exclude="number"))


def summary(
    title: str, by_task: Mapping[str, Found], with_levels: Sequence[str], notes: Sequence[str]
) -> str:
    """The page: ranks, errors, seconds, tests, and the tables that are lost.

    `with_levels` are the tables, as ``TASK/NAME``, that are left out of one row of ranks.
    """
    errors = {task: mean_of(found, "error") for task, found in by_task.items()}
    methods = list(next(iter(errors.values())))
    n_tables = {task: len(of_task[OURS]) for task, of_task in errors.items()}
    everything = {
        method: {f"{task}/{name}": error for task in errors
                 for name, error in errors[task][method].items()}
        for method in methods
    }  # fmt: skip
    without = {
        method: {name: of_one[name] for name in of_one if name not in with_levels}
        for method, of_one in everything.items()
    }
    comparisons = {task: compare(of_task) for task, of_task in errors.items()}
    overall = compare(everything)

    def row(name: str, values: Mapping[str, float], number_format: str) -> str:
        cells = (format(values[method], number_format) for method in methods)
        return f"| {name} | {' | '.join(cells)} |"

    lines = [f"## {title}", "", f"| | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    lines += [
        row(f"mean rank, {n_tables[task]} tables of {TASKS[task]}", one.ranks, ".2f")
        for task, one in comparisons.items()
    ]
    lines.append(row(f"mean rank, all {len(everything[OURS])} tables", overall.ranks, ".2f"))
    lines.append(
        row(
            f"mean rank, {len(without[OURS])} tables without categories of three levels",
            compare(without).ranks,
            ".2f",
        )
    )
    lines.append(row("tables with the lowest error", overall.best.sum(), ".0f"))
    for task, of_task in errors.items():
        lines.append(row(f"error over ours, {TASKS[task]}", errors_over(OURS, of_task), ".3g"))
    for task, found in by_task.items():
        seconds = {m: np.mean(list(one.values())) for m, one in mean_of(found, "seconds").items()}
        lines.append(row(f"seconds, {TASKS[task]}", seconds, ".2g"))
    lines += ["", *(f"- {note}" for note in notes), f"- All tables. {tests_note(overall)}"]
    lines.append(
        f"- {OURS} against each rival by Wilcoxon's signed-rank test over all tables, adjusted by "
        f"Holm: {', '.join(wilcoxon_against_each(OURS, overall))}."
    )
    for task, of_task in errors.items():
        behind = tables_behind(OURS, of_task)
        lines.append(
            f"- {OURS} is behind the best by more than {BEHIND:.0%} of its error on {len(behind)} "
            f"of the {n_tables[task]} tables of {TASKS[task]}: {', '.join(behind) or 'none'}."
        )
    return "\n".join(lines) + "\n"


def main(collection: TableCollection, arguments: Sequence[str] | None = None) -> None:
    """Run the methods, or read what they found, and write the page."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{collection.name}")
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the tables")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for results")
    parser.add_argument("--splits", type=int, default=3, help="splits of every table")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--method", action="append", help="a method; may be repeated")
    parser.add_argument("--machine", default="this machine", help="whose seconds they are")
    parser.add_argument("--note", action="append", default=[], help="a further line below")
    given = parser.parse_args(arguments)
    there = [name for name in PACKAGES if METHODS[name].is_there]
    named = given.method or [OURS, *RIVALS, *there]
    chosen = [name for name in METHODS if name in named]  # ours first
    options = RunOptions(given.out, splits=given.splits, jobs=given.jobs)
    by_task = {}
    with_levels: list[str] = []
    for task in TASKS:
        tables = collection.tables(task, given.folder)
        with_levels += [f"{task}/{name}" for name, table in tables.items() if has_levels(table)]
        by_task[task] = {
            name: run_method(partial(fit_cell, task), METHODS[name], task, tables, options)
            for name in chosen
        }
    if len(chosen) < 2 or OURS not in chosen:
        return
    protocol = (
        f"Test error, or root mean squared error, averaged over {given.splits} splits of each "
        f"table. Seconds of the processor for one fit, on one thread of {given.machine}."
    )
    page = given.out / "defaults" / f"{collection.name}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    text = summary(collection.title, by_task, with_levels, [protocol, *given.note])
    page.write_text(text, encoding="utf-8")
    print(text)
