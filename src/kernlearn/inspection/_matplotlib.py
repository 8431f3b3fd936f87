"""The one place that imports matplotlib."""

from __future__ import annotations

from typing import Any


def use_files_only() -> None:
    """Draw into files, without a screen."""
    _pyplot().switch_backend("Agg")


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


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise ImportError(
            f"drawing needs the package {error.name}, which is not installed: run "
            'pip install "kernlearn[plot]"'
        ) from error
    return plt
