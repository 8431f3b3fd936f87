"""Grey images: threes and eights of MNIST, the AT&T faces, the digits of the US Postal Service."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_olivetti_faces, fetch_openml

from kernlearn.datasets.folder import fetch_or_explain, find_file, load_arrays
from kernlearn.datasets.sets import ImageSet
from kernlearn.typing import Array

MNIST_FILE = "images/mnist_3v8.npz"
MNIST_NAME = "the threes and eights of the MNIST test set"
# Threes and eights in the test set, as published with the data.
MNIST_COUNTS = {3: 1010, 8: 974}
MNIST_SIDE = 28
MNIST_TEST = 10_000

FACES_FILE = "images/att_faces.npz"
FACES_NAME = "the AT&T faces"
N_PEOPLE, N_POSES = 40, 10
FACES_SHAPE = (N_PEOPLE * N_POSES, 112, 92)

USPS_FILE = "images/usps.npz"
USPS_KEYS = ("X_train", "y_train", "X_test", "y_test")
# The file holds whole numbers, a thousandth of a grey value each.
USPS_UNITS = 1000.0
# The name "usps" has several versions on OpenML; this number has one.
USPS_OPENML_ID = 41082
USPS_PIXELS = 256
# Images of each digit from 0 to 9, as published with the data.
USPS_TRAIN = (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644)
USPS_TEST = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)


def _images_from_file(path: Path, name: str, shape: tuple[int, int, int]) -> ImageSet:
    """Read the arrays X, bytes from 0 to 255, and y of a file; refuse another number or size."""
    arrays = load_arrays(path, ("X", "y"), name)
    X, y = arrays["X"], arrays["y"]
    if X.shape != shape or y.shape != shape[:1] or X.dtype != np.uint8:
        raise ValueError(
            f"expected {shape[0]} images of {shape[1]} by {shape[2]} bytes and a class for each in "
            f"{path}, got {X.dtype} of shape {X.shape} and classes of shape {y.shape}: replace the "
            f"file by {name} as published."
        )
    return ImageSet(name, X / 255.0, y.astype(np.int64))


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
        digits = _fetched_mnist()
    else:
        shape = (sum(MNIST_COUNTS.values()), MNIST_SIDE, MNIST_SIDE)
        digits = _images_from_file(find_file(data_dir, MNIST_FILE, MNIST_NAME), MNIST_NAME, shape)
    found = {digit: int((digits.y == digit).sum()) for digit in MNIST_COUNTS}
    if found != MNIST_COUNTS:
        raise ValueError(
            f"expected {MNIST_COUNTS[3]} threes and {MNIST_COUNTS[8]} eights, got {found[3]} and "
            f"{found[8]}: replace the file by {MNIST_NAME}."
        )
    return digits


def _fetched_mnist() -> ImageSet:
    # liac-arff and plain arrays need no pandas.
    bunch = fetch_or_explain(
        lambda: fetch_openml("mnist_784", version=1, as_frame=False, parser="liac-arff"),
        "the table mnist_784 from OpenML",
        MNIST_FILE,
    )
    X = np.asarray(bunch.data[-MNIST_TEST:], dtype=np.float64)
    y = np.asarray(bunch.target[-MNIST_TEST:]).astype(np.int64)
    chosen = np.isin(y, list(MNIST_COUNTS))
    return ImageSet(MNIST_NAME, X[chosen].reshape(-1, MNIST_SIDE, MNIST_SIDE) / 255.0, y[chosen])


def load_att_faces(data_dir: str | os.PathLike[str] | None = None) -> ImageSet:
    """Load ten pictures of each of forty people.

    Parameters
    ----------
    data_dir : path or None
        Folder holding ``images/att_faces.npz`` with the arrays ``X`` (bytes, 112 by 92) and ``y``
        (people numbered from 0). None takes scikit-learn's
        ``fetch_olivetti_faces``: the same pictures, but cropped and scaled
        to 64 by 64 pixels, so that distances, and results that depend on them, differ.

    Returns
    -------
    ImageSet
        Images of 112 by 92 pixels from the file, or of 64 by 64 from the network.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or the network cannot be reached.
    ValueError
        If these are not the published images: their number or size, or the number of pictures of
        somebody, differs.
    """
    if data_dir is None:
        faces = _fetched_faces()
    else:
        faces = _images_from_file(
            find_file(data_dir, FACES_FILE, FACES_NAME), FACES_NAME, FACES_SHAPE
        )
    people, poses = np.unique(faces.y, return_counts=True)
    if len(people) != N_PEOPLE or not (poses == N_POSES).all():
        raise ValueError(
            f"expected {N_POSES} pictures of each of {N_PEOPLE} people, got between {poses.min()} "
            f"and {poses.max()} of {len(people)}: replace the file by {FACES_NAME} as published."
        )
    return faces


def _fetched_faces() -> ImageSet:
    bunch = fetch_or_explain(fetch_olivetti_faces, "scikit-learn's Olivetti faces", FACES_FILE)
    return ImageSet(FACES_NAME, bunch.images.astype(np.float64), bunch.target.astype(np.int64))


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

    X_train: Array
    y_train: NDArray[np.int64]
    X_test: Array
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
        Images and digits of both parts.

    Raises
    ------
    DataNotFoundError
        If the file is not in the folder, or OpenML cannot be reached.
    ValueError
        If these are not the published images: their number, or the number of a digit, differs.
    """
    digits = _fetched_usps() if data_dir is None else _usps_from_file(data_dir)
    _check_part("training", digits.X_train, digits.y_train, USPS_TRAIN)
    _check_part("test", digits.X_test, digits.y_test, USPS_TEST)
    return digits


def _usps_from_file(data_dir: str | os.PathLike[str]) -> UspsDigits:
    path = find_file(data_dir, USPS_FILE, "the USPS digits")
    arrays = load_arrays(path, USPS_KEYS, "the USPS digits")
    return UspsDigits(
        X_train=arrays["X_train"] / USPS_UNITS,
        y_train=arrays["y_train"].astype(np.int64),
        X_test=arrays["X_test"] / USPS_UNITS,
        y_test=arrays["y_test"].astype(np.int64),
    )


def _fetched_usps() -> UspsDigits:
    bunch = fetch_or_explain(
        lambda: fetch_openml(data_id=USPS_OPENML_ID, as_frame=False, parser="liac-arff"),
        "the USPS digits from OpenML",
        USPS_FILE,
    )
    X = np.asarray(bunch.data, dtype=np.float64)
    y = np.asarray(bunch.target).astype(np.int64) - 1
    n_train = sum(USPS_TRAIN)
    return UspsDigits(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def _check_part(name: str, X: Array, y: NDArray[np.int64], counts: tuple[int, ...]) -> None:
    """Refuse other images: a split in another order would otherwise pass for the published one."""
    if X.shape != (sum(counts), USPS_PIXELS) or y.shape != X.shape[:1]:
        raise ValueError(
            f"expected {sum(counts)} {name} images of {USPS_PIXELS} pixels and a digit for each, "
            f"got shapes {X.shape} and {y.shape}: replace the file by the published USPS digits."
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
            f"{X.max():g}: store them in the file times {USPS_UNITS:g}."
        )
