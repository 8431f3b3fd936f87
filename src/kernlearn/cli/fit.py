"""`kernlearn fit`: learn from a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from kernlearn._cluster import connected
from kernlearn.bundle import ModelBundle
from kernlearn.cli.failure import BAD_USAGE, fail, failures
from kernlearn.cli.fit_checks import (
    FitLimits,
    check_cluster,
    check_device,
    check_fit_outputs,
    check_request,
    checked_fit_effort,
    checked_memory,
    checked_time,
)
from kernlearn.cli.learned import print_learned
from kernlearn.cli.options import (
    AsJson,
    ClassWeights,
    CostTexts,
    Delimiter,
    Encoding,
    Grades,
    MetricName,
    Quietly,
    Seed,
)
from kernlearn.cli.outcome_options import (
    AreCounts,
    EventName,
    ExposureName,
    RankName,
    TargetNames,
    TimeName,
    checked_outcome,
    outcome_facts,
)
from kernlearn.cli.output import goes_to_stdout, say
from kernlearn.cli.problem import (
    METHOD_NAMES,
    CommandOptions,
    FitProblem,
    read_problem,
)
from kernlearn.cli.progress import announce_fits, progress_bar
from kernlearn.cli.report import write_html
from kernlearn.cli.request import (
    FitRequest,
    GoalRequest,
    SourceRequest,
    SplitRequest,
    TableRequest,
)
from kernlearn.inspection._text import plain
from kernlearn.methods.facts import TableSource, make_bundle
from kernlearn.methods.held_out_table import held_out_table
from kernlearn.methods.workflow import learn, n_steps
from kernlearn.persistence import save
from kernlearn.persistence._file import versions
from kernlearn.runtime.processes import cores
from kernlearn.runtime.threads import threads_for
from kernlearn.tables.writing import table_writer
from kernlearn.typing import Json, PandasFrame

if TYPE_CHECKING:
    from distributed import Client

PACKAGES = ("kernlearn", "numpy", "scipy", "scikit-learn", "pandas", "skops")
DEFECT = "this is a defect of kernlearn; please report it, with the table if you may"

TableFile = Annotated[
    Path,
    typer.Argument(help="CSV, TSV, .data or Parquet, or gzip of one, or .xlsx, with column names."),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        help=f"One of {', '.join(METHOD_NAMES)}; "
        "auto compares them all by nested cross-validation.",
        show_default="kernel; mkl with free text, --views or --kernel-matrix",
    ),
]
TaskName = Annotated[
    str,
    typer.Option(
        help="auto, classification or regression; auto takes text, and whole numbers of which "
        "at most ten differ, for classes."
    ),
]
ModelFile = Annotated[Path | None, typer.Option(help="Write the model into this file.")]
ReportFile = Annotated[Path | None, typer.Option(help="Write a report into this file (HTML).")]
HeldOutFile = Annotated[
    Path | None,
    typer.Option(
        help="Write the predictions of held-out rows into this file (.csv, .tsv, .parquet, .gz)."
    ),
]
ViewsFile = Annotated[
    Path | None,
    typer.Option(
        help="TOML file with a table named views, a list of columns or a file under each name: "
        "every view has kernels of its own."
    ),
]
MatrixFiles = Annotated[
    list[Path] | None,
    typer.Option(
        help="Kernel of all rows against all rows (.npy, or text), instead of the columns; "
        "may be given several times."
    ),
]
Repairing = Annotated[
    str,
    typer.Option(
        help="What to do with a kernel matrix that is not positive semidefinite: raise (refuse "
        "it), clip (its negative eigenvalues become zero), shift (add to its diagonal), or "
        "trust (do not look)."
    ),
]
TestSize = Annotated[
    float | None,
    typer.Option(
        help="Share of rows held out once for the score.",
        show_default="0.25 from 1000 rows on, and with --time-order, --no-refit or --method auto",
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Hold out all rows with the same value of this column, such as a patient, together; "
        "it is no input.",
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Hold out the latest rows by this column of numbers or dates, and learn from those "
        "before.",
    ),
]
FoldCount = Annotated[int | None, typer.Option(min=2, help="Number of folds to cross-validate in.")]
Repeats = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Repetitions of the cross-validation, each with other folds.",
        show_default="1 with --cv; below 1000 rows 5 folds, 2 times, or 3 up to 100 rows",
    ),
]
Refitting = Annotated[
    bool,
    typer.Option(
        help="Whether the model that is written is fitted to all rows once it is scored, or is "
        "the one that was scored."
    ),
]
Effort = Annotated[
    str,
    typer.Option(
        metavar="EFFORT",
        help="How much the method kernel tries: fast, default, best, or a number: about how many "
        "times as long as by default a fit may take.",
    ),
]
CategoryNames = Annotated[
    list[str] | None, typer.Option(help="Column of categories, whatever it looks like.")
]
DroppedNames = Annotated[list[str] | None, typer.Option(help="Column to leave out.")]
Seconds = Annotated[
    float | None,
    typer.Option(
        help="Limit of one fit in seconds, where the method has one (rbf-svm has none); it "
        "then ends with the best so far. Tuning and comparing take many fits."
    ),
]
Bytes = Annotated[
    str | None,
    typer.Option(
        help="Memory limit of the whole command, for example 2GB. It limits ranks, and a table "
        "that is too large is sampled.",
        show_default="the free memory",
    ),
]
DeviceName = Annotated[
    str | None,
    typer.Option(
        help="Where the methods that learn through landmarks (mkl, first-level, lssvm) compute "
        "kernels and products: cpu, cuda, or the like of cuda:1. `kernlearn info` lists them.",
        show_default="cpu",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Learn the model (by mkl, first-level or lssvm, from more than 3000 rows) on the "
        "workers of the Dask scheduler at this address.",
    ),
]


def fit(
    context: typer.Context,
    table: TableFile,
    target: TargetNames = None,
    event: EventName = None,
    time: TimeName = None,
    counts: AreCounts = False,
    exposure: ExposureName = None,
    rank_by: RankName = None,
    method: MethodName = None,
    task: TaskName = "auto",
    model: ModelFile = None,
    report: ReportFile = None,
    held_out: HeldOutFile = None,
    views: ViewsFile = None,
    kernel_matrix: MatrixFiles = None,
    psd: Repairing = "raise",
    test_size: TestSize = None,
    cv: FoldCount = None,
    repeats: Repeats = None,
    groups: GroupColumn = None,
    time_order: TimeColumn = None,
    refit: Refitting = True,
    metric: MetricName = None,
    class_weight: ClassWeights = None,
    cost: CostTexts = None,
    ordinal: Grades = None,
    categorical: CategoryNames = None,
    drop: DroppedNames = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    effort: Effort = "default",
    time_limit: Seconds = None,
    memory: Bytes = None,
    device: DeviceName = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quietly = False,
) -> None:
    """Fit a model that predicts a column of a table, and score it on held-out rows.

    For example: kernlearn fit wine.csv --target class --model wine.kl --report wine.html
    """
    named = frozenset(categorical or ()), frozenset(drop or ())
    reading = TableRequest(table, delimiter, encoding, *named)
    predicted = checked_outcome(target, (event, time), counts, exposure, rank_by)
    goal = GoalRequest(predicted, task, ordinal, class_weight, cost, metric)
    splits = SplitRequest(test_size, cv, repeats, groups, time_order, refit)
    sources = SourceRequest(views, tuple(kernel_matrix or ()), psd)
    how = method, checked_fit_effort(effort, method), seed, report is not None
    request = FitRequest(reading, goal, splits, sources, *how)
    limits = _checked_limits(request, time_limit, memory, device, cluster)
    to_stdout = _checked_outputs(request, model, report, held_out, as_json)
    with failures(f"fit {table.name or table}", table, otherwise=DEFECT), limits.memory_kept():
        options = context.obj or CommandOptions()
        timeout = options.cluster_timeout
        with nullcontext() if cluster is None else connected(cluster, timeout) as client:
            bundle, rows = _learned(request, options, limits, client, quiet or as_json)
        draw = partial(write_html, pictures=options.pictures)
        written = _written(bundle, rows, model, report, held_out, draw)
    _show(bundle, written, as_json, quiet, err=to_stdout)


def _checked_limits(
    request: FitRequest,
    time_limit: float | None,
    memory: str | None,
    device: str | None,
    cluster: str | None,
) -> FitLimits:
    check_request(request)
    check_device(device, request)
    check_cluster(cluster, device, request)
    return FitLimits(checked_time(time_limit), checked_memory(memory), device)


def _checked_outputs(
    request: FitRequest,
    model: Path | None,
    report: Path | None,
    held_out: Path | None,
    as_json: bool,
) -> bool:
    """Whether a file goes to standard output; refuses files that could not be written."""
    inputs = request.reading.table, request.sources.views, *request.sources.matrices
    check_fit_outputs([model, report, held_out], inputs, held_out)
    to_stdout = goes_to_stdout(model, report, held_out)
    if to_stdout and as_json:
        fail("--json prints to standard output too: give files other names.", BAD_USAGE)
    return to_stdout


def _learned(
    request: FitRequest,
    options: CommandOptions,
    limits: FitLimits,
    client: Client | None,
    quiet: bool,
) -> tuple[ModelBundle, PandasFrame]:
    problem = read_problem(request, options)
    # A process that has used a device, or a cluster, cannot be forked.
    may_fork = limits.device is None and client is None
    n_jobs = (options.n_jobs or cores()) if may_fork else 1
    # All of it on one thread where rows are few, not only what is learned: on a busy machine
    # threads were seen to take six times as long for the relevance of columns.
    with threads_for(len(problem.task.y)):
        return _learned_from(problem, request, limits, client, n_jobs, quiet)


def _learned_from(
    problem: FitProblem,
    request: FitRequest,
    limits: FitLimits,
    client: Client | None,
    n_jobs: int,
    quiet: bool,
) -> tuple[ModelBundle, PandasFrame]:
    announce_fits(problem.task, quiet)
    with progress_bar(f"learning {problem.outcome.name}", n_steps(problem.task), quiet) as bar:
        # A function rather than the method: an estimator is cloned with a copy of its callback.
        task = replace(
            problem.task,
            time_limit=limits.seconds,
            device=limits.device,
            client=client,
            n_jobs=n_jobs,
            callback=lambda progress: bar.show(progress),
        )
        outcome = learn(task, bar)
    about = {
        "table": plain(request.reading.table.name),
        **outcome_facts(problem.outcome),
        "command": ["kernlearn", *map(plain, sys.argv[1:])],
        "versions": versions(PACKAGES),
        "reading": {"delimiter": request.reading.delimiter, "encoding": problem.encoding},
    }
    read = problem.n_read, problem.dropped, problem.notes, problem.warnings
    source = TableSource(about, *read)
    bundle = make_bundle(problem.task, problem.target, outcome, source)
    return bundle, held_out_table(problem.task, outcome, problem.target.rows)


def _written(
    bundle: ModelBundle,
    predicted: PandasFrame,
    model: Path | None,
    report: Path | None,
    held_out: Path | None,
    write_report: Callable[[ModelBundle, Path], None],
) -> list[Path]:
    written: list[Path] = []

    def write_held_out(_: ModelBundle, path: Path) -> None:
        with table_writer(path) as write_rows:
            write_rows(predicted)

    for path, write in ((model, save), (report, write_report), (held_out, write_held_out)):
        if path is None:
            continue
        try:
            stopped = f"stopped; {path} was not written."
            with failures(f"write {path}", path, stopped, otherwise=DEFECT):
                write(bundle, path)
        except typer.Exit:
            for before in written:
                say(f"written: {before}", err=True)
            raise
        written.append(path)
    return written


def _show(bundle: ModelBundle, written: list[Path], as_json: bool, quiet: bool, err: bool) -> None:
    if as_json:
        facts: Json = {**bundle.facts, "written": [str(path) for path in written]}
        typer.echo(json.dumps(facts, allow_nan=False))
    elif not quiet:
        print_learned(Console(stderr=err), bundle.facts)
        for path in written:
            say(f"written: {path}", err)
