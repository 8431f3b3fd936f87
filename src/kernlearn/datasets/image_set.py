"""Grey images and their classes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["ImageSet", "images_from_file"]


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Grey images of one size, and the class of each.

    Attributes
    ----------
    name : str
        The name it was loaded under.
    images : ndarray of shape (n_images, height, width)
        Grey values from 0 to 1.
    y : ndarray of shape (n_images,)
        Classes, whole numbers.
    """

    name: str
    images: NDArray[np.float64]
    y: NDArray[np.int64]

    @property
    def X(self) -> NDArray[np.float64]:
        """The images as rows of grey values, of shape (n_images, height · width)."""
        return self.images.reshape(len(self.images), -1)


def images_from_file(path: Path, name: str, shape: tuple[int, int, int]) -> ImageSet:
    """Read the arrays X, bytes from 0 to 255, and y of a file; refuse another number or size.

    Parameters
    ----------
    path : pathlib.Path
        A file written by :func:`numpy.savez`.
    name : str
        Name of the set, for messages too.
    shape : tuple of int
        Number, height and width of the images.

    Returns
    -------
    ImageSet
    """
    with np.load(path) as arrays:
        missing = sorted({"X", "y"} - set(arrays.files))
        if missing:
            raise ValueError(
                f"expected the arrays X and y in {path}, got none named {', '.join(missing)}: "
                f"store {name} under these names."
            )
        X, y = arrays["X"], arrays["y"]
    if X.shape != shape or y.shape != shape[:1] or X.dtype != np.uint8:
        raise ValueError(
            f"expected {shape[0]} images of {shape[1]} by {shape[2]} bytes and a class for each in "
            f"{path}, got {X.dtype} of shape {X.shape} and classes of shape {y.shape}: replace the "
            f"file by {name} as published."
        )
    return ImageSet(name, X / 255.0, y.astype(np.int64))
