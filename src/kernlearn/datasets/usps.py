"""The handwritten digits of the US Postal Service."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_openml

from kernlearn.datasets.folder import DataNotFoundError, find_file

__all__ = ["UspsDigits", "load_usps"]

FILE = "images/usps.npz"
# The file holds whole numbers, a thousandth of a grey value each.
FILE_UNITS = 1000.0
# The name "usps" has several versions on OpenML; this number has one.
OPENML_ID = 41082
N_PIXELS = 256
# Images of each digit from 0 to 9, as published with the data.
TRAIN_COUNTS = (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644)
TEST_COUNTS = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)


@dataclass(frozen=True, eq=False)
class UspsDigits:
    """Images of 16 by 16 pixels, split as published.

    Attributes
    ----------
    X_train, X_test : ndarray of shape (7291, 256) and (2007, 256)
        Grey values from -1 (paper) to 1 (ink), row by row.
    y_train, y_test : ndarray of shape (7291,) and (2007,)
        Digits from 0 to 9.
    """

    X_train: NDArray[np.float64]
    y_train: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]


def load_usps(data_dir: str | os.PathLike[str] | None = None) -> UspsDigits:
    """Load the USPS digits in their published split.

    Parameters
    ----------
    data_dir : path or None
        Folder holding ``images/usps.npz`` with the arrays ``X_train`` and ``X_test`` (grey values
        times 1000), ``y_train`` and ``y_test`` (digits). None fetches data set 41082 of OpenML,
        where the test images follow the training images and the digits are numbered from 1.

    Returns
    -------
    UspsDigits

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If these are not the published images: their number, or the number of a digit, differs.
    """
    digits = _fetched() if data_dir is None else _from_file(data_dir)
    _check_part("training", digits.X_train, digits.y_train, TRAIN_COUNTS)
    _check_part("test", digits.X_test, digits.y_test, TEST_COUNTS)
    return digits


def _from_file(data_dir: str | os.PathLike[str]) -> UspsDigits:
    path = find_file(data_dir, FILE, "the USPS digits")
    with np.load(path) as arrays:
        missing = sorted({"X_train", "y_train", "X_test", "y_test"} - set(arrays.files))
        if missing:
            raise ValueError(
                f"expected the arrays X_train, y_train, X_test and y_test in {path}, got none "
                f"named {', '.join(missing)}: store the USPS digits under these names."
            )
        return UspsDigits(
            X_train=arrays["X_train"] / FILE_UNITS,
            y_train=arrays["y_train"].astype(np.int64),
            X_test=arrays["X_test"] / FILE_UNITS,
            y_test=arrays["y_test"].astype(np.int64),
        )


def _fetched() -> UspsDigits:
    try:
        # liac-arff and plain arrays need no pandas.
        bunch = fetch_openml(data_id=OPENML_ID, as_frame=False, parser="liac-arff")
    except (OSError, ValueError) as error:
        # A broken connection is an OSError; an inactive data set a ValueError.
        raise DataNotFoundError(
            f"expected the USPS digits from OpenML, but they could not be fetched ({error}): "
            f"give a data folder that holds {FILE}."
        ) from error
    X = np.asarray(bunch.data, dtype=np.float64)
    y = np.asarray(bunch.target).astype(np.int64) - 1
    n_train = sum(TRAIN_COUNTS)
    return UspsDigits(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def _check_part(
    name: str, X: NDArray[np.float64], y: NDArray[np.int64], counts: tuple[int, ...]
) -> None:
    """Refuse other images: a split in another order would otherwise pass for the published one."""
    if X.shape != (sum(counts), N_PIXELS) or y.shape != X.shape[:1]:
        raise ValueError(
            f"expected {sum(counts)} {name} images of {N_PIXELS} pixels and a digit for each, got "
            f"shapes {X.shape} and {y.shape}: replace the file by the published USPS digits."
        )
    found = tuple(int((y == digit).sum()) for digit in range(10))
    if found != counts:
        raise ValueError(
            f"expected {counts} {name} images of the digits 0 to 9, got {found}: replace the file "
            "by the published USPS digits in their published split."
        )
    if not (X.min() >= -1.0 and X.max() <= 1.0):
        raise ValueError(
            f"expected grey values of the {name} images between -1 and 1, got {X.min():g} to "
            f"{X.max():g}: store them in the file times {FILE_UNITS:g}."
        )
