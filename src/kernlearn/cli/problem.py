"""From what was typed to what is to be learned."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import cast

import numpy as np

from kernlearn._cluster.scheduling import TIMEOUT
from kernlearn.cli.outcome_options import OutcomeRequest, check_targets
from kernlearn.cli.request import FitRequest, GoalRequest, SplitRequest
from kernlearn.cli.row_columns import not_an_input, read_groups, read_times
from kernlearn.gram.psd import Repair
from kernlearn.kernels import Precomputed
from kernlearn.methods.class_weights import read_class_weight
from kernlearn.methods.costs import Costs, check_two_classes, read_costs
from kernlearn.methods.grades import read_grades
from kernlearn.methods.leakage import leaking_columns, repeated_identities
from kernlearn.methods.matrices import read_matrices
from kernlearn.methods.method import METHOD_OPTIONS, MethodOptions, Setting
from kernlearn.methods.metrics import KAPPA, find_metric
from kernlearn.methods.outcomes import outcome_numbers, outcome_task
from kernlearn.methods.registry import KERNEL, METHODS, MKL
from kernlearn.methods.survival import evaluation_times
from kernlearn.methods.task import AUTO, WORKFLOW, Task, WorkflowOptions
from kernlearn.methods.views import (
    ViewFiles,
    as_words,
    found_views,
    read_view_files,
    read_views,
    with_words,
)
from kernlearn.runtime.memory import available, in_words
from kernlearn.tables import (
    Column,
    CompactTable,
    TableError,
    Target,
    columns_used,
    describe_columns,
    read_compact,
    typed_columns,
)
from kernlearn.tables.encodings import checked_encoding, encoding_note, found_encoding
from kernlearn.tables.outcome_targets import COUNTS, OUTCOMES
from kernlearn.tables.survival_target import SURVIVAL
from kernlearn.typing import Json, PandasFrame

METHOD_NAMES = (*METHODS, AUTO)
TEST_SIZE = 0.25
FOLDS = 5
FEWEST_ROWS = 10
FEWEST_TO_LEARN = 5
ROW_NUMBER = Column("row number", "row number", "points to a row of the kernel matrices")


@dataclass(frozen=True)
class CommandOptions:
    """Settings of the commands that are no options."""

    workflow: WorkflowOptions = WORKFLOW
    methods: MethodOptions = METHOD_OPTIONS
    n_jobs: int | None = None
    """Processes at once; by default one for each core."""
    rows_at_a_time: int = 1000
    """Rows that are predicted at once: their kernel with the support vectors is in memory."""
    cluster_timeout: float = TIMEOUT
    """Seconds after which a scheduler is taken to be missing."""
    few_rows: int = 1000
    """Number of rows below which all are held out by default, in repeated folds."""
    pictures: Collection[str] | None = None
    """Names of the pictures of a report; None for all."""
    table_share: float = 1.0 / 8.0
    """Share of the memory that the table may take: its rows are copied to be split and
    prepared."""


@dataclass(frozen=True, eq=False)
class FitProblem:
    """A task, its target, and what became of the rows of the table."""

    task: Task
    target: Target
    outcome: OutcomeRequest
    n_read: int
    """Rows of the table."""
    dropped: list[tuple[str, int]]
    """Reasons for which rows were left out, each with the number of rows."""
    notes: list[str]
    """Notes on the table as a whole."""
    warnings: list[str]
    """Reasons why the scores may be optimistic."""
    encoding: str
    """Encoding of the table, if it is text."""


def read_problem(request: FitRequest, options: CommandOptions) -> FitProblem:
    """Read the table and all that comes with it."""
    files = None if request.sources.views is None else read_view_files(request.sources.views)
    notes: list[str] = []
    encoding = _encoding(request, notes)
    table = _read(request, files, notes, options.table_share, encoding)
    frame = table.frame
    goal = replace(request.goal, outcome=request.goal.outcome.within(frame.columns))
    request = replace(request, goal=goal)
    check_targets(goal.outcome)
    _check_table(frame, request)
    if files is not None:
        frame = files.joined(frame)
        files.check_matches(frame)
    target = _target(frame, request.goal)
    if len(target.rows) < FEWEST_ROWS:
        raise TableError(
            f"expected at least {FEWEST_ROWS} rows with a target, got {len(target.rows)}; add rows"
        )
    task = _task(frame, target, request, files, options, notes)
    _check_splits(task)
    dropped = _dropped_rows(table.n_rows, len(frame), target, goal.outcome)
    warned = [] if request.sources.matrices else _leakage_warnings(frame, task, request, target)
    read = table.n_rows, dropped, notes, warned, encoding
    return FitProblem(task, target, goal.outcome, *read)


def _task(
    frame: PandasFrame,
    target: Target,
    request: FitRequest,
    files: ViewFiles | None,
    options: CommandOptions,
    notes: list[str],
) -> Task:
    """What is to be learned, by which method, and how it is evaluated."""
    columns, views, kernels = _sources(frame, target, request, files, notes)
    X = typed_columns(frame, columns).iloc[target.rows].reset_index(drop=True)
    setting = replace(
        _setting(request, target, tuple(views or ()), kernels),
        options=replace(options.methods, effort=request.effort),
    )
    method = request.method or _default_method(request, views, notes)
    task = Task(X, target.y, columns, setting, method, views=views, options=options.workflow)
    is_small = len(target.rows) < options.few_rows
    held_out = _evaluation_settings(request.splits, len(target.rows), is_small and method != AUTO)
    costs = _costs(request, setting)
    dependence = _dependence(frame, request, target)
    return replace(task, **held_out, **dependence, costs=costs, has_curve=request.has_report)


def _sources(
    frame: PandasFrame,
    target: Target,
    request: FitRequest,
    files: ViewFiles | None,
    notes: list[str],
) -> tuple[list[Column], dict[str, list[str]] | None, tuple[Precomputed, ...]]:
    """The columns of the inputs, their views, and the kernel matrices that take their place."""
    named, psd = request.sources, cast(Repair, request.sources.psd)
    if named.matrices:
        notes.append("the columns of the table are not used: the kernel matrices take their place")
        return [ROW_NUMBER], None, read_matrices(named.matrices, len(frame), psd)
    columns, found = _columns(frame, target, request, files)
    views = found or None if named.views is None else read_views(named.views, columns)
    return columns, views, ()


def _dropped_rows(
    n_read: int, n_kept: int, target: Target, outcome: OutcomeRequest
) -> list[tuple[str, int]]:
    """Reasons for which rows were left out, each with the number of rows."""
    n_missing = n_kept - len(target.rows)
    named = " or ".join(repr(name) for name in outcome.columns)
    dropped = [(f"without a value of {named}", n_missing)] if n_missing else []
    if n_read > n_kept:
        dropped.append(("for which there was no room in memory", n_read - n_kept))
    return dropped


def _target(frame: PandasFrame, goal: GoalRequest) -> Target:
    """Values of the target; grades are classes, whatever they look like."""
    is_graded = goal.task == "auto" and (goal.ordinal is not None or goal.metric == KAPPA)
    return goal.outcome.read(frame, "classification" if is_graded else goal.task)


def _evaluation_settings(request: SplitRequest, n_rows: int, is_small: bool) -> Json:
    """Settings of the evaluation: one split, or folds, which are repeated if rows are few."""
    size, cv, repeats = request.test_size or TEST_SIZE, request.cv, request.repeats
    is_free = cv is None and request.test_size is None and request.refit
    if is_free and (repeats is not None or (is_small and request.time_order is None)):
        cv = FOLDS
        repeats = repeats or (3 if n_rows <= 100 else 2)
    return {"test_size": size, "cv": cv, "repeats": repeats or 1, "refit": request.refit}


def _dependence(frame: PandasFrame, request: FitRequest, target: Target) -> Json:
    """Groups and time order of the rows, from columns."""
    found: Json = {}
    rank_by = request.goal.outcome.rank_by
    for name, option in ((request.splits.groups, "--groups"), (rank_by, "--rank-by")):
        if name is not None:
            found["groups"] = read_groups(frame, name, target.rows, option)
    if request.splits.time_order is not None:
        found["times"] = read_times(frame, request.splits.time_order, target.rows)
    return found


def _leakage_warnings(
    frame: PandasFrame, task: Task, request: FitRequest, target: Target
) -> list[str]:
    """Columns that make a score too good to be true."""
    given = target.y, target.task, request.goal.outcome.name
    if target.task == SURVIVAL:
        given = target.y["time"], "regression", request.goal.outcome.name
    elif target.task == OUTCOMES:
        return []  # no sentence names which of them
    elif outcome_task(target.y) is not None:
        given = outcome_numbers(target.y), "regression", request.goal.outcome.name
    named: dict[str, str] = {}
    if task.groups is None:
        looked_at = ("number", "category", "text", "identifier")
        names = [c.name for c in task.columns if c.kind in looked_at and c.name in frame.columns]
        named = repeated_identities(frame.iloc[target.rows], names, *given)
    used = columns_used(task.columns, "number", "date", "category")
    others = task.X[[name for name in used if name not in named]]
    return [*named.values(), *leaking_columns(others, *given, task.units.known).values()]


def _encoding(request: FitRequest, notes: list[str]) -> str:
    """The given encoding, or the detected one; a guess is noted."""
    if request.reading.encoding is not None:
        return checked_encoding(request.reading.encoding)
    found = found_encoding(request.reading.table)
    note = encoding_note(request.reading.table, found)
    notes += [] if note is None else [note]
    return found


def _read(
    request: FitRequest, files: ViewFiles | None, notes: list[str], share: float, encoding: str
) -> CompactTable:
    """The table, or a sample of its rows where it would not fit."""
    # Labels and categories may be numbers that are written in some way, and ids are.
    goal, groups = request.goal, request.splits.groups
    named = (*goal.outcome.columns, groups, files.id_column if files else None)
    as_written = {*request.reading.categorical, *(name for name in named if name is not None)}
    there = available()
    room = np.inf if there is None else share * there
    if request.sources.matrices:
        room = np.inf  # the matrices have as many rows, and were made for all of them
    how = request.reading.delimiter, as_written, room, request.seed
    table = read_compact(request.reading.table, *how, encoding=encoding)
    if table.n_rows > len(table.frame):
        notes.append(
            f"of the {table.n_rows} rows of the table a random {len(table.frame)} were read, as "
            f"many as fit into {in_words(room)}, an eighth of the memory that there is; "
            "--memory allows for more"
        )
    return table


def _check_splits(task: Task) -> None:
    n_train = min(len(train) for train, _ in task.splits())
    if n_train < FEWEST_TO_LEARN:
        option = f"--cv {task.cv}" if task.cv else f"--test-size {task.test_size:g}"
        raise TableError(
            f"expected at least {FEWEST_TO_LEARN} rows to learn from, {option} leaves {n_train}; "
            "hold fewer rows out"
        )
    for kind, what, field in (
        (SURVIVAL, "the event", "event"),
        (COUNTS, "a count above zero", "count"),
    ):
        if task.setting.task != kind:
            continue
        n_seen = min(int((task.y[field][train] > 0).sum()) for train, _ in task.splits())
        if n_seen < FEWEST_TO_LEARN:
            raise TableError(
                f"expected at least {FEWEST_TO_LEARN} rows with {what} to learn from, got "
                f"{n_seen} where others are held out; add rows, or hold fewer out"
            )
    if task.groups is None:
        return
    n_units = min(len(np.unique(task.units.codes[train])) for train, _ in task.splits())
    if n_units < FOLDS:
        raise TableError(
            f"expected at least {FOLDS} groups to learn from, got {n_units} that share no row; "
            "hold fewer rows out, or name the column of smaller groups"
        )


def _setting(
    request: FitRequest, target: Target, views: tuple[str, ...], kernels: tuple[Precomputed, ...]
) -> Setting:
    classes = np.unique(target.y) if target.task == "classification" else None
    grades = read_grades(request.goal.ordinal, classes)
    setting = Setting(
        target.task,
        request.seed,
        views=views,
        kernels=kernels,
        classes=classes,
        class_weight=read_class_weight(request.goal.class_weight, classes),
        grades=grades,
        outcomes=request.goal.outcome.targets if target.task == OUTCOMES else (),
        times=evaluation_times(target.y) if target.task == SURVIVAL else None,
    )
    judged = target.task, target.y, classes, setting.ranks
    return replace(setting, metric=find_metric(request.goal.metric, *judged))


def _costs(request: FitRequest, setting: Setting) -> Costs | None:
    costs = read_costs(request.goal.cost)
    if costs is not None:
        check_two_classes(None if setting.classes is None else setting.classes.tolist())
    return costs


def _default_method(request: FitRequest, views: Iterable[str] | None, notes: list[str]) -> str:
    given = (
        "--kernel-matrix"
        if request.sources.matrices
        else "--views"
        if request.sources.views
        else None
    )
    if given is None and views:
        given = f"free text; the sources are {', '.join(views)}"
    if given is None:
        return KERNEL.name
    notes.append(f"the method is {MKL.name}, which combines kernels: the default with {given}")
    return MKL.name


def _check_table(frame: PandasFrame, request: FitRequest) -> None:
    names = list(frame.columns)
    if len(frame) == 0:
        raise TableError("the table has no rows below its column names; add rows")
    splits = request.splits
    roles = (*request.goal.outcome.columns, splits.groups, splits.time_order)
    for name in (*roles, *sorted(request.reading.categorical | request.reading.drop)):
        if name is None or name in names:
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
    frame: PandasFrame, target: Target, request: FitRequest, files: ViewFiles | None
) -> tuple[list[Column], dict[str, list[str]]]:
    """Descriptions of the columns, and sources for free text if the user names none."""
    joined = files.views if files is not None else {}
    known = {*request.goal.outcome.columns, *joined}
    names = [name for name in frame.columns if name not in known]
    rows = frame.iloc[target.rows]
    described = describe_columns(rows, names, request.reading.categorical, request.reading.drop)
    columns = [not_an_input(column, request.splits.groups) for column in described]
    if files is not None and request.sources.views is not None:
        columns = with_words(_without_ids(columns, files), request.sources.views) + files.columns()
    views: dict[str, list[str]] = {}
    if files is None and request.method in (None, MKL.name):
        columns, views = found_views(columns)
    elif files is None and request.method == KERNEL.name:
        columns = [as_words(column) for column in columns]
    if not columns_used(columns):
        raise TableError(
            f"no column besides the target {request.goal.outcome.name!r} can be used "
            f"({', '.join(f'{c.name}: {c.kind}' for c in columns[:5]) or 'there is none'}); add "
            "columns of numbers or categories"
        )
    return columns, views
