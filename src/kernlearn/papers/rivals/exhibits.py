"""The tables of the page: ranks and tests; every score by table; wins and losses by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from statistics import fmean

import numpy as np

from kernlearn.comparison import Comparison, compare
from kernlearn.papers.defaults.methods import CLASSES, NUMBERS
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.method_comparison import (
    Cells,
    errors_over,
    mean_of,
    significance_against,
    tables_behind,
    tests_note,
    wilcoxon_against_each,
)
from kernlearn.papers.rivals.data import RivalTable, load_tables
from kernlearn.papers.rivals.methods import METHODS, OURS
from kernlearn.papers.rivals.runs import RivalCells, run_rivals
from kernlearn.papers.tables import ComparisonTable, TableEntry

FEW_TRAINING = 200
TASKS = {CLASSES: "classes", NUMBERS: "numbers"}
SCORES = {"error": "error", "log_loss": "log loss", "area": "area under the ROC curve"}
BY_TASK = (*((CLASSES, score) for score in SCORES), (NUMBERS, "error"))
UNITS = {(CLASSES, "error"): " in per cent"}


@lru_cache(maxsize=1)
def found_cells(options: RunOptions) -> RivalCells:
    """Run the unfinished cells, once for all tables of the page."""
    return checked(run_rivals(options, METHODS, load_tables()))


def checked(found: RivalCells) -> RivalCells:
    """The results, if ranks of either task can be taken."""
    for task, name in TASKS.items():
        n_tables = sum(table.task == task for table in found.tables.values())
        if n_tables < 2:
            raise ValueError(
                f"expected two tables of {name} at least that every method has finished, got "
                f"{n_tables}: run the same command again, which continues."
            )
    return found


def show_ranks(found: RivalCells) -> ComparisonTable:
    """Mean ranks, tables with the lowest error, error over ours, and seconds; below, the tests."""
    overall = compare(_errors_everywhere(found))
    entries = _row("mean rank, all tables by error", overall.ranks, ".2f")
    for task, score in BY_TASK:
        name = f"mean rank, {TASKS[task]} by {_score_name(score, task)}"
        entries += _row(name, _comparison(found.of_task(task), score).ranks, ".2f")
    entries += _row("tables with the lowest error", overall.best.sum(), ".0f")
    for task, name in TASKS.items():
        errors = mean_of(found.of_task(task), "error")
        entries += _row(f"error over ours, {name}", errors_over(OURS, errors), ".3g")
        cells = found.of_task(task)
        for key, what in (("seconds", "fit"), ("predict_seconds", "predict")):
            seconds = {m: fmean(one.values()) for m, one in mean_of(cells, key).items()}
            entries += _row(f"seconds to {what}, {name}", seconds, ".2g")
    methods = tuple(found.cells)
    return ComparisonTable(
        "Ranks, tests and times", ("",), methods, tuple(entries), _notes(found, overall), False
    )


def show_scores(task: str, score: str) -> Callable[[RivalCells], ComparisonTable]:
    """A table of one score, with a row for each table."""

    def show(found: RivalCells) -> ComparisonTable:
        cells = found.of_task(task)
        entries = [
            TableEntry((name,), method, None, [cell[score] for cell in of_table], ".4g")
            for method, by_table in cells.items()
            for name, of_table in by_table.items()
        ]
        unit = UNITS.get((task, score), "")
        title = f"{TASKS[task].capitalize()}: {_score_name(score, task)}{unit}"
        return ComparisonTable(title, ("table",), tuple(cells), tuple(entries), (), False)

    return show


def show_kinds(found: RivalCells) -> ComparisonTable:
    """Numbers of tables of a kind where ours has the lower error, and the higher one, by rival."""
    errors = mean_of(found.cells, "error")
    entries = []
    for kind, belongs in KINDS.items():
        names = [name for name, table in found.tables.items() if belongs(found, table)]
        for method in errors:
            apart = [errors[method][name] - errors[OURS][name]
                     for name in names if name in errors[method]]  # fmt: skip
            if method == OURS or not apart:
                continue
            counts = {"better": np.sum(np.array(apart) > 0), "worse": np.sum(np.array(apart) < 0)}
            entries += [
                TableEntry((f"{kind} ({len(names)})", how), method, None, [float(count)], ".0f")
                for how, count in counts.items()
            ]
    rivals = tuple(method for method in errors if method != OURS)
    note = f"Tables on which the error of {OURS} is lower (better) and higher (worse), by rival."
    title = "Wins and losses by kind of table"
    return ComparisonTable(title, ("tables", OURS), rivals, tuple(entries), (note,), False)


KINDS: Mapping[str, Callable[[RivalCells, RivalTable], bool]] = {
    "all": lambda found, table: True,
    "two classes": lambda found, table: _n_classes(table) == 2,
    "three classes or more": lambda found, table: _n_classes(table) > 2,
    "numbers": lambda found, table: table.task == NUMBERS,
    f"fewer than {FEW_TRAINING} training rows": lambda found, table: _is_small(found, table),
    f"{FEW_TRAINING} training rows or more": lambda found, table: not _is_small(found, table),
    "categories of three levels": lambda found, table: table.has_categories,
    "no such categories": lambda found, table: not table.has_categories,
    "missing cells": lambda found, table: table.has_gaps,
    "no missing cells": lambda found, table: not table.has_gaps,
}


def _n_classes(table: RivalTable) -> int:
    return len(np.unique(table.y)) if table.task == CLASSES else 0


def _is_small(found: RivalCells, table: RivalTable) -> bool:
    return bool(found.cells[OURS][table.name][0]["n_train"] < FEW_TRAINING)


def _score_name(score: str, task: str) -> str:
    return SCORES[score] if task == CLASSES else "root mean squared error"


def _row(name: str, values: Mapping[str, float], number_format: str) -> list[TableEntry]:
    return [
        TableEntry((name,), str(method), None, [float(value)], number_format)
        for method, value in values.items()
    ]


def _errors_everywhere(found: RivalCells) -> dict[str, dict[str, float]]:
    """The mean error by method and table, of the methods that serve both tasks."""
    means = mean_of(found.cells, "error")
    return {method: one for method, one in means.items() if len(one) == len(found.tables)}


def _comparison(cells: Mapping[str, Cells], score: str) -> Comparison:
    return compare(mean_of(cells, score), lower_is_better=score != "area")


def _notes(found: RivalCells, overall: Comparison) -> tuple[str, ...]:
    counts = [f"{len(found.of_task(task)[OURS])} tables of {name}" for task, name in TASKS.items()]
    n_splits = {len(cells) for cells in found.cells[OURS].values()}
    lines = [
        f"{' and '.join(counts)}; splits of each table: {' or '.join(map(str, sorted(n_splits)))}. "
        "Seconds are those of the processor, on one thread.",
        f"All tables, methods that predict both classes and numbers. {_tests(overall)}",
    ]
    for task, score in BY_TASK:
        comparison = _comparison(found.of_task(task), score)
        name = f"{TASKS[task].capitalize()} by {_score_name(score, task)}"
        lines.append(f"{name}. {_tests(comparison)}")
    lines += _within_tables(found)
    for task, name in TASKS.items():
        behind = tables_behind(OURS, mean_of(found.of_task(task), "error"))
        lines.append(f"Behind the best of {name} by more than 5%: {', '.join(behind) or 'none'}.")
    if found.failures:
        lines.append(f"Failed, and scored as a guess: {'; '.join(found.failures)}.")
    if found.missing:
        lines.append(f"Not installed, and not run: {', '.join(found.missing)}.")
    return tuple(lines)


def _tests(comparison: Comparison) -> str:
    return (
        f"{tests_note(comparison)} {OURS} against each rival by Wilcoxon's signed-rank test over "
        f"the tables, adjusted by Holm: {', '.join(wilcoxon_against_each(OURS, comparison))}."
    )


def _within_tables(found: RivalCells) -> list[str]:
    """The corrected t-tests, on tables of two splits or more."""
    several = {
        method: {name: cells for name, cells in of_method.items() if len(cells) > 1}
        for method, of_method in found.cells.items()
    }
    lines = []
    for method, cells in several.items():
        if cells and method != OURS:
            ours = {name: several[OURS][name] for name in cells}
            lines.append(significance_against(OURS, method, {OURS: ours, method: cells}))
    return lines


SHOWN: tuple[Callable[[RivalCells], ComparisonTable], ...] = (
    show_ranks,
    *(show_scores(task, score) for task, score in BY_TASK),
    show_kinds,
)


def _exhibit(
    show: Callable[[RivalCells], ComparisonTable],
) -> Callable[[RunOptions], ComparisonTable]:
    return lambda options: show(found_cells(options))


EXHIBITS = tuple(_exhibit(show) for show in SHOWN)
