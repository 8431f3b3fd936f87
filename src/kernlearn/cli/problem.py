"""From what was typed to what is to be learned."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import numpy as np

from kernlearn.gram.psd import Repair
from kernlearn.methods.class_weights import read_class_weight
from kernlearn.methods.kernel import KERNEL
from kernlearn.methods.matrices import read_matrices
from kernlearn.methods.method import Setting
from kernlearn.methods.metrics import find_metric
from kernlearn.methods.mkl import MKL
from kernlearn.methods.task import Task
from kernlearn.methods.view_files import ViewFiles
from kernlearn.methods.views import found_views, read_view_files, read_views, with_words
from kernlearn.runtime.memory import available, in_words
from kernlearn.tables import (
    Column,
    CompactTable,
    TableError,
    Target,
    columns_used,
    describe_columns,
    read_compact,
    read_target,
    typed_columns,
)

__all__ = ["Problem", "Request", "read_problem"]

FEWEST_ROWS = 10
FEWEST_TO_LEARN = 5
# Of the memory there is, what the table may take: its rows are copied to be divided, prepared,
# and seen in several ways.
TABLE_SHARE = 1.0 / 8.0
ROW_NUMBER = Column("row number", "row number", "points to a row of the kernel matrices")


@dataclass(frozen=True)
class Request:
    """The arguments of `fit` that say what to learn."""

    table: Path
    target: str
    method: str | None
    task: str
    holdout: float
    cv: int | None
    seed: int
    views: Path | None
    matrices: tuple[Path, ...]
    categorical: frozenset[str]
    drop: frozenset[str]
    delimiter: str | None
    metric: str | None = None
    class_weight: str | None = None
    psd: str = "raise"
    refit: bool = True


@dataclass(frozen=True, eq=False)
class Problem:
    """A task, its target, and what became of the rows of the table.

    Attributes
    ----------
    task, target
        What is to be learned.
    n_read : int
        Rows of the table.
    dropped : list of (str, int)
        Why rows were left out, and how many.
    notes : list of str
        What was done to the table as a whole.
    """

    task: Task
    target: Target
    n_read: int
    dropped: list[tuple[str, int]]
    notes: list[str]


def read_problem(request: Request) -> Problem:
    """Read the table and all that comes with it."""
    files = None if request.views is None else read_view_files(request.views)
    notes: list[str] = []
    table = _read(request, files, notes)
    frame = table.frame
    _check_table(frame, request)
    if files is not None:
        frame = files.joined(frame)
        files.check_matches(frame)
    target = read_target(frame[request.target], request.target, request.task)
    if len(target.rows) < FEWEST_ROWS:
        raise TableError(
            f"expected at least {FEWEST_ROWS} rows with a target, got {len(target.rows)}; add rows"
        )
    kernels: tuple[Any, ...] = ()
    views = None
    if request.matrices:
        kernels = read_matrices(request.matrices, len(frame), cast(Repair, request.psd))
        columns = [ROW_NUMBER]
        notes.append("the columns of the table are not used: the kernel matrices take their place")
    else:
        columns, found = _columns(frame, target, request, files)
        views = read_views(request.views, columns) if request.views is not None else found or None
    X = typed_columns(frame, columns).iloc[target.rows].reset_index(drop=True)
    setting = _setting(request, target, tuple(views or ()), kernels)
    method = request.method or _default_method(request, views, notes)
    task = Task(
        X, target.y, columns, setting, method, request.holdout, request.cv, request.refit, views
    )
    _check_splits(task)
    n_missing = len(frame) - len(target.rows)
    dropped = [(f"without a value of {request.target!r}", n_missing)] if n_missing else []
    if table.n_rows > len(frame):
        dropped.append(("for which there was no room in memory", table.n_rows - len(frame)))
    return Problem(task, target, table.n_rows, dropped, notes)


def _read(request: Request, files: ViewFiles | None, notes: list[str]) -> CompactTable:
    """The table, or a sample of its rows where it would not fit."""
    # Labels and categories may be numbers that are written in some way, and ids are.
    as_written = {request.target, *request.categorical, *((files.id_column,) if files else ())}
    there = available()
    room = np.inf if there is None else TABLE_SHARE * there
    if request.matrices:
        room = np.inf  # the matrices have as many rows, and were made for all of them
    table = read_compact(request.table, request.delimiter, as_written, room, request.seed)
    if table.n_rows > len(table.frame):
        notes.append(
            f"of the {table.n_rows} rows of the table a random {len(table.frame)} were read, as "
            f"many as fit into {in_words(room)}, an eighth of the memory that there is; "
            "--memory allows for more"
        )
    return table


def _check_splits(task: Task) -> None:
    n_learned = min(len(train) for train, _ in task.splits())
    if n_learned < FEWEST_TO_LEARN:
        option = f"--cv {task.cv}" if task.cv else f"--holdout {task.holdout:g}"
        raise TableError(
            f"expected at least {FEWEST_TO_LEARN} rows to learn from, {option} leaves {n_learned}; "
            "hold fewer rows out"
        )


def _setting(
    request: Request, target: Target, views: tuple[str, ...], kernels: tuple[Any, ...]
) -> Setting:
    classes = np.unique(target.y) if target.task == "classification" else None
    return Setting(
        target.task,
        request.seed,
        views=views,
        kernels=kernels,
        classes=classes,
        class_weight=read_class_weight(request.class_weight, classes),
        metric=find_metric(request.metric, target.task, target.y, classes),
    )


def _default_method(request: Request, views: Any, notes: list[str]) -> str:
    given = "--kernel-matrix" if request.matrices else "--views" if request.views else None
    if given is None and views:
        given = f"free text; the sources are {', '.join(views)}"
    if given is None:
        return KERNEL.name
    notes.append(f"the method is {MKL.name}, which combines kernels: the default with {given}")
    return MKL.name


def _check_table(frame: Any, request: Request) -> None:
    names = list(frame.columns)
    if len(frame) == 0:
        raise TableError("the table has no rows below its column names; add rows")
    for name in (request.target, *sorted(request.categorical), *sorted(request.drop)):
        if name in names:
            continue
        in_any_case = {known.casefold(): known for known in names}
        close = get_close_matches(name.casefold(), in_any_case, 1)
        hint = f"did you mean {in_any_case[close[0]]!r}?" if close else f"it has {_listed(names)}"
        raise TableError(f"the table has no column {name!r}: {hint}")


def _without_ids(columns: list[Column], files: ViewFiles) -> list[Column]:
    """Ids are no numbers to learn from, whatever they look like."""
    ids = Column(files.id_column, "identifier", "left out: its ids join the files of the views")
    return [ids if files.views and c.name == files.id_column else c for c in columns]


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:8]) + ", …" * (len(names) > 8)


def _columns(
    frame: Any, target: Target, request: Request, files: ViewFiles | None
) -> tuple[list[Column], dict[str, list[str]]]:
    """What the columns are, and the sources of a table with free text where none are named."""
    joined = files.views if files is not None else {}
    names = [name for name in frame.columns if name != request.target and name not in joined]
    rows = frame.iloc[target.rows]
    columns = describe_columns(rows, names, request.categorical, request.drop)
    if files is not None and request.views is not None:
        columns = with_words(_without_ids(columns, files), request.views) + files.columns()
    views: dict[str, list[str]] = {}
    if files is None and request.method in (None, MKL.name):
        columns, views = found_views(columns)
    if not columns_used(columns):
        raise TableError(
            f"no column besides the target {request.target!r} can be used "
            f"({', '.join(f'{c.name}: {c.kind}' for c in columns[:5]) or 'there is none'}); add "
            "columns of numbers or categories"
        )
    return columns, views
