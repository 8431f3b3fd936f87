"""`kernlearn fit`: learn from a table."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from kernlearn._device import place_of
from kernlearn._memory import in_words, limited_to, parse_size, resident
from kernlearn.bundle import ModelBundle
from kernlearn.cli.failure import BAD_USAGE, fail, failures
from kernlearn.cli.learned import print_learned
from kernlearn.cli.output import check_outputs, goes_to_stdout, say
from kernlearn.cli.problem import Request, read_problem
from kernlearn.cli.progress import progress_bar
from kernlearn.cli.report import write_html
from kernlearn.inspection._text import plain
from kernlearn.methods.facts import Source, make_bundle
from kernlearn.methods.registry import METHODS
from kernlearn.methods.workflow import learn, n_steps
from kernlearn.persistence import save
from kernlearn.persistence._file import versions

__all__ = ["fit"]

PACKAGES = ("kernlearn", "numpy", "scipy", "scikit-learn", "pandas", "skops")
NAMES = (*METHODS, "auto")
ON_DEVICES = ("mkl", "first-level", "lssvm")
# Beside what the program takes before it has read anything.
LEAST_MEMORY = 200_000_000
DEFECT = "this is a defect of kernlearn; please report it, with the table if you may"


def fit(
    table: Annotated[
        Path, typer.Argument(help="CSV, TSV, .data or Parquet, or gzip of one, with column names.")
    ],
    target: Annotated[str, typer.Option(help="Name of the column to predict.")],
    method: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(NAMES)}; auto compares them all by nested cross-validation.",
            show_default="kernel; mkl with --views or --kernel-matrix",
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            help="auto, classification or regression; auto takes text, and whole numbers of which "
            "at most ten differ, for classes."
        ),
    ] = "auto",
    model: Annotated[Path | None, typer.Option(help="Write the model into this file.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report into this file (HTML).")
    ] = None,
    views: Annotated[
        Path | None,
        typer.Option(
            help="TOML file with a table named views, a list of columns or a file under each name: "
            "every view has kernels of its own."
        ),
    ] = None,
    kernel_matrix: Annotated[
        list[Path] | None,
        typer.Option(
            help="Kernel of all rows against all rows (.npy, or text), instead of the columns; "
            "may be given several times."
        ),
    ] = None,
    psd: Annotated[
        str,
        typer.Option(
            help="What to do with a kernel matrix that is not positive semidefinite: raise (refuse "
            "it), clip (its negative eigenvalues become zero), shift (add to its diagonal), or "
            "trust (do not look)."
        ),
    ] = "raise",
    holdout: Annotated[float, typer.Option(help="Share of rows held out for the score.")] = 0.25,
    cv: Annotated[
        int | None, typer.Option(min=2, help="Cross-validate in so many folds instead.")
    ] = None,
    refit: Annotated[
        bool,
        typer.Option(
            help="Whether the model that is written is fitted to all rows once it is scored, or is "
            "the one that was scored."
        ),
    ] = True,
    metric: Annotated[
        str | None,
        typer.Option(
            help="What models are judged by: the name of a scorer of scikit-learn, such as "
            "balanced_accuracy, roc_auc or neg_mean_absolute_error.",
            show_default="accuracy, or r2 for numbers",
        ),
    ] = None,
    class_weight: Annotated[
        str | None,
        typer.Option(help='Weights of the classes: balanced, or for example "yes=5,no=1".'),
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column of categories, whatever it looks like.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates the cells, if not a comma or a tab.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Limit of one fit in seconds, where the method has one (rbf-svm has none); it "
            "then ends with the best so far. Tuning and comparing take many fits."
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="What the command may take of it in all, such as 2GB: ranks are chosen, and rows "
            "of a table that is too large sampled, so that it is enough.",
            show_default="what is free",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            help="Where the methods that learn through landmarks (mkl, first-level, lssvm) compute "
            "kernels and products: cpu, cuda, or the like of cuda:1. `kernlearn info` lists them.",
            show_default="cpu",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Learn to predict a column of a table, and say how well that goes on rows held out.

    For example: kernlearn fit wine.csv --target class --model wine.kl --report wine.html
    """
    request = Request(
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
    _check(request)
    _check_device(device, request)
    limits = Limits(_checked_time(time_limit), _checked_memory(memory), device)
    check_outputs([model, report], [table, views, *request.matrices])
    to_stdout = goes_to_stdout(model, report)
    if to_stdout and as_json:
        fail("--json prints to standard output too: give --model and --report names.", BAD_USAGE)
    with failures(f"fit {table.name}", table, otherwise=DEFECT), limits.memory_kept():
        bundle = _learned(request, limits, quiet or as_json)
        written = _written(bundle, model, report)
    _show(bundle, written, as_json, quiet, err=to_stdout)


@dataclass(frozen=True)
class Limits:
    """What a fit may take: seconds for each, bytes for all of it, and where."""

    seconds: float | None
    memory: int | None
    device: str | None

    def memory_kept(self) -> AbstractContextManager[None]:
        """Keeps everything within below the bytes allowed."""
        return nullcontext() if self.memory is None else limited_to(self.memory)


def _checked_time(seconds: float | None) -> float | None:
    if seconds is not None and not seconds > 0:
        fail(f"--time-limit must be above zero, got {seconds:g}: 60 is a minute.", BAD_USAGE)
    return seconds


def _checked_memory(text: str | None) -> int | None:
    """The size in bytes, with room for something beside the program itself."""
    if text is None:
        return None
    try:
        size = parse_size(text, "--memory")
    except ValueError as error:
        fail(f"{error}.", BAD_USAGE)
    if size < resident() + LEAST_MEMORY:
        needed = in_words(resident() + LEAST_MEMORY)
        fail(
            f"--memory must be {needed} at least, of which the program itself takes "
            f"{in_words(resident())}, got {text}.",
            BAD_USAGE,
        )
    return size


def _check(request: Request) -> None:
    for name, value, choices in (
        ("--method", request.method, NAMES),
        ("--task", request.task, ("auto", "classification", "regression")),
        ("--psd", request.psd, ("raise", "clip", "shift", "trust")),
    ):
        if value is not None and value not in choices:
            fail(f"{name} must be one of {', '.join(choices)}, got {value!r}.", BAD_USAGE)
    if not 0.0 < request.holdout < 1.0:
        fail(
            f"--holdout must lie between 0 and 1, got {request.holdout:g}: 0.25 is usual.",
            BAD_USAGE,
        )
    if request.delimiter is not None and len(request.delimiter) != 1:
        fail(f"--delimiter must be one character, got {request.delimiter!r}.", BAD_USAGE)
    if request.views is not None and request.matrices:
        fail("--views groups columns, --kernel-matrix replaces them: give one of them.", BAD_USAGE)
    if request.psd != "raise" and not request.matrices:
        fail("--psd is about kernel matrices: give one by --kernel-matrix.", BAD_USAGE)
    if request.method not in (None, "mkl") and (request.views is not None or request.matrices):
        fail(
            f"--views and --kernel-matrix combine kernels, so --method must be mkl, got "
            f"{request.method!r}.",
            BAD_USAGE,
        )


def _check_device(device: str | None, request: Request) -> None:
    """Refuse a device that is not there, or that nothing would be done on."""
    if device is None:
        return
    combines = request.views is not None or request.matrices
    method = request.method or ("mkl" if combines else "kernel")
    if combines or method not in (*ON_DEVICES, "auto"):
        given = "--views or --kernel-matrix" if combines else f"--method {method}"
        fail(f"--device is for tables and {', '.join(ON_DEVICES)}, got {given}.", BAD_USAGE)
    try:
        place_of(device, None)
    except (ImportError, ValueError) as error:
        fail(f"--device {device}: {error}.", BAD_USAGE)


def _learned(request: Request, limits: Limits, quiet: bool) -> ModelBundle:
    problem = read_problem(request)
    with progress_bar(f"learning {request.target}", n_steps(problem.task), quiet) as bar:
        # A function rather than the method: an estimator is cloned with a copy of its callback.
        task = replace(
            problem.task,
            time_limit=limits.seconds,
            device=limits.device,
            callback=lambda told: bar.show(told),
        )
        outcome = learn(task, bar)
    about = {
        "table": plain(request.table.name),
        "target": request.target,
        "command": ["kernlearn", *map(plain, sys.argv[1:])],
        "versions": versions(PACKAGES),
    }
    source = Source(about, problem.n_read, problem.dropped, problem.notes)
    return make_bundle(problem.task, problem.target, outcome, source)


def _written(bundle: ModelBundle, model: Path | None, report: Path | None) -> list[Path]:
    if model is not None:
        save(bundle, model)
    if report is not None:
        write_html(bundle, report)
    return [path for path in (model, report) if path is not None]


def _show(bundle: ModelBundle, written: list[Path], as_json: bool, quiet: bool, err: bool) -> None:
    if as_json:
        facts: dict[str, Any] = {**bundle.facts, "written": [str(path) for path in written]}
        typer.echo(json.dumps(facts, allow_nan=False))
    elif not quiet:
        print_learned(Console(stderr=err), bundle.facts)
        for path in written:
            say(f"written: {path}", err)
