"""The threes and eights of the MNIST test set."""

from __future__ import annotations

import os

import numpy as np
from sklearn.datasets import fetch_openml

from kernlearn.datasets.folder import DataNotFoundError, find_file
from kernlearn.datasets.image_set import ImageSet, images_from_file

__all__ = ["load_mnist_3v8"]

FILE = "images/mnist_3v8.npz"
NAME = "the threes and eights of the MNIST test set"
# Threes and eights in the test set, as published with the data.
COUNTS = {3: 1010, 8: 974}
SIDE = 28
N_TEST = 10_000


def load_mnist_3v8(data_dir: str | os.PathLike[str] | None = None) -> ImageSet:
    """Load the 1010 threes and 974 eights of the MNIST test set.

    Parameters
    ----------
    data_dir : path or None
        Folder holding ``images/mnist_3v8.npz`` with the arrays ``X`` (bytes, 0 is paper and 255
        ink) and ``y`` (3 or 8). None fetches the table mnist_784 from OpenML, whose last ten
        thousand rows are the test set.

    Returns
    -------
    ImageSet
        Images of 28 by 28 pixels, ink being 1.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If these are not the published images: their number or size differs.
    """
    if data_dir is None:
        digits = _fetched()
    else:
        shape = (sum(COUNTS.values()), SIDE, SIDE)
        digits = images_from_file(find_file(data_dir, FILE, NAME), NAME, shape)
    found = {digit: int((digits.y == digit).sum()) for digit in COUNTS}
    if found != COUNTS:
        raise ValueError(
            f"expected {COUNTS[3]} threes and {COUNTS[8]} eights, got {found[3]} and {found[8]}: "
            f"replace the file by {NAME}."
        )
    return digits


def _fetched() -> ImageSet:
    try:
        # liac-arff and plain arrays need no pandas.
        bunch = fetch_openml("mnist_784", version=1, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        # A broken connection is an OSError; an unknown or inactive table a ValueError.
        raise DataNotFoundError(
            f"expected the table mnist_784 from OpenML, but it could not be fetched ({error}): "
            f"give a data folder that holds {FILE}."
        ) from error
    X = np.asarray(bunch.data[-N_TEST:], dtype=np.float64)
    y = np.asarray(bunch.target[-N_TEST:]).astype(np.int64)
    chosen = np.isin(y, list(COUNTS))
    return ImageSet(NAME, X[chosen].reshape(-1, SIDE, SIDE) / 255.0, y[chosen])
