"""What `bench` prints."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kernlearn.speed.growth import FARTHEST

__all__ = ["print_speeds"]

NOTHING = "–"


def print_speeds(console: Console, facts: dict[str, Any]) -> None:
    """Print the facts of `kernlearn.speed.facts.speed_facts` for a person."""
    unit = facts["methods"][0]["method"]
    console.print(_table(facts, unit))
    _say(
        console,
        f"Seconds by the clock on {facts['cores']} cores for one fit to a generated table of "
        f"{facts['columns']} columns, a method's own cross-validation included; other tables "
        "differ.",
    )
    _say(
        console,
        f"times {unit}: at the largest size of the method; growth: p in seconds ∝ rows^p; rows in "
        "a minute: extrapolated by that power from the largest size, as far as "
        f"{FARTHEST} times its rows; rows given: kernlearn fit takes a sample of more.",
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
    for title in (f"times {unit}", "growth", "rows in a minute", "rows given"):
        table.add_column(title, justify="right")
    for entry in facts["methods"]:
        seconds = dict(zip(entry["rows"], entry["seconds"], strict=True))
        table.add_row(
            entry["method"],
            *(_number(seconds.get(size)) for size in facts["rows"]),
            _number(entry["times_unit"]),
            NOTHING if entry["exponent"] is None else f"{entry['exponent']:.1f}",
            _rows(entry["rows_in_a_minute"]),
            NOTHING if entry["max_rows"] is None else f"{entry['max_rows']:,}",
        )
    return table


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
