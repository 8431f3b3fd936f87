"""How Kondor and Jebara (2007) ran section 5: digits turned, faces drawn."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import rotate

from kernlearn.datasets import ImageSet
from kernlearn.typing import Array

__all__ = ["Sample", "draw_digits", "draw_faces", "fingerprint", "turned"]

Labels = NDArray[np.int64]

N_TRAIN_PER_DIGIT = 20
# The paper does not say how many digits it tested on.
N_TEST_PER_DIGIT = 50
LARGEST_ANGLE = 45.0  # degrees, to either side

N_PEOPLE = 30
N_TRAIN_FACES, N_TEST_FACES = 20, 100


@dataclass(frozen=True, eq=False)
class Sample:
    """Training and test points of one repetition.

    Attributes
    ----------
    X_train, X_test : ndarray of shape (n, n_features)
        The points.
    y_train, y_test : ndarray of shape (n,)
        Their classes.
    """

    X_train: Array
    y_train: Labels
    X_test: Array
    y_test: Labels


def draw_digits(digits: ImageSet, index: int, seed: int) -> Sample:
    """Draw 20 threes and 20 eights to train on, 50 and 50 others to test on, all turned."""
    generator = np.random.default_rng([seed, index])
    train, test = [], []
    for digit in (3, 8):
        rows = generator.permutation(np.flatnonzero(digits.y == digit))
        train.append(rows[:N_TRAIN_PER_DIGIT])
        test.append(rows[N_TRAIN_PER_DIGIT : N_TRAIN_PER_DIGIT + N_TEST_PER_DIGIT])
    rows = np.concatenate([*train, *test])
    X = turned(digits.images[rows], generator).reshape(len(rows), -1)
    return _divided(X, digits.y[rows], 2 * N_TRAIN_PER_DIGIT)


def turned(images: Array, generator: np.random.Generator) -> Array:
    """Return the images, each turned about its middle by up to 45 degrees to either side."""
    angles = generator.uniform(-LARGEST_ANGLE, LARGEST_ANGLE, len(images))
    # Linear interpolation, which stays between paper and ink.
    return np.stack(
        [
            rotate(image, angle, reshape=False, order=1)
            for image, angle in zip(images, angles, strict=True)
        ]
    )


def draw_faces(faces: ImageSet, index: int, seed: int) -> Sample:
    """Draw 30 people, 20 of their 300 pictures to train on and 100 others to test on.

    Pictures are scaled to length one, as the widths from 0.1 to 0.6 suggest.
    """
    generator = np.random.default_rng([seed, index])
    people = generator.choice(np.unique(faces.y), N_PEOPLE, replace=False)
    rows = generator.permutation(np.flatnonzero(np.isin(faces.y, people)))
    while len(np.unique(faces.y[rows[:N_TRAIN_FACES]])) == N_TRAIN_FACES:
        # Twenty different people, who have no pair of one person to learn from; hardly ever.
        rows = generator.permutation(rows)
    rows = rows[: N_TRAIN_FACES + N_TEST_FACES]
    X = faces.X[rows] / np.linalg.norm(faces.X[rows], axis=1, keepdims=True)
    return _divided(X, faces.y[rows], N_TRAIN_FACES)


def _divided(X: Array, y: Labels, n_train: int) -> Sample:
    """The first rows to train on, the others to test on, in the space that all of them span.

    Every method here sees distances and means only, which do not change with the coordinates:
    120 pictures need 120 columns, not 10 304.
    """
    X = np.linalg.qr(X.T).R.T
    return Sample(X[:n_train], y[:n_train], X[n_train:], y[n_train:])


def fingerprint(data: ImageSet) -> int:
    """Return a number that tells these images and labels from any others."""
    return zlib.crc32(data.y.tobytes(), zlib.crc32(data.images.tobytes()))
