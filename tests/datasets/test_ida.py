"""The IDA suite and Ripley's set from a folder, and the splits drawn beyond the published."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernlearn.datasets import (
    IDA_NAMES,
    DataNotFoundError,
    PartitionedSet,
    load_ida,
    load_ripley,
)

N, N_TRAIN, N_TEST = 30, 12, 15


def arrays() -> dict[str, np.ndarray]:
    """A set of thirty points, three of which are in no part of its two splits."""
    generator = np.random.default_rng(0)
    orders = np.array([generator.permutation(N) for _ in range(2)])
    return {
        "X": generator.standard_normal((N, 3)),
        "y": np.where(np.arange(N) % 3 == 0, 1, -1).astype(np.int8),
        "train": orders[:, :N_TRAIN].astype(np.int16),
        "test": orders[:, N_TRAIN : N_TRAIN + N_TEST].astype(np.int16),
        "partition": np.array([4, 0], dtype=np.int16),
        "note": np.array("two partitions"),
    }


def write_set(folder: Path, **changes: np.ndarray) -> Path:
    (folder / "ida").mkdir()
    kept = {key: value for key, value in (arrays() | changes).items() if value is not None}
    np.savez(folder / "ida/heart.npz", **kept)
    return folder


@pytest.fixture
def heart(tmp_path: Path) -> PartitionedSet:
    return load_ida("heart", write_set(tmp_path))


def test_what_is_in_the_file_is_loaded(heart: PartitionedSet) -> None:
    stored = arrays()
    np.testing.assert_array_equal(heart.X, stored["X"])
    np.testing.assert_array_equal(heart.y, stored["y"])
    assert (heart.name, heart.note, heart.n_published) == ("heart", "two partitions", 2)
    # Indices of the file are short integers: sums of them must not overflow.
    assert heart.train.dtype == heart.test.dtype == heart.y.dtype == np.int64


def test_published_divisions_come_first_whatever_the_seed(heart: PartitionedSet) -> None:
    stored = arrays()
    for index in (0, 1):
        for seed in (0, 7):
            train, test = heart.rows(index, seed)
            np.testing.assert_array_equal(train, stored["train"][index])
            np.testing.assert_array_equal(test, stored["test"][index])


def test_drawn_divisions_have_the_published_sizes(heart: PartitionedSet) -> None:
    seen = np.zeros((2, N), dtype=int)
    for index in range(2, 400):
        train, test = heart.rows(index, 0)
        assert (len(train), len(test)) == (N_TRAIN, N_TEST)
        assert len(np.unique(np.concatenate([train, test]))) == N_TRAIN + N_TEST
        seen[0, train] += 1
        seen[1, test] += 1
    # Every row is as likely as any other: five standard deviations of a binomial count.
    for counts, share in zip(seen, (N_TRAIN / N, N_TEST / N), strict=True):
        assert np.abs(counts - 398 * share).max() < 5 * np.sqrt(398 * share * (1 - share))


def test_drawn_divisions_depend_on_name_index_and_seed(heart: PartitionedSet) -> None:
    other = PartitionedSet("german", heart.X, heart.y, heart.train, heart.test, "")
    first = heart.rows(2, 0)
    for again in (heart.rows(2, 0), heart.rows(2, 0)):
        np.testing.assert_array_equal(first[0], again[0])
        np.testing.assert_array_equal(first[1], again[1])
    for different in (heart.rows(3, 0), heart.rows(2, 1), other.rows(2, 0)):
        assert not np.array_equal(first[0], different[0])


def test_thirteen_names() -> None:
    assert len(set(IDA_NAMES)) == 13
    with pytest.raises(ValueError, match=r"unknown IDA set 'iris': choose from banana, "):
        load_ida("iris", None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test": None}, "got none named test: store the set under these names"),
        ({"y": np.zeros(N)}, r"expected the labels -1 and 1 in .*, got \[0\]: recode them"),
        ({"y": np.ones(N - 1)}, r"got shapes \(30, 3\) and \(29,\)"),
        ({"X": np.full((N, 3), np.nan)}, "and 90 other numbers: replace the file"),
        ({"train": np.arange(12)}, "give one split at least"),
        ({"train": np.empty((0, 12)), "test": np.empty((0, 15))}, "give one split at least"),
        ({"train": np.full((2, 12), 30)}, "got rows from 0 to 30 of 30, or one twice"),
        ({"train": np.full((2, 12), -1)}, "got rows from -1 to"),
    ],
)
def test_a_broken_file_is_refused(
    tmp_path: Path, changes: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        load_ida("heart", write_set(tmp_path, **changes))


def test_a_row_in_both_parts_is_refused(tmp_path: Path) -> None:
    test = arrays()["test"].copy()
    test[1, 0] = arrays()["train"][1, 0]
    with pytest.raises(ValueError, match="or one twice: number the rows from 0"):
        load_ida("heart", write_set(tmp_path, test=test))


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"put heart.npz into .*ida"):
        load_ida("heart", tmp_path)
    with pytest.raises(DataNotFoundError, match=r"with ida/heart.npz, .* name it with --data"):
        load_ida("heart", None)
    with pytest.raises(DataNotFoundError, match=r"put ripley_synth.npz into .*misc"):
        load_ripley(tmp_path)
    with pytest.raises(DataNotFoundError, match=r"misc/ripley_synth.npz, .* with --data"):
        load_ripley(None)


def write_ripley(folder: Path, **changes: np.ndarray) -> Path:
    X = np.arange(14.0).reshape(7, 2)
    parts = {"X_train": X[:4], "y_train": np.array([0, 1, 1, 0], dtype=np.int8)}
    parts |= {"X_test": X[4:], "y_test": np.array([1, 0, 1], dtype=np.int8)}
    (folder / "misc").mkdir()
    np.savez(folder / "misc/ripley_synth.npz", **(parts | changes))
    return folder


def test_ripleys_division_is_his_own(tmp_path: Path) -> None:
    data = load_ripley(write_ripley(tmp_path))
    train, test = data.rows(0, 0)
    np.testing.assert_array_equal(data.X[train, 0], [0, 2, 4, 6])
    np.testing.assert_array_equal(data.y[train], [-1, 1, 1, -1])
    np.testing.assert_array_equal(data.X[test, 1], [9, 11, 13])
    np.testing.assert_array_equal(data.y[test], [1, -1, 1])
    assert data.n_published == 1
    drawn = np.concatenate(data.rows(1, 0))
    np.testing.assert_array_equal(np.sort(drawn), np.arange(7))


def test_other_labels_of_ripleys_set_are_refused(tmp_path: Path) -> None:
    folder = write_ripley(tmp_path, y_test=np.array([1, 2, 1]))
    with pytest.raises(ValueError, match=r"expected a label 0 or 1 .*\[0, 1, 2\]"):
        load_ripley(folder)
