"""The USPS digits, from a folder and from OpenML."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernlearn.datasets import DataNotFoundError, images, load_usps
from kernlearn.datasets.images import USPS_TEST, USPS_TRAIN

N_TRAIN, N_TEST = 7291, 2007


def published_digits() -> tuple[np.ndarray, np.ndarray]:
    """Digits in the published numbers, shuffled within each part."""
    generator = np.random.default_rng(0)
    train, test = (
        generator.permutation(np.repeat(np.arange(10), counts))
        for counts in (USPS_TRAIN, USPS_TEST)
    )
    return train, test


def thousandths() -> np.ndarray:
    """Images that can be told apart: the first pixels of image i spell i, the rest is paper."""
    X = np.full((N_TRAIN + N_TEST, 256), -1000, dtype=np.int16)
    X[:, 0] = np.arange(len(X)) % 1999 - 999
    X[:, 1] = np.arange(len(X)) // 1999
    return X


def write_file(folder: Path, **changes: np.ndarray) -> Path:
    y_train, y_test = published_digits()
    X = thousandths()
    arrays = {"X_train": X[:N_TRAIN], "y_train": y_train.astype(np.int8)}
    arrays |= {"X_test": X[N_TRAIN:], "y_test": y_test.astype(np.int8)}
    (folder / "images").mkdir()
    np.savez(folder / "images/usps.npz", **(arrays | changes))
    return folder


def test_the_file_holds_thousandths_of_grey_values(tmp_path: Path) -> None:
    digits = load_usps(write_file(tmp_path))
    y_train, y_test = published_digits()
    np.testing.assert_array_equal(digits.y_train, y_train)
    np.testing.assert_array_equal(digits.y_test, y_test)
    np.testing.assert_allclose(digits.X_train * 1000, thousandths()[:N_TRAIN], rtol=1e-12)
    np.testing.assert_allclose(digits.X_test * 1000, thousandths()[N_TRAIN:], rtol=1e-12)


def test_openml_gives_the_same_as_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = load_usps(write_file(tmp_path))
    asked = []

    def fetch(**options: object) -> Bunch:
        asked.append(options["data_id"])
        # There, digit 0 is called "1".
        target = (np.concatenate(published_digits()) + 1).astype(str).astype(object)
        return Bunch(data=thousandths() / 1000, target=target)

    monkeypatch.setattr(images, "fetch_openml", fetch)
    digits = load_usps()
    assert asked == [41082]
    for part in ("X_train", "y_train", "X_test", "y_test"):
        np.testing.assert_array_equal(getattr(digits, part), getattr(expected, part))


def test_another_order_of_the_images_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    target = (np.concatenate(published_digits()[::-1]) + 1).astype(str)
    bunch = Bunch(data=thousandths() / 1000, target=target)
    monkeypatch.setattr(images, "fetch_openml", lambda **_: bunch)
    with pytest.raises(ValueError, match=r"expected \(1194, .*\) training images of the digits"):
        load_usps()


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    folder = write_file(tmp_path, X_test=thousandths()[:100])
    with pytest.raises(ValueError, match=r"2007 test images.*got shapes \(100, 256\) and"):
        load_usps(folder)


def test_a_file_without_digits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    np.savez(tmp_path / "images/usps.npz", X_train=thousandths(), y_train=published_digits()[0])
    with pytest.raises(ValueError, match=r"got none named X_test, y_test: store the USPS digits"):
        load_usps(tmp_path)


def test_grey_values_in_other_units_are_refused(tmp_path: Path) -> None:
    folder = write_file(tmp_path, X_train=3 * thousandths()[:N_TRAIN])
    with pytest.raises(ValueError, match=r"between -1 and 1, got -3 to 2.997: store them in the"):
        load_usps(folder)


def test_a_missing_file_says_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"the USPS digits in .*put usps.npz into .*images"):
        load_usps(tmp_path)


def test_without_a_network_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(**options: object) -> Bunch:
        raise OSError("no route")

    monkeypatch.setattr(images, "fetch_openml", fetch)
    with pytest.raises(
        DataNotFoundError, match=r"could not be fetched \(no route\).*images/usps.npz"
    ):
        load_usps()
