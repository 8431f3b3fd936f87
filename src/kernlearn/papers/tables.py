"""Published numbers beside ours, and the table as Markdown, CSV and console text."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kernlearn.runtime.atomic_files import atomic_file

DASH = "–"
CSV_NUMBERS = (
    "published", "published_spread",
    "mean", "standard_error", "standard_deviation", "found", "repetitions",
)  # fmt: skip


@dataclass(frozen=True)
class TableEntry:
    """One number of a table: as printed, and as found in each repetition.

    `row` says where it stands, for example ``("Heart", "SM1", "ω")``. A published number or one of
    ours is None where there is none. The spreads are what is printed behind ±.
    """

    row: tuple[str, ...]
    column: str
    published: float | None
    ours: Sequence[float | None]
    number_format: str = ".4g"
    published_spread: float | None = None
    spread: Literal["standard error", "standard deviation"] = "standard error"

    @property
    def found(self) -> list[float]:
        """Our numbers of the repetitions in which there is one."""
        return [value for value in self.ours if value is not None]

    def published_text(self) -> str:
        """Return the printed number, with what is printed behind ±, or a dash.

        >>> TableEntry(("a",), "b", 23.5, [], ".1f", published_spread=2.0).published_text()
        '23.5 ± 2.0'
        """
        if self.published is None:
            return DASH
        return self._text(self.published, self.published_spread)

    def our_text(self) -> str:
        """Return mean and spread, with the count if not every repetition has a number.

        >>> TableEntry(("a",), "b", None, [1.0, 3.0, None]).our_text()
        '2 ± 1 (2 of 3)'
        """
        if not self.found:
            return DASH
        deviates = self.spread == "standard deviation"
        mean, spread = (mean_and_deviation if deviates else mean_and_error)(self.found)
        text = self._text(mean, spread)
        if math.isinf(mean):
            median = statistics.median(self.found)
            text = "∞"
            if math.isfinite(median):
                text += f", median {format(median, self.number_format)}"
        if len(self.found) < len(self.ours):
            text += f" ({len(self.found)} of {len(self.ours)})"
        return text

    def _text(self, number: float, spread: float | None) -> str:
        text = format(number, self.number_format)
        if spread is None or not math.isfinite(spread):
            return text
        # More than two significant digits of a spread are noise.
        spread_format = ".2g" if self.number_format.endswith("g") else self.number_format
        return f"{text} ± {format(spread, spread_format)}"


@dataclass(frozen=True)
class ComparisonTable:
    """A table of the paper with our numbers in it.

    `row_names` are what the parts of an entry's row are, and the notes are printed below.
    """

    title: str
    row_names: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[TableEntry, ...]
    notes: tuple[str, ...] = ()
    has_published: bool = True

    def rows(self) -> dict[tuple[str, ...], dict[str, TableEntry]]:
        """Return the entries by row and column, rows in order of first mention."""
        rows: dict[tuple[str, ...], dict[str, TableEntry]] = {}
        for entry in self.entries:
            rows.setdefault(entry.row, {})[entry.column] = entry
        return rows

    @property
    def header(self) -> list[str]:
        """Names of the columns of text."""
        return [*self.row_names, *([""] if self.has_published else []), *self.columns]

    def text_rows(self) -> list[list[str]]:
        """Return two lines of text per row, the paper's and ours; ours alone if it has none."""
        lines = []
        for row, by_column in self.rows().items():
            cells = [by_column.get(column) for column in self.columns]
            published = ["" if cell is None else cell.published_text() for cell in cells]
            ours = ["" if cell is None else cell.our_text() for cell in cells]
            if self.has_published:
                lines.append([*row, "paper", *published])
                lines.append([*[""] * len(row), "ours", *ours])
            else:
                lines.append([*row, *ours])
        return lines


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    r"""Return the mean and the standard deviation s, with :math:`n - 1` in its denominator.

    The deviation of a single value is unknown (nan), as is that of values with an infinity.

    >>> mean_and_deviation([1.0, 2.0, 3.0])
    (2.0, 1.0)
    """
    mean, variance = _mean_and_variance(values)
    return mean, math.sqrt(variance)


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    r"""Return the mean and its standard error :math:`s/\sqrt n`, or nan where s is unknown.

    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    mean, variance = _mean_and_variance(values)
    return mean, math.sqrt(variance / len(values))


def _mean_and_variance(values: Sequence[float]) -> tuple[float, float]:
    mean = statistics.fmean(values)
    known = len(values) > 1 and math.isfinite(mean)
    return mean, statistics.variance(values) if known else math.nan


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


def write_table(table: ComparisonTable, folder: Path, stem: str) -> list[Path]:
    """Write the table as ``STEM.md`` and ``STEM.csv`` and return both paths."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / f"{stem}.md": to_markdown(table), folder / f"{stem}.csv": to_csv(table)}
    for path, text in texts.items():
        with atomic_file(path) as file:
            file.write(text.encode())
    return list(texts)


def _markdown_row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
