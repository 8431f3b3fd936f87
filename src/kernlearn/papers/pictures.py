"""Pictures written to files; without matplotlib, a sentence about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kernlearn.inspection._matplotlib import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 110


def save_picture(
    path: Path, draw: Callable[[Figure], None], *, width: float = 6.4, height: float = 4.8
) -> str:
    """Let `draw` fill a new figure of this size in inches, write it, and return a note of it.

    Without matplotlib the note says how to get it. pyplot, which keeps figures, is not involved.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        package = (error.name or "matplotlib").partition(".")[0]
        return (
            f"{path.name} was not drawn, since drawing needs the package {package}: run "
            'pip install "kernlearn[plot]".'
        )
    figure = Figure(figsize=(width, height), layout="constrained")
    draw(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, path, DPI)
    return f"The picture is in {path}."
