"""A table of text from the user's folder or from OpenML, made into numbers."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets.attributes import is_text, numbers_of
from kernlearn.datasets.folder import find_file
from kernlearn.datasets.openml import DEFAULT_TARGET, fetch_table

__all__ = ["Table", "TableFormat", "read_table"]

MISSING = "?"


@dataclass(frozen=True, kw_only=True)
class TableFormat:
    """How one table is spelt in a file and on OpenML.

    Attributes
    ----------
    openml_name : str
        Its name on OpenML.
    shape : tuple of int
        Complete rows and inputs.
    n_text_inputs : int
        Inputs that are categories spelt in letters.
    dropped_columns : tuple of str
        Columns of the file that are no inputs.
    target : str or None
        The target's column in the file; None for the last.
    openml_target : str
        The target's column on OpenML.
    """

    openml_name: str
    shape: tuple[int, int]
    n_text_inputs: int = 0
    dropped_columns: tuple[str, ...] = ()
    target: str | None = None
    openml_target: str = DEFAULT_TARGET


@dataclass(frozen=True, eq=False)
class Table:
    """The complete rows of a table: inputs as numbers, targets still as text."""

    X: NDArray[np.float64]
    feature_names: tuple[str, ...]
    targets: list[str]
    n_dropped: int


def read_table(
    name: str,
    folder: str,
    table_format: TableFormat,
    data_dir: str | os.PathLike[str] | None,
) -> Table:
    """Read ``FOLDER/NAME.csv.gz`` in the data folder, or fetch the table from OpenML.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If the table is not the one expected.
    """
    relative = f"{folder}/{name}.csv.gz"
    if data_dir is None:
        header, rows = fetch_table(
            table_format.openml_name, relative, target=table_format.openml_target
        )
    else:
        path = find_file(data_dir, relative, f"the table {name}")
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        header, rows = _target_last(name, table_format.target, header, rows)
    return _parse(name, table_format, header, rows)


def _target_last(
    name: str, target: str | None, header: list[str], rows: list[list[str]]
) -> tuple[list[str], list[list[str]]]:
    if target is None:
        return header, rows
    if target not in header:
        raise ValueError(
            f"{name} should have a column {target}, got {', '.join(header)}: "
            "replace the file by the original table."
        )
    order = [j for j in range(len(header)) if header[j] != target] + [header.index(target)]
    return [header[j] for j in order], [[row[j] for j in order] for row in rows if row]


def _parse(
    name: str, table_format: TableFormat, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> Table:
    kept = [j for j, column in enumerate(header[:-1]) if column not in table_format.dropped_columns]
    filled = [row for row in rows if row]
    complete = [row for row in filled if MISSING not in row]
    shape = (len(complete), len(kept))
    if shape != table_format.shape:
        raise ValueError(
            f"{name} should have {table_format.shape[0]} complete rows of {table_format.shape[1]} "
            f"inputs, got {shape[0]} rows of {shape[1]}: replace the file by the original table."
        )
    columns = [[row[j] for row in complete] for j in kept]
    # One cell of text in a column of numbers would otherwise make categories of them all.
    n_text = sum(is_text(column) for column in columns)
    if n_text != table_format.n_text_inputs:
        raise ValueError(
            f"{name} should have {table_format.n_text_inputs} inputs spelt in letters, got "
            f"{n_text}: replace the file by the original table."
        )
    return Table(
        X=np.column_stack([numbers_of(column) for column in columns]),
        feature_names=tuple(header[j] for j in kept),
        targets=[row[-1] for row in complete],
        n_dropped=len(filled) - len(complete),
    )
