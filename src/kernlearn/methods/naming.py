"""Kernels that call columns by the names of the user's table."""

from __future__ import annotations

from typing import Any

from kernlearn.kernels import Columns, Kernel
from kernlearn.methods.preparation import prepared_name

__all__ = ["name_columns"]


def name_columns(pipeline: Any) -> None:
    """Give the kernels that a fit has made for some columns the names of these.

    What an estimator sees are prepared columns, of which it knows the numbers alone.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted; kernels that its last step has chosen itself, and that have no name for their
        columns, are changed.
    """
    first, last = pipeline.steps[0][1], pipeline.steps[-1][1]
    is_given = getattr(last, "kernels", None) is not None
    if first is last or is_given or not hasattr(first, "get_feature_names_out"):
        return
    names = [prepared_name(str(name)) for name in first.get_feature_names_out()]
    for kernel in getattr(last, "kernels_", ()):
        _name(kernel, names)


def _name(kernel: Any, names: list[str]) -> None:
    if not isinstance(kernel, Kernel):
        return
    if isinstance(kernel, Columns) and kernel.name is None:
        places: Any = kernel.columns  # by number, as banks are
        kernel.name = " and ".join(names[place] for place in places)
    for part in kernel.get_params(deep=False).values():
        for each in part if isinstance(part, list | tuple) else [part]:
            _name(each, names)
