"""The four UCI and Statlog tables of Lanckriet et al. (2004)."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets.data_set import DataSet
from kernlearn.datasets.folder import find_file
from kernlearn.datasets.openml import fetch_table

__all__ = ["UCI_NAMES", "load_uci"]

MISSING = "?"


@dataclass(frozen=True)
class TableFormat:
    """How one table is spelt in a file and on OpenML."""

    openml_name: str
    shape: tuple[int, int]
    negative: tuple[str, ...]  # spellings of the class -1, in the file and on OpenML
    positive: tuple[str, ...]
    dropped_columns: tuple[str, ...] = ()


FORMATS = {
    "ionosphere": TableFormat("ionosphere", (351, 34), ("b",), ("g",)),
    "sonar": TableFormat("sonar", (208, 60), ("R", "Rock"), ("M", "Mine")),
    "statlog_heart": TableFormat("heart-statlog", (270, 13), ("1", "absent"), ("2", "present")),
    "wisconsin_original": TableFormat(
        "breast-w", (683, 9), ("2", "benign"), ("4", "malignant"), dropped_columns=("id",)
    ),
}

UCI_NAMES = tuple(FORMATS)


def load_uci(name: str, data_dir: str | os.PathLike[str] | None = None) -> DataSet:
    """Load one of the two-class UCI tables.

    Parameters
    ----------
    name : {"ionosphere", "sonar", "statlog_heart", "wisconsin_original"}
        Which table. Rows with a missing cell (16 of wisconsin_original) are dropped.
    data_dir : path or None
        Folder holding ``uci_class/NAME.csv.gz``: comma separated text with one header row,
        the class in the last column. None fetches the table from OpenML.

    Returns
    -------
    DataSet
        Inputs as in the source, unscaled; labels -1 and +1.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If the name is unknown, or the table is not the one expected.
    """
    if name not in FORMATS:
        raise ValueError(f"name must be one of {', '.join(UCI_NAMES)}, got {name!r}: choose one.")
    table_format = FORMATS[name]
    relative = f"uci_class/{name}.csv.gz"
    if data_dir is None:
        header, rows = fetch_table(table_format.openml_name, relative)
    else:
        path = find_file(data_dir, relative, f"the table {name}")
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    return _parse(name, table_format, header, rows)


def _parse(
    name: str, table_format: TableFormat, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> DataSet:
    kept = [j for j, column in enumerate(header[:-1]) if column not in table_format.dropped_columns]
    complete = [row for row in rows if row and MISSING not in row]
    shape = (len(complete), len(kept))
    if shape != table_format.shape:
        raise ValueError(
            f"{name} should have {table_format.shape[0]} complete rows of {table_format.shape[1]} "
            f"inputs, got {shape[0]} rows of {shape[1]}: replace the file by the original table."
        )
    X = np.array([[float(row[j]) for j in kept] for row in complete])
    y = _signs(name, table_format, [row[-1] for row in complete])
    names = tuple(header[j] for j in kept)
    return DataSet(name, X, y, names, (table_format.negative[-1], table_format.positive[-1]))


def _signs(name: str, table_format: TableFormat, labels: Sequence[str]) -> NDArray[np.int64]:
    sign = dict.fromkeys(table_format.negative, -1) | dict.fromkeys(table_format.positive, 1)
    unknown = sorted(set(labels) - set(sign))
    if unknown:
        raise ValueError(
            f"{name} should have the classes {' and '.join(sign)} in its last column, "
            f"got {', '.join(unknown)}: replace the file by the original table."
        )
    return np.array([sign[label] for label in labels], dtype=np.int64)
