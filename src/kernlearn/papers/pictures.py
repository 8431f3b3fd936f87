"""Pictures written to files; without matplotlib, a sentence about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kernlearn.inspection._matplotlib import save_figure

__all__ = ["save_picture"]

DPI = 110


def save_picture(
    path: Path, draw: Callable[[Any], None], *, width: float = 6.4, height: float = 4.8
) -> str:
    """Draw into a new figure, write it to a file, and return a note that says so.

    No window is opened and no figure stays behind: pyplot, which keeps both, is not involved.

    Parameters
    ----------
    path : pathlib.Path
        Where the picture goes; its folder is made.
    draw : callable
        Gets an empty :class:`matplotlib.figure.Figure`.
    width, height : float
        Size in inches.

    Returns
    -------
    str
        Where the picture is; without matplotlib, how to get one.
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
