"""The UCI regression tables, from a folder and from OpenML."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from kernlearn.datasets import (
    UCI_REGRESSION_NAMES,
    DataNotFoundError,
    load_uci_regression,
    uci_tables,
)

MOTORS = ("A", "B", "C", "D", "E")
SERVO_MEAN = 1.38971


def write_table(folder: Path, name: str, header: list[str], rows: list[list[str]]) -> None:
    path = folder / "uci_reg" / f"{name}.csv.gz"
    path.parent.mkdir(exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(",".join(row) for row in [header, *rows]) + "\n")


def servo_rows() -> tuple[list[str], list[list[str]]]:
    """167 rows; the targets go up and down around the mean of the original."""
    targets = SERVO_MEAN + 0.5 * (np.arange(167) - 83) / 83
    rows = [
        [MOTORS[-1 - i % 5], MOTORS[i % 3], str(3 + i % 4), str(1 + i % 5), repr(float(target))]
        for i, target in enumerate(targets)
    ]
    return ["motor", "screw", "pgain", "vgain", "class"], rows


def cpu_rows(target_mean: float = 105.622) -> tuple[list[str], list[list[str]]]:
    inputs = ["MYCT", "MMIN", "MMAX", "CACH", "CHMIN", "CHMAX"]
    rows = [["ibm", f"{i}/7", *[str(i)] * 6, str(target_mean + i - 104), "1e6"] for i in range(209)]
    return ["VendorName", "Model", *inputs, "PRP", "ERP"], rows


def test_categories_are_numbered_in_sorted_order_and_numbers_stay(tmp_path: Path) -> None:
    header, rows = servo_rows()
    write_table(tmp_path, "servo", header, rows)
    data = load_uci_regression("servo", tmp_path)
    expected = [
        [MOTORS.index(motor) + 1, MOTORS.index(screw) + 1, float(pgain), float(vgain)]
        for motor, screw, pgain, vgain, _ in rows
    ]
    np.testing.assert_array_equal(data.X, expected)
    np.testing.assert_array_equal(data.y, [float(row[-1]) for row in rows])
    assert (data.target_name, data.n_dropped) == ("class", 0)


def test_the_target_may_stand_anywhere_and_what_is_no_input_is_left_out(tmp_path: Path) -> None:
    write_table(tmp_path, "cpu_machine", *cpu_rows())
    data = load_uci_regression("cpu_machine", tmp_path)
    assert data.feature_names == ("MYCT", "MMIN", "MMAX", "CACH", "CHMIN", "CHMAX")
    np.testing.assert_array_equal(data.X, np.repeat(np.arange(209.0)[:, None], 6, axis=1))
    np.testing.assert_allclose(data.y, 105.622 + np.arange(209) - 104)


def test_incomplete_rows_are_dropped_and_counted(tmp_path: Path) -> None:
    header = "mpg,cylinders,displacement,horsepower,weight,acceleration,model_year,origin,car_name"
    rows = [[str(23.4459), *[str(i)] * 7, "a car"] for i in range(392)]
    for i in range(6):
        rows.insert(50 * i, ["99", "8", "300", "?", "3000", "12", "70", "1", "a car"])
    write_table(tmp_path, "auto_mpg", header.split(","), rows)
    data = load_uci_regression("auto_mpg", tmp_path)
    assert data.n_dropped == 6
    np.testing.assert_array_equal(data.X[:, 0], np.arange(392))
    np.testing.assert_array_equal(data.y, 23.4459)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, rows: (header, rows[:-1]), "167 complete rows of 4 inputs, got 166 rows"),
        (
            lambda header, rows: (header, [[*rows[0][:2], "x", *rows[0][3:]], *rows[1:]]),
            "should have 2 inputs spelt in letters, got 3: replace",
        ),
        (
            lambda header, rows: (header, [[*row[:-1], "P"] for row in rows]),
            "should have numbers in its target class, got text: replace",
        ),
        (
            lambda header, rows: (header, [[*row[:-1], "7"] for row in rows]),
            r"targets class with the mean 1.38971, got 7: replace",
        ),
        (
            lambda header, rows: ([*header[:-1], "rise time"], rows),
            "servo should have a column class, got motor, .* rise time: replace",
        ),
    ],
)
def test_another_table_is_refused(tmp_path: Path, change: object, message: str) -> None:
    write_table(tmp_path, "servo", *change(*servo_rows()))
    with pytest.raises(ValueError, match=message):
        load_uci_regression("servo", tmp_path)


@pytest.mark.parametrize("name", UCI_REGRESSION_NAMES)
def test_a_missing_file_says_what_to_put_where(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataNotFoundError) as caught:
        load_uci_regression(name, tmp_path)
    assert f"put {name}.csv.gz into {tmp_path / 'uci_reg'}" in str(caught.value)


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match=r"one of auto_mpg, .*got 'iris': choose one"):
        load_uci_regression("iris")


def test_openml_gives_the_same_as_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a category is its number in a list whose order is not the alphabet's."""
    header, rows = servo_rows()
    write_table(tmp_path, "servo", header, rows)
    expected = load_uci_regression("servo", tmp_path)
    backwards = list(MOTORS[::-1])
    categories = {"motor": backwards, "screw": backwards, "pgain": ["6", "5", "4", "3"]}
    asked = []

    def fetch(name: str, **options: object) -> Bunch:
        asked.append((name, options["version"], options["target_column"]))
        cells = [
            [backwards.index(a), backwards.index(b), categories["pgain"].index(c), float(d)]
            for a, b, c, d, _ in rows
        ]
        return Bunch(
            data=np.array(cells, dtype=float),
            target=np.array([float(row[-1]) for row in rows]),
            feature_names=header[:-1],
            categories=categories,
        )

    monkeypatch.setattr(uci_tables, "fetch_openml", fetch)
    data = load_uci_regression("servo")
    assert asked == [("servo", 1, "default-target")]
    np.testing.assert_array_equal(data.X, expected.X)
    np.testing.assert_array_equal(data.y, expected.y)


def test_openml_is_asked_for_the_price_and_a_missing_one_drops_the_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OpenML's own target of the table is the insurers' risk, not the price."""
    n_text = 10

    def fetch(name: str, **options: object) -> Bunch:
        assert (name, options["target_column"]) == ("autos", "price")
        data = np.tile(np.arange(161.0)[:, None], (1, 25))
        data[:, :n_text] = data[:, :n_text] % 2
        data[1, 0] = np.nan  # a category
        target = np.full(161, 11445.7)
        target[2] = np.nan
        names = [f"a{j}" for j in range(25)]
        return Bunch(
            data=data,
            target=target,
            feature_names=names,
            categories={name: ["no", "yes"] for name in names[:n_text]},
        )

    monkeypatch.setattr(uci_tables, "fetch_openml", fetch)
    data = load_uci_regression("imports85")
    assert (data.X.shape, data.n_dropped) == ((159, 25), 2)
    assert sorted(set(data.X[:, 0])) == [1, 2]
    np.testing.assert_array_equal(data.X[:4, 24], [0, 3, 4, 5])
