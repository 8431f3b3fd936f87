"""Tables fetched from OpenML."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import fetch_openml

from kernlearn.datasets.folder import DataNotFoundError

__all__ = ["fetch_table"]


def fetch_table(name: str, relative: str) -> tuple[list[str], list[list[str]]]:
    """Fetch the first version of a table as a header and rows of text, the class last.

    Parameters
    ----------
    name : str
        The table's name on OpenML.
    relative : str
        The file that serves instead where there is no network, for the message.

    Returns
    -------
    header : list of str
    rows : list of list of str
        A missing cell is ``?``.
    """
    try:
        # liac-arff and plain arrays need no pandas.
        bunch = fetch_openml(name, version=1, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        # A broken connection is an OSError; an unknown or inactive table a ValueError.
        raise DataNotFoundError(
            f"expected the table {name} from OpenML, but it could not be fetched ({error}): "
            f"give a data folder that holds {relative}."
        ) from error
    header = [*bunch.feature_names, "class"]
    rows = [
        ["?" if np.isnan(cell) else repr(float(cell)) for cell in cells] + [str(label)]
        for cells, label in zip(bunch.data, bunch.target, strict=True)
    ]
    return header, rows
