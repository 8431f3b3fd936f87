"""Protocol of Kondor and Jebara (2007), section 5: digits turned, faces drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import rotate

from kernlearn.datasets import ImageSet
from kernlearn.papers.splits import TrainTestSplit
from kernlearn.typing import Array


@dataclass(frozen=True)
class DigitProtocol:
    """The experiment of Figure 1."""

    n_train: int = 20
    """Training images of each digit."""

    n_test: int = 50
    """Test images of each digit; our copy of the paper does not say how many."""

    largest_angle: float = 45.0
    """Degrees by which an image is turned to either side, at most."""

    sigmas: tuple[float, ...] = (0.25, 0.35, 0.5)
    """Candidates for σ, in units of the median distance of the training points."""

    sigma_hs: tuple[float, ...] = (0.0, 1.0)
    """Candidates for σ_h, in units of σ."""

    costs: tuple[float, ...] = (100.0, 10_000.0)
    """Candidates for C."""

    folds: int = 4
    """Folds of the cross-validation that chooses σ, σ_h and C."""

    pivots: tuple[int, int] = (200, 400)
    """Pivots of the fits of the choice, and of the last fit.

    The other half of the 820 pairs adds little but takes most of the time.
    """


@dataclass(frozen=True)
class FaceProtocol:
    """The experiment of Figure 2."""

    n_people: int = 30
    """People drawn from the forty."""

    n_train: int = 20
    """Training pictures."""

    n_test: int = 100
    """Test pictures."""

    sigmas: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    """Values of σ."""

    sigma_hs: tuple[float, ...] = (0.0, 1.0, 2.0, 5.0, 10.0)
    """Values of σ_h in units of σ, from zero to ten as in the paper."""

    C: float = 10.0
    """The paper's C, for all methods."""


def draw_digits(
    digits: ImageSet, index: int, seed: int, protocol: DigitProtocol | None = None
) -> TrainTestSplit:
    """Draw 20 threes and 20 eights to train on, 50 and 50 others to test on, all turned."""
    protocol = protocol or DigitProtocol()
    generator = np.random.default_rng([seed, index])
    train, test = [], []
    for digit in (3, 8):
        rows = generator.permutation(np.flatnonzero(digits.y == digit))
        train.append(rows[: protocol.n_train])
        test.append(rows[protocol.n_train : protocol.n_train + protocol.n_test])
    rows = np.concatenate([*train, *test])
    images = rotated_images(digits.images[rows], generator, protocol.largest_angle)
    return _split_first(images.reshape(len(rows), -1), digits.y[rows], 2 * protocol.n_train)


def rotated_images(images: Array, generator: np.random.Generator, largest_angle: float) -> Array:
    """Return the images, each turned about its middle by up to this angle to either side."""
    angles = generator.uniform(-largest_angle, largest_angle, len(images))
    # Linear interpolation, which stays between paper and ink.
    return np.stack(
        [
            rotate(image, angle, reshape=False, order=1)
            for image, angle in zip(images, angles, strict=True)
        ]
    )


def draw_faces(
    faces: ImageSet, index: int, seed: int, protocol: FaceProtocol | None = None
) -> TrainTestSplit:
    """Draw 30 people, 20 of their 300 pictures to train on and 100 others to test on.

    Pictures are scaled to length one, as the widths from 0.1 to 0.6 suggest.
    """
    protocol = protocol or FaceProtocol()
    n_train = protocol.n_train
    generator = np.random.default_rng([seed, index])
    people = generator.choice(np.unique(faces.y), protocol.n_people, replace=False)
    rows = generator.permutation(np.flatnonzero(np.isin(faces.y, people)))
    while len(np.unique(faces.y[rows[:n_train]])) == n_train:
        # Twenty different people, who have no pair of one person to learn from; hardly ever.
        rows = generator.permutation(rows)
    rows = rows[: n_train + protocol.n_test]
    X = faces.X[rows] / np.linalg.norm(faces.X[rows], axis=1, keepdims=True)
    return _split_first(X, faces.y[rows], n_train)


def _split_first(X: Array, y: NDArray[np.int64], n_train: int) -> TrainTestSplit:
    """The first rows to train on, the others to test on, in the space that all of them span.

    Every method here uses distances and means only, which do not change with the coordinates:
    120 pictures need 120 columns, not 10 304.
    """
    X = np.linalg.qr(X.T).R.T
    return TrainTestSplit(X[:n_train], y[:n_train], X[n_train:], y[n_train:])
