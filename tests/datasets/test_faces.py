"""The faces, from a folder and from scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernlearn.datasets import DataNotFoundError, images, load_att_faces

PEOPLE = np.repeat(np.arange(40), 10)


def pixels() -> np.ndarray:
    X = np.zeros((400, 112, 92), dtype=np.uint8)
    X[:, 3, 5], X[:, 111, 91] = np.arange(400) % 256, PEOPLE
    return X


def write_file(folder: Path, **changes: np.ndarray) -> Path:
    (folder / "images").mkdir()
    np.savez_compressed(folder / "images/att_faces.npz", **({"X": pixels(), "y": PEOPLE} | changes))
    return folder


def test_the_file_holds_bytes(tmp_path: Path) -> None:
    found = load_att_faces(write_file(tmp_path))
    np.testing.assert_allclose(found.images[:, 3, 5] * 255, np.arange(400) % 256)
    np.testing.assert_allclose(found.X[:, -1] * 255, PEOPLE)
    np.testing.assert_array_equal(found.y, PEOPLE)
    assert found.X.shape == (400, 10_304)


def test_scikit_learns_pictures_are_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = np.random.default_rng(0).random((400, 64, 64)).astype(np.float32)
    monkeypatch.setattr(
        images, "fetch_olivetti_faces", lambda: Bunch(images=pictures, target=PEOPLE.copy())
    )
    found = load_att_faces()
    np.testing.assert_array_equal(found.images, pictures)
    assert found.images.dtype == np.float64
    assert "64 by 64" in load_att_faces.__doc__


def test_a_wrong_number_of_pictures_is_refused(tmp_path: Path) -> None:
    changed = PEOPLE.copy()
    changed[0] = 1
    with pytest.raises(ValueError, match=r"10 pictures of each of 40 people, got between 9 and 11"):
        load_att_faces(write_file(tmp_path, y=changed))


def test_another_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"400 images of 112 by 92 bytes .*\(400, 92, 112\)"):
        load_att_faces(write_file(tmp_path, X=pixels().transpose(0, 2, 1)))


def test_a_missing_file_or_network_says_what_to_put_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataNotFoundError, match=r"put att_faces.npz into .*images"):
        load_att_faces(tmp_path)

    def fetch() -> Bunch:
        raise OSError("no route")

    monkeypatch.setattr(images, "fetch_olivetti_faces", fetch)
    with pytest.raises(DataNotFoundError, match=r"fetched \(no route\): .*images/att_faces.npz"):
        load_att_faces()
