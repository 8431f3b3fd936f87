"""Ripley's synthetic two-class problem."""

from __future__ import annotations

import os

import numpy as np

from kernlearn.datasets.folder import DataNotFoundError, find_file
from kernlearn.datasets.partitioned_set import PartitionedSet

__all__ = ["load_ripley"]

FILE = "misc/ripley_synth.npz"
KEYS = ("X_train", "y_train", "X_test", "y_test")


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
    if data_dir is None:
        raise DataNotFoundError(
            f"expected a data folder with {FILE}, but none was given: name it with --data, since "
            "this set cannot be fetched."
        )
    path = find_file(data_dir, FILE, "Ripley's synthetic set")
    with np.load(path) as arrays:
        missing = [key for key in KEYS if key not in arrays.files]
        if missing:
            raise ValueError(
                f"expected the arrays {', '.join(KEYS)} in {path}, got none named "
                f"{', '.join(missing)}: store the set under these names."
            )
        parts = {key: arrays[key] for key in KEYS}
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
