"""The one place that imports matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from kernlearn.runtime.atomic_files import atomic_file


def use_files_only() -> None:
    """Draw into files, without a screen."""
    _pyplot().switch_backend("Agg")


def picture_formats() -> list[str]:
    """The endings of files that pictures can be written to."""
    return sorted(_pyplot().Figure().canvas.get_supported_filetypes())


def save_figure(figure: Any, path: Path, dpi: int) -> None:
    """Write a figure into a file, which is there whole or not at all."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=dpi, format=path.suffix.lower().lstrip("."))
    with atomic_file(path) as file:
        file.write(buffer.getvalue())


def new_axes(ax: Any, height: float = 4.0, width: float = 6.4) -> Any:
    """The axes given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=(width, height), layout="constrained")[1]


def free_figure(width: float, height: float) -> Any:
    """A figure of this size in inches that pyplot does not know, and so does not keep."""
    return _pyplot().Figure(figsize=(width, height), layout="constrained")


def settings(values: dict[str, Any]) -> Any:
    """Matplotlib's defaults with these values in their place, within a ``with`` statement."""
    return _pyplot().style.context(["default", values])


def ink() -> str:
    """The colour of text in the style in use: black on light paper, white on dark."""
    return str(_pyplot().rcParams["text.color"])


def row_size(ax: Any, n_rows: int) -> float:
    """A size of text in points: the usual one, or less where so many rows would overlap."""
    return float(min(_pyplot().rcParams["font.size"], 0.8 * points_high(ax) / max(n_rows, 1)))


def points_wide(ax: Any) -> float:
    """The width of the axes in points, before the layout has made room for texts."""
    return float(ax.get_window_extent().width * 72.0 / ax.figure.dpi)


def points_high(ax: Any) -> float:
    """The height of the axes in points, before the layout has made room for texts."""
    return float(ax.get_window_extent().height * 72.0 / ax.figure.dpi)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise ImportError(
            f"drawing needs the package {error.name}, which is not installed: run "
            'pip install "kernlearn[plot]"'
        ) from error
    return plt
