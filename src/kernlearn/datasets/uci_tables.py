"""A table of text from the user's folder or from OpenML, made into numbers."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import fetch_openml

from kernlearn.datasets.folder import fetch_or_explain, find_file
from kernlearn.typing import Array

MISSING = "?"
DEFAULT_TARGET = "default-target"  # what OpenML calls the target its own tasks use


@dataclass(frozen=True, kw_only=True)
class UciFormat:
    """Format of one table in a file and on OpenML.

    Attributes
    ----------
    openml_name : str
        The table's name on OpenML.
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
class ParsedTable:
    """The complete rows of a table: inputs as numbers, targets still as text."""

    X: Array
    feature_names: tuple[str, ...]
    targets: list[str]
    n_dropped: int


def read_uci(
    name: str,
    folder: str,
    form: UciFormat,
    data_dir: str | os.PathLike[str] | None,
) -> ParsedTable:
    """Read ``FOLDER/NAME.csv.gz`` in the data folder, or fetch the table from OpenML."""
    relative = f"{folder}/{name}.csv.gz"
    if data_dir is None:
        header, rows = _fetch_table(form, relative)
    else:
        path = find_file(data_dir, relative, f"the table {name}")
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        header, rows = _target_last(name, form.target, header, rows)
    return _parse(name, form, header, rows)


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
    name: str, form: UciFormat, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> ParsedTable:
    kept = [j for j, column in enumerate(header[:-1]) if column not in form.dropped_columns]
    filled = [row for row in rows if row]
    complete = [row for row in filled if MISSING not in row]
    shape = (len(complete), len(kept))
    if shape != form.shape:
        raise ValueError(
            f"{name} should have {form.shape[0]} complete rows of {form.shape[1]} "
            f"inputs, got {shape[0]} rows of {shape[1]}: replace the file by the original table."
        )
    columns = [[row[j] for row in complete] for j in kept]
    # One cell of text in a column of numbers would otherwise make categories of them all.
    n_text = sum(is_text(column) for column in columns)
    if n_text != form.n_text_inputs:
        raise ValueError(
            f"{name} should have {form.n_text_inputs} inputs spelt in letters, got "
            f"{n_text}: replace the file by the original table."
        )
    return ParsedTable(
        X=np.column_stack([numbers_of(column) for column in columns]),
        feature_names=tuple(header[j] for j in kept),
        targets=[row[-1] for row in complete],
        n_dropped=len(filled) - len(complete),
    )


def _fetch_table(form: UciFormat, relative: str) -> tuple[list[str], list[list[str]]]:
    """Fetch the first version of a table as a header and rows of text, the target last."""
    # liac-arff and plain arrays need no pandas.
    bunch = fetch_or_explain(
        lambda: fetch_openml(
            form.openml_name,
            version=1,
            as_frame=False,
            parser="liac-arff",
            target_column=form.openml_target,
        ),
        f"the table {form.openml_name} from OpenML",
        relative,
    )
    # In a plain array a category is its number in this list.
    categories = bunch.get("categories") or {}
    spellings = [categories.get(feature) for feature in bunch.feature_names]
    rows = [
        [*(_text(cell, known) for cell, known in zip(cells, spellings, strict=True)), _text(label)]
        for cells, label in zip(bunch.data, bunch.target, strict=True)
    ]
    return [*bunch.feature_names, "target"], rows


def _text(cell: str | float, categories: list[str] | None = None) -> str:
    if isinstance(cell, str):
        return cell
    if np.isnan(cell):
        return MISSING
    return f"{cell:.17g}" if categories is None else categories[int(cell)]


def is_text(cells: Sequence[str]) -> bool:
    """Say whether some cell of a column is not a number.

    >>> is_text(["00202", "1.5e3"]), is_text(["1", "two"])
    (False, True)
    """
    try:
        for cell in cells:
            float(cell)
    except ValueError:
        return True
    return False


def numbers_of(cells: Sequence[str]) -> Array:
    """Return a column's numbers, or those of its categories: 1, 2, ... in sorted order.

    >>> numbers_of(["0.5", "02"])
    array([0.5, 2. ])
    >>> numbers_of(["two", "four", "two"])
    array([2., 1., 2.])
    """
    if not is_text(cells):
        return np.array([float(cell) for cell in cells])
    number = {category: float(i) for i, category in enumerate(sorted(set(cells)), start=1)}
    return np.array([number[cell] for cell in cells])
