"""`kernlearn bench`: how long a table will take on this machine."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kernlearn.cli.failure import BAD_USAGE, NO_RESULT, fail
from kernlearn.cli.options import AsJson, NoBar, Seed
from kernlearn.cli.progress import progress_bar
from kernlearn.methods.method import Method, Setting
from kernlearn.methods.registry import METHODS, find_method
from kernlearn.runtime.memory import in_words
from kernlearn.runtime.phrases import counted
from kernlearn.speed.measure import measure, methods_for, n_steps
from kernlearn.speed.timings import FARTHEST, MethodTimings, Trial, speed_facts
from kernlearn.typing import Json

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
    seed: Seed = 0,
    as_json: AsJson = False,
    quiet: NoBar = False,
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
        note = (
            "; what was measured before that is shown" if found else " before anything was measured"
        )
        fail(f"stopped{note}.", 130)


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


NOTHING = "–"


def print_speeds(console: Console, facts: Json) -> None:
    """Print the facts of `kernlearn.speed.timings.speed_facts` for a person."""
    unit = facts["methods"][0]["method"]
    console.print(_table(facts, unit))
    _print_sentence(
        console,
        f"Seconds by the clock on {counted(facts['cores'], 'core')} for one fit to a generated "
        f"table of {counted(facts['columns'], 'column')}, a method's own cross-validation "
        "included; other tables differ.",
    )
    _print_sentence(
        console,
        f"times {unit}: at the largest size of the method; growth: p in seconds ∝ rows^p, from the "
        "two largest sizes; GB: memory that a fit of the largest size asks for before it begins; "
        "rows in a minute: extrapolated by that power from the largest size, as far as "
        f"{FARTHEST} times its rows, and no more than fit into {_free(facts['free_memory'])}; rows "
        "given: kernlearn fit takes a sample of more.",
    )
    for entry in facts["methods"]:
        if entry["note"]:
            _print_sentence(console, f"Note: {entry['method']}: {entry['note']}.")


def _print_sentence(console: Console, sentence: str) -> None:
    console.print(Text(sentence))


def _table(facts: Json, unit: str) -> Table:
    table = Table(title=f"Seconds of one {facts['task']} fit")
    table.add_column("method")
    for size in facts["rows"]:
        table.add_column(f"{size} rows", justify="right")
    for title in (f"times {unit}", "growth", "GB", "rows in a minute", "rows given"):
        table.add_column(title, justify="right")
    for entry in facts["methods"]:
        seconds = dict(zip(entry["rows"], entry["seconds"], strict=True))
        table.add_row(
            entry["method"],
            *(_number(seconds.get(size)) for size in facts["rows"]),
            _number(entry["times_unit"]),
            NOTHING if entry["exponent"] is None else f"{entry['exponent']:.1f}",
            _number(entry["memory"] and entry["memory"][-1] / 1e9),
            _rows_per_minute(entry),
            NOTHING if entry["max_rows"] is None else f"{entry['max_rows']:,}",
        )
    return table


def _free(size: int | None) -> str:
    return "the memory" if size is None else f"the {in_words(size)} of memory that are free"


def _rows_per_minute(entry: Json) -> str:
    """The rows, with a word where memory ends them before the minute does."""
    rows = entry["rows_in_a_minute"]
    is_full = rows is not None and rows == entry["rows_in_memory"]
    return f"{_rows(rows)} (memory)" if is_full else _rows(rows)


def _number(value: float | None) -> str:
    """A number with two figures, or with all before the point.

    >>> _number(0.00123), _number(1.26), _number(123.4), _number(None)
    ('0.0012', '1.3', '123', '–')
    """
    if value is None:
        return NOTHING
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def _rows(value: int | None) -> str:
    """Rows with two figures, since an extrapolation has no more.

    >>> _rows(12345), _rows(500), _rows(None)
    ('12,000', '500', '–')
    """
    return NOTHING if value is None else f"{int(float(f'{value:.2g}')):,}"
