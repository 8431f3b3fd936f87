"""The faces of AT&T Laboratories Cambridge, formerly Olivetti."""

from __future__ import annotations

import os

import numpy as np
from sklearn.datasets import fetch_olivetti_faces

from kernlearn.datasets.folder import DataNotFoundError, find_file
from kernlearn.datasets.image_set import ImageSet, images_from_file

__all__ = ["load_att_faces"]

FILE = "images/att_faces.npz"
NAME = "the AT&T faces"
N_PEOPLE, N_POSES = 40, 10
SHAPE = (N_PEOPLE * N_POSES, 112, 92)


def load_att_faces(data_dir: str | os.PathLike[str] | None = None) -> ImageSet:
    """Load ten pictures of each of forty people.

    Parameters
    ----------
    data_dir : path or None
        Folder holding ``images/att_faces.npz`` with the arrays ``X`` (bytes, 112 by 92) and ``y``
        (people numbered from 0). None takes scikit-learn's
        :func:`~sklearn.datasets.fetch_olivetti_faces`: the same pictures, but cropped and scaled
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
        faces = _fetched()
    else:
        faces = images_from_file(find_file(data_dir, FILE, NAME), NAME, SHAPE)
    people, poses = np.unique(faces.y, return_counts=True)
    if len(people) != N_PEOPLE or not (poses == N_POSES).all():
        raise ValueError(
            f"expected {N_POSES} pictures of each of {N_PEOPLE} people, got between {poses.min()} "
            f"and {poses.max()} of {len(people)}: replace the file by {NAME} as published."
        )
    return faces


def _fetched() -> ImageSet:
    try:
        bunch = fetch_olivetti_faces()
    except OSError as error:
        raise DataNotFoundError(
            f"expected scikit-learn's Olivetti faces, but they could not be fetched ({error}): "
            f"give a data folder that holds {FILE}."
        ) from error
    return ImageSet(NAME, bunch.images.astype(np.float64), bunch.target.astype(np.int64))
