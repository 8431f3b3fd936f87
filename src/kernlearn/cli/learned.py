"""What `fit` prints."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kernlearn._words import counted
from kernlearn.inspection._text import plain

__all__ = ["print_learned"]

FEW = 12


def print_learned(console: Console, facts: dict[str, Any]) -> None:
    """Print the facts for a person; names in the table are data, never markup."""
    _say(
        console,
        f"{facts['table']}: {facts['n_rows']} rows, {counted(facts['n_columns'], 'column')}; "
        f"{facts['task_reason']}.",
    )
    for line in _columns(facts["columns"]):
        _say(console, f"  {line}")
    for note in facts["notes"]:
        _say(console, f"Note: {note}.")
    if facts["comparison"]:
        console.print(_comparison(facts))
    console.print(_scores(facts))
    _say(console, facts["evaluation"])
    _say(console, f"Method: {facts['method_title']}, fitted in {facts['seconds']:.1f} s.")
    _say(console, f"Kernel: {facts['kernel']}.")
    _say(console, f"Certificate: {facts['certificate']['sentence']}")


def _say(console: Console, sentence: str) -> None:
    console.print(Text(plain(sentence)))


def _columns(columns: list[dict[str, str]]) -> list[str]:
    """One line for each action: which columns it was taken on."""
    by_action: dict[str, list[str]] = {}
    for column in columns:
        by_action.setdefault(column["action"], []).append(column["name"])
    lines = []
    for action, names in by_action.items():
        shown = ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" * (len(names) > FEW))
        lines.append(f"{shown}: {action}")
    return lines[:40] + [f"… {len(lines) - 40} more" for _ in range(len(lines) > 40)]


def _comparison(facts: dict[str, Any]) -> Table:
    table = Table(title="Methods compared by nested cross-validation, on rows each had not seen")
    table.add_column("method")
    for title in (facts["metric"], "standard error", "seconds"):
        table.add_column(title, justify="right")
    for entry in facts["comparison"]:
        name = Text(entry["name"] + (" (kept)" if entry["kept"] else ""))
        error = entry["standard_error"]
        table.add_row(
            name,
            "skipped" if entry["score"] is None else f"{entry['score']:.3f}",
            "" if error is None else f"{error:.3f}",
            f"{entry['seconds']:.1f}",
        )
    return table


def _scores(facts: dict[str, Any]) -> Table:
    table = Table(title=f"On {facts['n_held_out']} held-out rows")
    table.add_column("model")
    table.add_column(facts["metric"], justify="right")
    table.add_column("95 % interval", justify="right")
    for entry in facts["scores"]:
        has_interval = entry["low"] is not None and entry["high"] is not None
        interval = f"{entry['low']:.3f} to {entry['high']:.3f}" if has_interval else ""
        score = "" if entry["score"] is None else f"{entry['score']:.3f}"
        table.add_row(Text(plain(entry["name"])), score, interval)
    return table
