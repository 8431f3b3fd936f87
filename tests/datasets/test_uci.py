"""The UCI tables, from a folder and from OpenML."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernlearn.datasets import UCI_NAMES, DataNotFoundError, load_uci, uci_tables
from kernlearn.datasets.uci import FORMATS


def write_table(folder: Path, name: str, header: list[str], rows: list[list[str]]) -> None:
    path = folder / "uci_class" / f"{name}.csv.gz"
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(",".join(row) for row in [header, *rows]) + "\n")


def wisconsin_rows() -> tuple[list[str], list[list[str]]]:
    """683 complete rows and 16 with a missing cell, row i holding the number i throughout."""
    header = ["id", *(f"a{j}" for j in range(9)), "class"]
    rows = [[str(10_000 + i), *[str(i)] * 9, "2" if i % 3 else "4"] for i in range(683)]
    for i in range(16):
        rows.insert(40 * i, ["1", *["5"] * 5, "?", *["5"] * 3, "2"])
    return header, rows


def test_wisconsin_drops_the_id_and_the_incomplete_rows(tmp_path: Path) -> None:
    write_table(tmp_path, "wisconsin_original", *wisconsin_rows())
    data = load_uci("wisconsin_original", tmp_path)
    assert data.feature_names == tuple(f"a{j}" for j in range(9))
    np.testing.assert_array_equal(data.X, np.repeat(np.arange(683.0)[:, None], 9, axis=1))
    np.testing.assert_array_equal(data.y, np.where(np.arange(683) % 3, -1, 1))
    assert data.target_names == ("benign", "malignant")
    assert data.n_dropped == 16


def test_glass_is_window_against_the_rest_without_its_id(tmp_path: Path) -> None:
    types = ["1", "2", "3", "5", "6", "7"]
    rows = [[str(1000 + i), *[str(i)] * 9, types[i % 6]] for i in range(214)]
    write_table(tmp_path, "glass", ["id", *(f"a{j}" for j in range(9)), "type"], rows)
    data = load_uci("glass", tmp_path)
    np.testing.assert_array_equal(data.X[:, 0], np.arange(214))
    np.testing.assert_array_equal(data.y, np.where(np.arange(214) % 6 < 3, 1, -1))
    assert data.target_names == ("other", "window")


def test_thyroid_is_normal_against_both_diseases(tmp_path: Path) -> None:
    rows = [[*["0.5"] * 5, str(1 + i % 3)] for i in range(215)]
    write_table(tmp_path, "new_thyroid", [f"a{j}" for j in range(5)] + ["class"], rows)
    data = load_uci("new_thyroid", tmp_path)
    np.testing.assert_array_equal(data.y, np.where(np.arange(215) % 3, 1, -1))


def credit_rows() -> tuple[list[str], list[list[str]]]:
    """653 complete rows, nine inputs in letters, 37 rows with a missing cell."""
    letters = ("u", "y", "l")
    rows = [
        [*[letters[(i + j) % 3] for j in range(9)], *[f"{i:05d}"] * 6, "+" if i % 2 else "-"]
        for i in range(653)
    ]
    for i in range(37):
        rows.insert(3 * i, ["?", *["u"] * 8, *["1"] * 6, "+"])
    return [f"A{j}" for j in range(1, 17)], rows


def test_categories_of_credit_are_numbered_in_sorted_order(tmp_path: Path) -> None:
    header, rows = credit_rows()
    write_table(tmp_path, "crx", header, rows)
    data = load_uci("crx", tmp_path)
    number = {"l": 1, "u": 2, "y": 3}
    complete = [row for row in rows if "?" not in row]
    np.testing.assert_array_equal(data.X[:, :9], [[number[c] for c in r[:9]] for r in complete])
    np.testing.assert_array_equal(data.X[:, 12], np.arange(653))
    assert data.n_dropped == 37


def test_a_stray_letter_in_a_column_of_numbers_is_refused(tmp_path: Path) -> None:
    header, rows = credit_rows()
    rows[-1][-2] = "12O"
    write_table(tmp_path, "crx", header, rows)
    with pytest.raises(ValueError, match="crx should have 9 inputs spelt in letters, got 10: rep"):
        load_uci("crx", tmp_path)


def test_a_class_of_another_table_is_refused(tmp_path: Path) -> None:
    header = [f"a{j}" for j in range(34)] + ["class"]
    rows = [["0.5"] * 34 + ["g" if i else "x"] for i in range(351)]
    write_table(tmp_path, "ionosphere", header, rows)
    with pytest.raises(ValueError, match=r"the classes b and g in its last column, got x: replace"):
        load_uci("ionosphere", tmp_path)


def test_a_truncated_table_is_refused(tmp_path: Path) -> None:
    header, rows = wisconsin_rows()
    write_table(tmp_path, "wisconsin_original", header, rows[:100])
    with pytest.raises(ValueError, match=r"683 complete rows of 9 inputs, got 97 rows of 9"):
        load_uci("wisconsin_original", tmp_path)


@pytest.mark.parametrize("name", UCI_NAMES)
def test_a_missing_file_says_what_to_put_where(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataNotFoundError) as caught:
        load_uci(name, tmp_path)
    message = str(caught.value)
    assert f"put {name}.csv.gz into {tmp_path / 'uci_class'}" in message
    assert "the file does not exist" in message
    assert message.count(". ") == 0, "one sentence"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match="the data folder itself does not exist"):
        load_uci("sonar", tmp_path / "nowhere")


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"one of ionosphere, sonar.*got 'iris': choose one"):
        load_uci("iris")


def test_openml_gives_the_same_as_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, rows = wisconsin_rows()
    write_table(tmp_path, "wisconsin_original", header, rows)
    expected = load_uci("wisconsin_original", tmp_path)
    asked = []

    def fetch(name: str, **options: object) -> Bunch:
        asked.append((name, options["version"], options["as_frame"]))
        return Bunch(
            data=np.array([[np.nan if c == "?" else float(c) for c in row[1:-1]] for row in rows]),
            target=np.array(
                ["benign" if row[-1] == "2" else "malignant" for row in rows], dtype=object
            ),
            feature_names=header[1:-1],
        )

    monkeypatch.setattr(uci_tables, "fetch_openml", fetch)
    data = load_uci("wisconsin_original")
    assert asked == [("breast-w", 1, False)]
    np.testing.assert_array_equal(data.X, expected.X)
    np.testing.assert_array_equal(data.y, expected.y)


def test_without_a_network_the_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(name: str, **options: object) -> Bunch:
        raise OSError("no route")

    monkeypatch.setattr(uci_tables, "fetch_openml", fetch)
    with pytest.raises(
        DataNotFoundError, match=r"could not be fetched \(no route\).*uci_class/sonar.csv.gz"
    ):
        load_uci("sonar")


def test_no_spelling_stands_for_both_classes() -> None:
    for table_format in FORMATS.values():
        assert not set(table_format.negative) & set(table_format.positive)
