"""Tables fetched from OpenML."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import fetch_openml

from kernlearn.datasets.folder import DataNotFoundError

__all__ = ["DEFAULT_TARGET", "fetch_table"]

DEFAULT_TARGET = "default-target"  # what OpenML calls the target its own tasks use


def fetch_table(
    name: str, relative: str, target: str = DEFAULT_TARGET
) -> tuple[list[str], list[list[str]]]:
    """Fetch the first version of a table as a header and rows of text, the target last.

    Parameters
    ----------
    name : str
        The table's name on OpenML.
    relative : str
        The file that serves instead where there is no network, for the message.
    target : str
        Column of the target.

    Returns
    -------
    header : list of str
    rows : list of list of str
        A missing cell is ``?``.
    """
    try:
        # liac-arff and plain arrays need no pandas.
        bunch = fetch_openml(
            name, version=1, as_frame=False, parser="liac-arff", target_column=target
        )
    except (OSError, ValueError) as error:
        # A broken connection is an OSError; an unknown or inactive table a ValueError.
        raise DataNotFoundError(
            f"expected the table {name} from OpenML, but it could not be fetched ({error}): "
            f"give a data folder that holds {relative}."
        ) from error
    # In a plain array a category is its number in this list.
    categories = bunch.get("categories") or {}
    spellings = [categories.get(feature) for feature in bunch.feature_names]
    rows = [
        [*(_text(cell, known) for cell, known in zip(cells, spellings, strict=True)), _text(label)]
        for cells, label in zip(bunch.data, bunch.target, strict=True)
    ]
    return [*bunch.feature_names, "target"], rows


def _text(cell: Any, categories: list[str] | None = None) -> str:
    if isinstance(cell, str):
        return cell
    if np.isnan(cell):
        return "?"
    return f"{cell:.17g}" if categories is None else categories[int(cell)]
