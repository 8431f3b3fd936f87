"""What `bench` prints."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kernlearn.runtime.memory import in_words
from kernlearn.runtime.phrases import counted
from kernlearn.speed.timings import FARTHEST

__all__ = ["print_speeds"]

NOTHING = "–"


def print_speeds(console: Console, facts: dict[str, Any]) -> None:
    """Print the facts of `kernlearn.speed.timings.speed_facts` for a person."""
    unit = facts["methods"][0]["method"]
    console.print(_table(facts, unit))
    _say(
        console,
        f"Seconds by the clock on {counted(facts['cores'], 'core')} for one fit to a generated "
        f"table of {counted(facts['columns'], 'column')}, a method's own cross-validation "
        "included; other tables differ.",
    )
    _say(
        console,
        f"times {unit}: at the largest size of the method; growth: p in seconds ∝ rows^p, from the "
        "two largest sizes; GB: memory that a fit of the largest size asks for before it begins; "
        "rows in a minute: extrapolated by that power from the largest size, as far as "
        f"{FARTHEST} times its rows, and no more than fit into {_free(facts['free_memory'])}; rows "
        "given: kernlearn fit takes a sample of more.",
    )
    for entry in facts["methods"]:
        if entry["note"]:
            _say(console, f"Note: {entry['method']}: {entry['note']}.")


def _say(console: Console, sentence: str) -> None:
    console.print(Text(sentence))


def _table(facts: dict[str, Any], unit: str) -> Table:
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
            _in_a_minute(entry),
            NOTHING if entry["max_rows"] is None else f"{entry['max_rows']:,}",
        )
    return table


def _free(size: int | None) -> str:
    return "the memory" if size is None else f"the {in_words(size)} of memory that are free"


def _in_a_minute(entry: dict[str, Any]) -> str:
    """The rows, with a word where memory ends them before the minute does."""
    rows = entry["rows_in_a_minute"]
    is_full = rows is not None and rows == entry["rows_in_memory"]
    return f"{_rows(rows)} (memory)" if is_full else _rows(rows)


def _number(value: float | None) -> str:
    """Two figures, or all before the point.

    >>> _number(0.00123), _number(1.26), _number(123.4), _number(None)
    ('0.0012', '1.3', '123', '–')
    """
    if value is None:
        return NOTHING
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def _rows(value: int | None) -> str:
    """Two figures are all that an extrapolation has.

    >>> _rows(12345), _rows(500), _rows(None)
    ('12,000', '500', '–')
    """
    return NOTHING if value is None else f"{int(float(f'{value:.2g}')):,}"
