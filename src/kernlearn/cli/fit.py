"""`kernlearn fit`: learn from a table."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from kernlearn._cluster import connected
from kernlearn.bundle import ModelBundle
from kernlearn.cli.failure import BAD_USAGE, fail, failures
from kernlearn.cli.fit_checks import (
    FitLimits,
    check_cluster,
    check_device,
    check_request,
    checked_memory,
    checked_time,
)
from kernlearn.cli.fit_options import (
    HOLDOUT,
    AsJson,
    Bytes,
    CategoryNames,
    ClassWeights,
    Cluster,
    Delimiter,
    DeviceName,
    DroppedNames,
    Folds,
    HoldoutShare,
    MatrixFiles,
    MethodName,
    MetricName,
    ModelFile,
    Quietly,
    Refitting,
    Repairing,
    ReportFile,
    Seconds,
    Seed,
    TableFile,
    TargetName,
    TaskName,
    ViewsFile,
)
from kernlearn.cli.learned import print_learned
from kernlearn.cli.output import check_outputs, goes_to_stdout, say
from kernlearn.cli.problem import CommandOptions, FitProblem, FitRequest, read_problem
from kernlearn.cli.progress import progress_bar
from kernlearn.cli.report import write_html
from kernlearn.inspection._text import plain
from kernlearn.methods.facts import TableSource, make_bundle
from kernlearn.methods.workflow import learn, n_steps
from kernlearn.persistence import save
from kernlearn.persistence._file import versions
from kernlearn.runtime.processes import cores
from kernlearn.runtime.threads import threads_for

if TYPE_CHECKING:
    from distributed import Client

PACKAGES = ("kernlearn", "numpy", "scipy", "scikit-learn", "pandas", "skops")
DEFECT = "this is a defect of kernlearn; please report it, with the table if you may"


def fit(
    context: typer.Context,
    table: TableFile,
    target: TargetName,
    method: MethodName = None,
    task: TaskName = "auto",
    model: ModelFile = None,
    report: ReportFile = None,
    views: ViewsFile = None,
    kernel_matrix: MatrixFiles = None,
    psd: Repairing = "raise",
    holdout: HoldoutShare = HOLDOUT,
    cv: Folds = None,
    refit: Refitting = True,
    metric: MetricName = None,
    class_weight: ClassWeights = None,
    categorical: CategoryNames = None,
    drop: DroppedNames = None,
    delimiter: Delimiter = None,
    time_limit: Seconds = None,
    memory: Bytes = None,
    device: DeviceName = None,
    cluster: Cluster = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: Quietly = False,
) -> None:
    """Learn to predict a column of a table, and say how well that goes on rows held out.

    For example: kernlearn fit wine.csv --target class --model wine.kl --report wine.html
    """
    request = FitRequest(
        table,
        target,
        method,
        task,
        holdout,
        cv,
        seed,
        views,
        tuple(kernel_matrix or ()),
        frozenset(categorical or ()),
        frozenset(drop or ()),
        delimiter,
        metric,
        class_weight,
        psd,
        refit,
    )
    check_request(request)
    check_device(device, request)
    check_cluster(cluster, device, request)
    limits = FitLimits(checked_time(time_limit), checked_memory(memory), device)
    check_outputs([model, report], [table, views, *request.matrices])
    to_stdout = goes_to_stdout(model, report)
    if to_stdout and as_json:
        fail("--json prints to standard output too: give --model and --report names.", BAD_USAGE)
    with failures(f"fit {table.name or table}", table, otherwise=DEFECT), limits.memory_kept():
        with nullcontext() if cluster is None else connected(cluster) as client:
            options = context.obj or CommandOptions()
            bundle = _learned(request, options, limits, client, quiet or as_json)
        written = _written(bundle, model, report)
    _show(bundle, written, as_json, quiet, err=to_stdout)


def _learned(
    request: FitRequest,
    options: CommandOptions,
    limits: FitLimits,
    client: Client | None,
    quiet: bool,
) -> ModelBundle:
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
) -> ModelBundle:
    with progress_bar(f"learning {request.target}", n_steps(problem.task), quiet) as bar:
        # A function rather than the method: an estimator is cloned with a copy of its callback.
        task = replace(
            problem.task,
            time_limit=limits.seconds,
            device=limits.device,
            client=client,
            n_jobs=n_jobs,
            callback=lambda told: bar.show(told),
        )
        outcome = learn(task, bar)
    about = {
        "table": plain(request.table.name),
        "target": request.target,
        "command": ["kernlearn", *map(plain, sys.argv[1:])],
        "versions": versions(PACKAGES),
    }
    source = TableSource(about, problem.n_read, problem.dropped, problem.notes)
    return make_bundle(problem.task, problem.target, outcome, source)


def _written(bundle: ModelBundle, model: Path | None, report: Path | None) -> list[Path]:
    written: list[Path] = []
    for path, write in ((model, save), (report, write_html)):
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
        facts: dict[str, Any] = {**bundle.facts, "written": [str(path) for path in written]}
        typer.echo(json.dumps(facts, allow_nan=False))
    elif not quiet:
        print_learned(Console(stderr=err), bundle.facts)
        for path in written:
            say(f"written: {path}", err)
