"""Kernel matrices from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernlearn.gram import check_gram
from kernlearn.kernels import Precomputed
from kernlearn.tables import TableError

__all__ = ["read_matrices"]


def read_matrices(paths: Sequence[Path], n_rows: int) -> tuple[Precomputed, ...]:
    """Read kernels of all rows of a table against all rows.

    Parameters
    ----------
    paths : sequence of Path
        Files of ``.npy``, or of text: numbers without names, separated by commas or blanks.
    n_rows : int
        Rows of the table.

    Returns
    -------
    tuple of Precomputed
        Symmetric and positive semidefinite.
    """
    return tuple(_read(path, n_rows) for path in paths)


def _read(path: Path, n_rows: int) -> Precomputed:
    K = _numbers(path)
    if K.shape != (n_rows, n_rows):
        raise TableError(
            f"expected a kernel matrix of shape {(n_rows, n_rows)} in {path.name}, one row and one "
            f"column for each row of the table, got {K.shape}; compute it on the same rows"
        )
    try:
        return Precomputed(check_gram(K))
    except ValueError as error:
        raise TableError(f"{path.name} holds no kernel matrix: {error}") from error


def _numbers(path: Path) -> Any:
    try:
        if path.suffix == ".npy":
            return np.asarray(np.load(path, allow_pickle=False), dtype=float)
        text = path.read_text(encoding="utf-8").replace(",", " ")
        return np.array([[float(cell) for cell in line.split()] for line in text.splitlines()])
    except (ValueError, UnicodeDecodeError, EOFError) as error:
        raise TableError(
            f"{path.name} holds no matrix of numbers ({error}); save it by numpy.save, or as text "
            "without names of rows and columns"
        ) from error
