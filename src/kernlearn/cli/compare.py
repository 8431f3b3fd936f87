"""`kernlearn compare`: which method is better, from a file of scores."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

from kernlearn.cli.failure import BAD_USAGE, NO_RESULT, fail, failures, system_message
from kernlearn.cli.output import check_picture, say
from kernlearn.comparison import compare as compare_methods
from kernlearn.inspection import CriticalDifferenceDisplay
from kernlearn.inspection._matplotlib import save_figure
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted


def compare(
    scores: Annotated[
        Path,
        typer.Argument(help="CSV file: data sets in the first column, then one column per method."),
    ],
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.1,
    higher_is_better: Annotated[
        bool, typer.Option("--higher-is-better", help="The scores are accuracies, not errors.")
    ] = False,
    repetition: Annotated[
        str | None, typer.Option(help="Column with the name or number of the repetition.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the diagram into this file (PNG, SVG).")
    ] = None,
) -> None:
    """Rank methods over data sets and test whether they differ."""
    if not 0 < alpha < 1:
        fail(f"--alpha must lie between 0 and 1, got {alpha:g}: 0.05 is usual.", BAD_USAGE)
    if plot is not None:
        check_picture(plot, [scores])
    with failures(f"compare {scores}", scores, "stopped."):
        comparison = compare_methods(_read(scores, repetition), not higher_is_better)
    for line in comparison.to_text(alpha).splitlines():
        say(line)
    if plot is not None:
        with failures(f"draw {plot}", plot):
            display = CriticalDifferenceDisplay.from_comparison(comparison, alpha)
            save_figure(display.figure_, plot, dpi=150)
        say(f"The diagram is drawn in {plot}.")


def _read(path: Path, repetition: str | None) -> Any:
    """The table in a file, text where there is no number: `compare` then says where."""
    pd = load_pandas("comparing methods")
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            header, *rows = [row for row in csv.reader(file) if row] or [[]]
    except OSError as error:
        reason = system_message(error)
        fail(f"could not read {path}: {reason}: give the name of a CSV file.", NO_RESULT)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"expected text in UTF-8, got bytes that are none, the first at {error.start}; save it "
            "as CSV in UTF-8"
        ) from error
    except csv.Error as error:
        raise ValueError(
            f"expected rows of cells with commas between them, got one that is none ({error}); "
            "save it as CSV, and close every quote"
        ) from error
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise ValueError(
                f"expected {counted(len(header), 'cell')} in every row, as in the first, got "
                f"{len(row)} in row {number}; fill it up, or quote names with commas in them"
            )
    if repetition is not None and repetition not in header[1:]:
        raise ValueError(
            f"expected a column {repetition!r}, got {', '.join(header)}; name one of them"
        )
    place = None if repetition is None else header.index(repetition, 1)
    methods = [j for j in range(1, len(header)) if j != place]
    names = [row[0] if place is None else (row[0], row[place]) for row in rows]
    index = pd.Index(names, dtype=object if place is None else None)
    cells = [[_number(row[j]) for j in methods] for row in rows]
    columns = pd.Index([header[j] for j in methods], dtype=object)
    return pd.DataFrame(cells, index, columns, dtype=object)


def _number(text: str) -> float | str | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        return text
