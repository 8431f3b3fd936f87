"""A comparison table as Markdown, CSV and console text."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from kernlearn.papers.tables import ComparisonTable, mean_and_deviation, mean_and_error
from kernlearn.runtime.atomic_files import atomic_file

__all__ = ["print_table", "to_csv", "to_markdown", "write_table"]

CSV_NUMBERS = (
    "published", "published_spread",
    "mean", "standard_error", "standard_deviation", "found", "repetitions",
)  # fmt: skip


def to_markdown(table: ComparisonTable) -> str:
    """Return the table as Markdown, a line of the paper's numbers above each line of ours."""
    rule = _markdown_row(["---"] * len(table.header))
    lines = [f"## {table.title}", "", _markdown_row(table.header), rule]
    lines += [_markdown_row(row) for row in table.text_rows()]
    lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines).rstrip() + "\n"


def to_csv(table: ComparisonTable) -> str:
    """Return the table as CSV, one number of the paper a line, unrounded; empty means none."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*table.row_names, "column", *CSV_NUMBERS])
    for entry in table.entries:
        printed = (entry.published, entry.published_spread)
        mean, error = mean_and_error(entry.found) if entry.found else (None, None)
        deviation = mean_and_deviation(entry.found)[1] if entry.found else None
        counts = (len(entry.found), len(entry.ours))
        writer.writerow([*entry.row, entry.column, *printed, mean, error, deviation, *counts])
    return buffer.getvalue()


def print_table(table: ComparisonTable) -> None:
    """Print the table to standard output; without rich, as Markdown."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        print(to_markdown(table))
        return
    shown = Table(title=table.title, title_justify="left")
    n_names = len(table.header) - len(table.columns)
    for place, name in enumerate(table.header):
        shown.add_column(name, justify="left" if place < n_names else "right")
    for index, row in enumerate(table.text_rows()):
        ours = table.has_published and index % 2 == 1
        shown.add_row(*row, style="bold" if ours else None, end_section=ours)
    console = Console()
    if not console.is_terminal:
        # A pipe has no width of its own: let the table have the one it needs.
        console = Console(width=10_000)
    console.print(shown)
    for note in table.notes:
        console.print(f"- {note}", markup=False, highlight=False)


def write_table(table: ComparisonTable, directory: str | os.PathLike[str], stem: str) -> list[Path]:
    """Write the table as ``STEM.md`` and ``STEM.csv`` and return both paths."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / f"{stem}.md": to_markdown(table), folder / f"{stem}.csv": to_csv(table)}
    for path, text in texts.items():
        with atomic_file(path) as file:
            file.write(text.encode())
    return list(texts)


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
