"""Published numbers beside ours."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["ComparisonTable", "Entry", "mean_and_deviation", "mean_and_error"]

DASH = "–"


@dataclass(frozen=True)
class Entry:
    """One number of a table: as printed, and as found in each repetition.

    Attributes
    ----------
    row : tuple of str
        Where it stands, for example ``("Heart", "SM1", "ω")``.
    column : str
        Column it stands in.
    published : float or None
        The printed number; None where the paper prints none.
    ours : sequence of float or None
        Our number in each repetition; None where it does not exist.
    number_format : str
        Format of both, as in :func:`format`.
    published_spread : float or None
        What the paper prints behind ±.
    spread : {"standard error", "standard deviation"}
        What is printed behind ± of ours.
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

        >>> Entry(("a",), "b", 23.5, [], ".1f", published_spread=2.0).published_text()
        '23.5 ± 2.0'
        """
        if self.published is None:
            return DASH
        return self._text(self.published, self.published_spread)

    def our_text(self) -> str:
        """Return mean and spread, with the count if not every repetition has a number.

        >>> Entry(("a",), "b", None, [1.0, 3.0, None]).our_text()
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
        # A spread of more than two significant digits says nothing.
        spread_format = ".2g" if self.number_format.endswith("g") else self.number_format
        return f"{text} ± {format(spread, spread_format)}"


@dataclass(frozen=True)
class ComparisonTable:
    """A table of the paper with our numbers in it.

    Attributes
    ----------
    title : str
        Title of the table.
    row_names : tuple of str
        What the parts of an entry's row are.
    columns : tuple of str
        Columns in their order.
    entries : tuple of Entry
        The numbers, row by row.
    notes : tuple of str
        Sentences printed below it.
    has_published : bool
        Whether there are published numbers at all.
    """

    title: str
    row_names: tuple[str, ...]
    columns: tuple[str, ...]
    entries: tuple[Entry, ...]
    notes: tuple[str, ...] = ()
    has_published: bool = True

    def rows(self) -> dict[tuple[str, ...], dict[str, Entry]]:
        """Return the entries by row and column, rows in order of first mention."""
        rows: dict[tuple[str, ...], dict[str, Entry]] = {}
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
    r"""Return the mean and its standard error :math:`s/\sqrt n`.

    The error of a single value is unknown (nan), as is that of values with an infinity.

    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    mean, variance = _mean_and_variance(values)
    return mean, math.sqrt(variance / len(values))


def _mean_and_variance(values: Sequence[float]) -> tuple[float, float]:
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1 or math.isinf(mean):
        return mean, math.nan
    return mean, math.fsum((value - mean) ** 2 for value in values) / (n - 1)
