"""Kernel matrices from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernlearn.gram import check_gram
from kernlearn.gram.psd import Repair
from kernlearn.kernels import Precomputed
from kernlearn.tables import TableError

MAGIC = b"\x93NUMPY"


def read_matrices(
    paths: Sequence[Path], n_rows: int, psd: Repair = "raise"
) -> tuple[Precomputed, ...]:
    """Read kernels of all rows of a table against all rows.

    Files of ``.npy``, or of text: numbers without names, separated by commas or blanks. `psd` says
    what to do with a matrix that is not positive semidefinite.
    """
    return tuple(_read(path, n_rows, psd) for path in paths)


def _read(path: Path, n_rows: int, psd: Repair) -> Precomputed:
    K = _stored(path) if path.suffix.lower() == ".npy" else _written(path)
    if K.shape != (n_rows, n_rows):
        raise TableError(
            f"expected a kernel matrix of shape {(n_rows, n_rows)} in {path.name}, one row and one "
            f"column for each row of the table, got {K.shape}; compute it on the same rows"
        )
    try:
        return Precomputed(check_gram(np.array(K), psd=psd), path.stem)
    except ValueError as error:
        # The advice names arguments of the function; users of the command need its options.
        reason = (
            str(error).replace('psd="clip"', "--psd clip").replace('psd="shift"', "--psd shift")
        )
        raise TableError(f"{path.name} holds no kernel matrix: {reason}") from error


def _stored(path: Path) -> Any:
    """An array of numpy.save, whose size is compared with that of the file before it is read."""
    with path.open("rb") as file:
        is_array = file.read(len(MAGIC)) == MAGIC
    if not is_array:
        raise TableError(
            f"{path.name} holds no array of numpy.save, whatever its name says; save the matrix "
            "alone by numpy.save, not by numpy.savez or pickle"
        )
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # numpy parses the header as Python, and fails as parsers do
        raise _no_matrix(path, error) from error


def _written(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8").replace(",", " ")
        return np.array([[float(cell) for cell in line.split()] for line in text.splitlines()])
    except ValueError as error:
        raise _no_matrix(path, error) from error


def _no_matrix(path: Path, error: Exception) -> TableError:
    return TableError(
        f"{path.name} holds no matrix of numbers ({error}); save it by numpy.save, or as text "
        "without names of rows and columns"
    )
