"""The one place that imports matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernlearn.runtime.atomic_files import atomic_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.container import BarContainer as BarContainer
    from matplotlib.contour import ContourSet as ContourSet
    from matplotlib.figure import Figure as Figure
    from matplotlib.legend import Legend as Legend
    from matplotlib.lines import Line2D as Line2D
else:  # imported when something is drawn
    Axes = BarContainer = ContourSet = Figure = Legend = Line2D = Any


def use_files_only() -> None:
    """Draw into files, without a screen."""
    _pyplot().switch_backend("Agg")


def picture_formats() -> list[str]:
    """The endings of files that pictures can be written to."""
    return sorted(_pyplot().Figure().canvas.get_supported_filetypes())


def save_figure(figure: Figure, path: Path, dpi: int) -> None:
    """Write a figure into a file, which is there whole or not at all."""
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=dpi, format=path.suffix.lower().lstrip("."))
    with atomic_file(path) as file:
        file.write(buffer.getvalue())


def new_axes(ax: Axes | None, height: float = 4.0, width: float = 6.4) -> Axes:
    """The axes given, or new ones of this size in inches."""
    if ax is not None:
        return ax
    axes: Axes = _pyplot().subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def free_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches that pyplot does not register, and so does not keep."""
    figure: Figure = _pyplot().Figure(figsize=(width, height), layout="constrained")
    return figure


def settings(values: dict[str, Any]) -> Any:
    """Matplotlib's defaults with these values in their place, within a ``with`` statement."""
    return _pyplot().style.context(["default", values])


def ink() -> str:
    """The colour of text in the style in use: black on light paper, white on dark."""
    return str(_pyplot().rcParams["text.color"])


def row_size(ax: Axes, n_rows: int) -> float:
    """A size of text in points: the usual one, or less where `n_rows` rows would overlap."""
    return float(min(_pyplot().rcParams["font.size"], 0.8 * points_high(ax) / max(n_rows, 1)))


def points_wide(ax: Axes) -> float:
    """The width of the axes in points, before the layout has made room for texts."""
    return float(ax.get_window_extent().width * 72.0 / ax.figure.dpi)


def points_high(ax: Axes) -> float:
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
