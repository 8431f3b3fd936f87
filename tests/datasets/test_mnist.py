"""The threes and eights, from a folder and from OpenML."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernlearn.datasets import DataNotFoundError, images, load_mnist_3v8

N = 1984


def digits(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).permutation(np.repeat([3, 8], [1010, 974]))


def pixels() -> np.ndarray:
    """Bytes that tell the images and the corners apart."""
    X = np.zeros((N, 28, 28), dtype=np.uint8)
    X[:, 0, 1], X[:, 1, 0], X[:, 27, 27] = np.arange(N) // 256, np.arange(N) % 256, 255
    return X


def write_file(folder: Path, **changes: np.ndarray) -> Path:
    (folder / "images").mkdir()
    arrays = {"X": pixels(), "y": digits().astype(np.uint8)} | changes
    np.savez(folder / "images/mnist_3v8.npz", **arrays)
    return folder


def test_the_file_holds_bytes_of_ink(tmp_path: Path) -> None:
    found = load_mnist_3v8(write_file(tmp_path))
    np.testing.assert_array_equal(found.y, digits())
    np.testing.assert_allclose(found.images * 255, pixels(), rtol=1e-12)
    np.testing.assert_array_equal(found.X[:, 1], found.images[:, 0, 1])
    assert found.X.shape == (N, 784)


def test_openml_gives_the_same_as_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The test set is the end of the table, with other digits between.
    target = np.full(10_050, "5")
    data = np.full((10_050, 784), 7.0)
    target[:50] = "3"
    places = 50 + 5 * np.arange(N)
    target[places], data[places] = digits().astype(str), pixels().reshape(N, -1)
    monkeypatch.setattr(images, "fetch_openml", lambda *_, **__: Bunch(data=data, target=target))
    found, expected = load_mnist_3v8(), load_mnist_3v8(write_file(tmp_path))
    np.testing.assert_array_equal(found.images, expected.images)
    np.testing.assert_array_equal(found.y, expected.y)


def test_other_digits_or_sizes_are_refused(tmp_path: Path) -> None:
    for number, (changes, message) in enumerate(
        [
            ({"y": np.full(N, 3)}, r"1010 threes and 974 eights, got 1984 and 0: replace the file"),
            ({"X": pixels()[:, :16]}, r"1984 images of 28 by 28 bytes .*shape \(1984, 16, 28\)"),
            ({"X": pixels() / 255}, r"28 by 28 bytes .*got float64 of shape \(1984, 28, 28\)"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(ValueError, match=message):
            load_mnist_3v8(write_file(folder, **changes))


def test_a_file_without_digits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    np.savez(tmp_path / "images/mnist_3v8.npz", X=pixels())
    with pytest.raises(ValueError, match=r"the arrays X and y in .*, got none named y: store"):
        load_mnist_3v8(tmp_path)


def test_a_missing_file_or_network_says_what_to_put_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataNotFoundError, match=r"put mnist_3v8.npz into .*images"):
        load_mnist_3v8(tmp_path)

    def fetch(*_: object, **__: object) -> Bunch:
        raise OSError("no route")

    monkeypatch.setattr(images, "fetch_openml", fetch)
    with pytest.raises(DataNotFoundError, match=r"fetched \(no route\): .*images/mnist_3v8.npz"):
        load_mnist_3v8()
