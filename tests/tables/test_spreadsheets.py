"""The first sheet of an .xlsx file, with and without the package that reads it."""

from __future__ import annotations

import sys
from datetime import date, datetime, time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernlearn.tables import TableError, read_chunks, read_table
from kernlearn.tables.writing import format_to_write

ROWS = [
    ("age", "day", "seen", "note", None),
    (41, datetime(2024, 1, 31), datetime(2024, 1, 31, 14, 5), " fine ", None),
    (None, None, None, None, None),
    (0.5, date(2024, 2, 1), time(9, 30), "NA"),
    (3.0, None, True, "#N/A", None),
]
EXPECTED = {
    "age": ["41", "0.5", "3"],
    "day": ["2024-01-31", "2024-02-01", np.nan],
    "seen": ["2024-01-31 14:05:00", "09:30:00", "True"],
    "note": ["fine", np.nan, np.nan],
}


def assert_as_expected(table):
    expected = pd.DataFrame(EXPECTED, dtype=object)
    expected.columns = expected.columns.astype(object)
    pd.testing.assert_frame_equal(table, expected)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Stores rows as the sheets of a file, by a stand-in for the package that reads it."""
    path = tmp_path / "t.xlsx"

    def store(rows, *others):
        sheet = SimpleNamespace(iter_rows=lambda values_only: iter(rows))
        names = ["first", *others]
        book = SimpleNamespace(sheetnames=names, worksheets=[sheet], close=lambda: None)
        package = SimpleNamespace(load_workbook=lambda *_, **__: book)
        monkeypatch.setitem(sys.modules, "openpyxl", package)
        path.write_bytes(b"PK")
        return path

    return store


def test_cells_are_read_as_a_text_file_would_have_them(stored):
    table = read_table(stored(ROWS))
    assert_as_expected(table)
    assert [len(piece) for piece in read_chunks(stored(ROWS), 2)] == [2, 1]


def test_the_package_itself_gives_the_same(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx")
    assert_as_expected(table)


def test_what_is_no_table_gets_a_sentence(stored, tmp_path, monkeypatch):
    with pytest.warns(UserWarning, match="of the 2 sheets of t.xlsx, the first, 'first', was read"):
        read_table(stored(ROWS, "second"))
    for rows, message in (
        ([], "has no row of column names"),
        ([("a", "a")], "different names in t.xlsx, got 'a'"),
        ([("a",), (1, 2)], "has a cell '2' in a column without a name"),
    ):
        with pytest.raises(TableError, match=message):
            read_table(stored(rows))
    with pytest.raises(TableError, match=r"could not write .*t.xlsx: expected a name that ends in"):
        format_to_write(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r'openpyxl, .* run pip install "kernlearn\[excel\]"'):
        read_table(tmp_path / "t.xlsx")
