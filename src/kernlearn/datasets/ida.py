"""The thirteen two-class sets of Rätsch, Onoda and Müller (2001), and Ripley's synthetic one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets.folder import find_file, load_arrays
from kernlearn.datasets.sets import PartitionedSet
from kernlearn.typing import Array

#: Names of the sets of the IDA benchmark suite, for :func:`load_ida`.
IDA_NAMES = (
    "banana", "breast_cancer", "diabetis", "flare_solar", "german", "heart", "image",
    "ringnorm", "splice", "thyroid", "titanic", "twonorm", "waveform",
)  # fmt: skip
IDA_KEYS = ("X", "y", "train", "test", "partition", "note")
RIPLEY_FILE = "misc/ripley_synth.npz"
RIPLEY_KEYS = ("X_train", "y_train", "X_test", "y_test")


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
        Rows, labels and published splits.

    Raises
    ------
    DataNotFoundError
        If there is no folder, or the file is not in it.
    ValueError
        If there is no set of that name, or the arrays do not belong together.
    """
    if name not in IDA_NAMES:
        raise ValueError(f"unknown IDA set {name!r}: choose from {', '.join(IDA_NAMES)}.")
    path = find_file(data_dir, f"ida/{name}.npz", f"the IDA set {name}")
    arrays = load_arrays(path, IDA_KEYS, "the set")
    X = np.asarray(arrays["X"], dtype=np.float64)
    y, train, test = (arrays[key].astype(np.int64) for key in ("y", "train", "test"))
    _check_points(path, X, y)
    _check_splits(path, len(y), train, test)
    return PartitionedSet(name, X, y, train, test, str(arrays["note"]))


def _check_points(path: Path, X: Array, y: NDArray[np.int64]) -> None:
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


def _check_splits(path: Path, n: int, train: NDArray[np.int64], test: NDArray[np.int64]) -> None:
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


def load_ripley(data_dir: str | os.PathLike[str] | None) -> PartitionedSet:
    """Load Ripley's mixture of four Gaussians in the plane, with his own split.

    Parameters
    ----------
    data_dir : path or None
        Folder holding ``misc/ripley_synth.npz`` with the arrays ``X_train``, ``y_train``,
        ``X_test`` and ``y_test``, labels 0 and 1. None is refused.

    Returns
    -------
    PartitionedSet
        All points, the training points first; 0 has become -1.

    Raises
    ------
    DataNotFoundError
        If there is no folder, or the file is not in it.
    ValueError
        If an array is missing, or the arrays do not belong together.

    References
    ----------
    B. D. Ripley (1996), Pattern Recognition and Neural Networks, Cambridge University Press.
    """
    path = find_file(data_dir, RIPLEY_FILE, "Ripley's synthetic set")
    parts = load_arrays(path, RIPLEY_KEYS, "the set")
    X = np.vstack([parts["X_train"], parts["X_test"]]).astype(np.float64)
    labels = np.concatenate([parts["y_train"], parts["y_test"]])
    if set(np.unique(labels)) != {0, 1} or len(labels) != len(X):
        raise ValueError(
            f"expected a label 0 or 1 for each of the {len(X)} points in {path}, got {len(labels)} "
            f"labels {np.unique(labels)[:5].tolist()}: replace the file."
        )
    n_train = len(parts["y_train"])
    rows = np.arange(len(X), dtype=np.int64)[None, :]
    y = np.where(labels == 1, 1, -1).astype(np.int64)
    note = "one split: Ripley's own"
    return PartitionedSet("synthetic", X, y, rows[:, :n_train], rows[:, n_train:], note)
