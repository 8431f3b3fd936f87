"""`kernlearn bench`: how long a table will take on this machine."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from kernlearn.cli.failure import BAD_USAGE, NO_RESULT, fail
from kernlearn.cli.progress import progress_bar
from kernlearn.cli.speeds import print_speeds
from kernlearn.methods.method import Method, Setting
from kernlearn.methods.registry import METHODS, find_method
from kernlearn.speed.measure import measure, methods_for, n_steps
from kernlearn.speed.timings import MethodTimings, Trial, speed_facts

__all__ = ["bench"]

ROWS = (200, 400, 800)
# Every class is then in every fold of every cross-validation.
FEWEST_ROWS = 50
TASKS = ("classification", "regression")


def bench(
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(METHODS)}; may be given several times, all by default."
        ),
    ] = None,
    rows: Annotated[
        list[int] | None,
        typer.Option(
            min=FEWEST_ROWS,
            help="Rows of the table; may be given several times, 200, 400 and 800 by default.",
        ),
    ] = None,
    columns: Annotated[int, typer.Option(min=1, help="Columns of the table.")] = 10,
    task: Annotated[str, typer.Option(help="classification or regression.")] = "classification",
    time_limit: Annotated[
        float,
        typer.Option(
            help="Seconds that one fit may take: a method goes no further than it would by "
            "extrapolation."
        ),
    ] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
) -> None:
    """Time every method on a generated table, and say how many rows fit into a minute.

    For example: kernlearn bench --method mkl --method lssvm --rows 500 --rows 1000 --columns 30
    """
    methods = _checked(method or [], task, time_limit)
    trial = Trial(task, tuple(sorted(set(rows or ROWS))), columns, time_limit, seed)
    found: list[MethodTimings] = []
    stopped = False
    try:
        with progress_bar("timing", n_steps(trial, len(methods)), quiet or as_json) as advance:
            for timings in measure(trial, methods, advance):
                found.append(timings)
    except KeyboardInterrupt:
        stopped = True
    except ImportError as error:
        fail(f"could not measure: {error}", NO_RESULT)
    except MemoryError:
        fail(
            "could not measure: the table needs more memory than there is; use fewer rows.",
            NO_RESULT,
        )
    if found:
        _show(trial, found, as_json)
    if stopped:
        told = (
            "; what was measured before that is shown" if found else " before anything was measured"
        )
        fail(f"stopped{told}.", 130)


def _checked(names: list[str], task: str, time_limit: float) -> list[Method]:
    if task not in TASKS:
        fail(f"--task must be one of {', '.join(TASKS)}, got {task!r}.", BAD_USAGE)
    if not time_limit > 0.0:
        fail(f"--time-limit must be positive, got {time_limit:g}: 60 is usual.", BAD_USAGE)
    for name in names:
        if name not in METHODS:
            fail(f"--method must be one of {', '.join(METHODS)}, got {name!r}.", BAD_USAGE)
    methods = [find_method(name) for name in dict.fromkeys(names)] or methods_for(task)
    for method in methods:
        try:
            method.check(Setting(task, 0))
        except ValueError as error:
            fail(f"could not measure: {error}.", BAD_USAGE)
    return methods


def _show(trial: Trial, found: list[MethodTimings], as_json: bool) -> None:
    facts = speed_facts(trial, found)
    if as_json:
        typer.echo(json.dumps(facts, allow_nan=False))
    else:
        print_speeds(Console(), facts)
