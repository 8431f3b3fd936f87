"""The thirteen two-class sets of Rätsch, Onoda and Müller (2001)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets.folder import DataNotFoundError, find_file
from kernlearn.datasets.partitioned_set import PartitionedSet

__all__ = ["IDA_NAMES", "load_ida"]

IDA_NAMES = (
    "banana", "breast_cancer", "diabetis", "flare_solar", "german", "heart", "image",
    "ringnorm", "splice", "thyroid", "titanic", "twonorm", "waveform",
)  # fmt: skip
KEYS = ("X", "y", "train", "test", "partition", "note")


def load_ida(name: str, data_dir: str | os.PathLike[str] | None) -> PartitionedSet:
    """Load a set of the IDA benchmark suite with its published splits.

    Parameters
    ----------
    name : str
        One of ``IDA_NAMES``.
    data_dir : path or None
        Folder holding ``ida/NAME.npz`` with the arrays ``X``, ``y`` (-1 and +1), ``train`` and
        ``test`` (row numbers from 0, one split a row), ``partition`` (the published number of
        each split, 0 where it is unknown) and ``note`` (where they come from). The suite can
        be fetched from nowhere in that form, so None is refused.

    Returns
    -------
    PartitionedSet

    Raises
    ------
    DataNotFoundError
        If there is no folder, or the file is not in it.
    ValueError
        If there is no set of that name, or the arrays do not belong together.
    """
    if name not in IDA_NAMES:
        raise ValueError(f"unknown IDA set {name!r}: choose from {', '.join(IDA_NAMES)}.")
    if data_dir is None:
        raise DataNotFoundError(
            f"expected a data folder with ida/{name}.npz, but none was given: name it with "
            "--data, since this suite cannot be fetched."
        )
    path = find_file(data_dir, f"ida/{name}.npz", f"the IDA set {name}")
    with np.load(path) as arrays:
        missing = [key for key in KEYS if key not in arrays.files]
        if missing:
            raise ValueError(
                f"expected the arrays {', '.join(KEYS)} in {path}, got none named "
                f"{', '.join(missing)}: store the set under these names."
            )
        X = np.asarray(arrays["X"], dtype=np.float64)
        y, train, test = (arrays[key].astype(np.int64) for key in ("y", "train", "test"))
        note = str(arrays["note"])
    _check_points(path, X, y)
    _check_divisions(path, len(y), train, test)
    return PartitionedSet(name, X, y, train, test, note)


def _check_points(path: Path, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    if X.ndim != 2 or y.shape != X.shape[:1] or not np.isfinite(X).all():
        raise ValueError(
            f"expected a table X of finite numbers and a label y for each of its rows in {path}, "
            f"got shapes {X.shape} and {y.shape} and {np.sum(~np.isfinite(X))} other numbers: "
            "replace the file."
        )
    if set(np.unique(y)) != {-1, 1}:
        raise ValueError(
            f"expected the labels -1 and 1 in {path}, got {np.unique(y)[:5].tolist()}: recode them."
        )


def _check_divisions(path: Path, n: int, train: NDArray[np.int64], test: NDArray[np.int64]) -> None:
    if train.ndim != 2 or test.ndim != 2 or len(train) != len(test) or not len(train):
        raise ValueError(
            f"expected one row of train and of test for each split in {path}, got shapes "
            f"{train.shape} and {test.shape}: give one split at least."
        )
    both = np.sort(np.hstack([train, test]), axis=1)
    if both.min() < 0 or both.max() >= n or (np.diff(both, axis=1) == 0).any():
        raise ValueError(
            f"expected every split in {path} to use a row of X once at most, got rows from "
            f"{both.min()} to {both.max()} of {n}, or one twice: number the rows from 0."
        )
