"""The same table, in every format; what is no table gets a sentence."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import gzip
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kernlearn.tables import TableError, describe_columns, read_chunks, read_table, typed_columns
from kernlearn.tables.formats import ReadingOptions

TEXT = 'name,"with, comma",third\na,1.5,\nb,?,x y\nc,NA,ü\n'


def frame():
    return pd.DataFrame({"name": ["a", "b"], "x": [1.5, None], "flag": [True, False]})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", TEXT.encode()),
        ("t.txt", TEXT.encode()),
        ("t.CSV", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode()),
        ("t.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("t.tsv", TEXT.replace('"with, comma"', "with; comma").replace(",", "\t").encode()),
    ],
)
def test_text_tables(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    table = read_table(tmp_path / name)
    assert list(table.columns)[::2] == ["name", "third"]
    assert table["name"].tolist() == ["a", "b", "c"]
    assert table.iloc[0, 1] == "1.5"
    assert table.iloc[:, 1].isna().tolist() == [False, True, True]
    assert table["third"].isna().tolist() == [True, False, False]
    assert table["third"].iloc[2] == "ü"


@pytest.mark.parametrize(
    ("text", "names", "last"),
    [
        ("5.1,3.5,setosa\n4.9,?,virginica\n\n", ["x1", "x2", "x3"], ["4.9", None, "virginica"]),
        ("size,kind\n1,a\n2,b\n", ["size", "kind"], ["2", "b"]),
        ('18.0   8.\t"a  car"\n 15.0   ?\t"b"\n', ["x1", "x2", "x3"], ["15.0", None, "b"]),
        ("p;x\ne;y\n", ["x1", "x2"], ["e", "y"]),
        ("1.5\n2.5\n3.5\n4.5\n", ["x1"], ["4.5"]),
        ("1\t2\n3\t\n", ["x1", "x2"], ["3", None]),
    ],
    ids=["commas", "names", "blanks", "text", "one column", "tabs"],
)
def test_data_files_of_repositories(text, names, last, tmp_path):
    (tmp_path / "t.data").write_text(text)
    (tmp_path / "t.data.gz").write_bytes(gzip.compress(text.encode()))
    table = read_table(tmp_path / "t.data")
    assert list(table.columns) == names
    assert len(table) == len(text.split("\n")) - text.count("\n\n") - 1 - ("x1" not in names)
    assert [None if pd.isna(cell) else cell for cell in table.iloc[-1]] == last
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.data.gz"), table)


def test_data_files_with_a_delimiter_and_with_faults(tmp_path):
    path = tmp_path / "t.data"
    path.write_text("1|a,b\n2|c,d\n")
    assert read_table(path, "|")["x2"].tolist() == ["a,b", "c,d"]
    path.write_text("1 2\n3 4 5\n")
    with pytest.raises(TableError, match="no table with 2 columns in every row: row 2 has 3 cells"):
        read_table(path)
    path.write_text("\n")
    with pytest.raises(TableError, match=r"t\.data has no line"):
        read_table(path)


@pytest.mark.parametrize("name", ["t.parquet", "t.pq", "t.parquet.gz"])
def test_parquet(name, tmp_path):
    frame().to_parquet(tmp_path / "plain.parquet")
    content = (tmp_path / "plain.parquet").read_bytes()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    pd.testing.assert_frame_equal(read_table(tmp_path / name), frame())


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_pieces_make_the_whole(name, tmp_path):
    whole = pd.DataFrame({"a": range(25), "b": [f"w{i}" for i in range(25)]})
    whole.to_csv(tmp_path / "t.csv", index=False)
    whole.to_parquet(tmp_path / "t.parquet")
    pieces = list(read_chunks(tmp_path / name, 10))
    assert [len(piece) for piece in pieces] == [10, 10, 5]
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), read_table(tmp_path / name))


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_table_without_rows_has_columns(name, tmp_path):
    pd.DataFrame({"a": [], "b": []}).to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("a,b\n")
    table = read_table(tmp_path / name)
    assert len(table) == 0
    assert list(table.columns) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.csv", b"", "t.csv has no line of column names to begin with"),
        ("t.csv", b"a;b;c\n1;2;3\n", r"separated by ',' in t.csv, got one column 'a;b;c' .*';'"),
        (
            "t.csv",
            b'a;b;"c,d";y\n1,5;2,5;3,5;4,5\n',
            "row 1 has 5 cells; the names look separated by ';': pass --delimiter ';'",
        ),
        ("t.csv", b"a\tb\n1\t2\n", "looks separated by tabs"),
        ("t.tsv", b"a,b\n1,2\n", "separated by tabs in t.tsv, .* looks separated by ','"),
        ("t.csv", b"a,b\n1,2,3\n4,5,6\n", "with 2 columns in every row: row 1 has 3 cells.* name"),
        ("t.csv", b"a,b\n1,2,\n4,5,\n", "row 1 has 3 cells; .* drop the last cell"),
        ("t.csv", b"a,b\n1,2,3,4\n", "row 1 has 4 cells; quote cells that hold ','$"),
        ("t.csv", b"a,b\n1,2\n\n4\n", "row 2 has 1 cell; fill it up with empty cells"),
        ("t.csv", b'a,b\n1,"2\n4,5\n', "opens a quote that it never closes, .* begins with '1'"),
        ("t.csv", b'a\n"1\n2\n3\n', "opens a quote that it never closes"),
        (
            "t.csv",
            b"a,b\n1," + b"x" * 200_000 + b"\n",
            "field larger than field limit .* near line",
        ),
        ("t.csv", b"a,b\n1,\x002\n", "bytes that are no text"),
        ("t.csv", b"a,b\n1,2\n4,5,6\n", "no table with 2 columns in every row"),
        ("t.csv", b"a,b,a\n1,2,3\n", "different names in t.csv, got 'a' more than once"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "not text in utf-8|bytes that are no text"),
        ("t.csv.gz", b"a,b\n1,2\n", "t.csv.gz is no complete gzip file"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-20], "no complete gzip file"),
        ("t.parquet", b"a,b\n1,2\n", "t.parquet is no Parquet file"),
        ("t.xlsx.gz", b"PK", "whose name ends in .csv, .tsv, .txt, .data, .* got t.xlsx.gz"),
        ("t", b"a,b\n", "whose name ends in"),
    ],
)
def test_what_is_no_table(name, content, sentence, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=sentence):
        read_table(tmp_path / name)


def test_a_long_row_anywhere_is_noticed(tmp_path):
    lines = ["a,b", *["1,2"] * 30]
    for place in range(1, 31):
        (tmp_path / "t.csv").write_text("\n".join([*lines[:place], "1,2,3", *lines[place:]]))
        with pytest.raises(TableError, match=f"row {place} has 3 cells"):
            list(read_chunks(tmp_path / "t.csv", 10))


def test_quotes_blanks_and_blank_lines(tmp_path):
    (tmp_path / "t.csv").write_text('"a\nb", c\n"1,5", x \n\n   \n"say ""hi""",y\r\n"p\nq",NA')
    table = read_table(tmp_path / "t.csv")
    assert list(table.columns) == ["a\nb", "c"]
    assert table["a\nb"].tolist() == ["1,5", 'say "hi"', "p\nq"]
    assert table["c"].tolist()[:2] == ["x ", "y"]
    assert table["c"].isna().tolist() == [False, False, True]


def test_a_file_without_line_breaks_is_not_read_whole(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n" + "1," * 5000)
    with pytest.raises(TableError, match="a line of more than 1,000 characters"):
        list(read_chunks(tmp_path / "t.csv", 100, options=ReadingOptions(longest_line=1000)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "row 2 has 1 cell"),
        ("a,a\n1,2\n", "'a' more than once"),
        ("a,b\n1,2,3\n4,5,6\n", "row 1 has 3 cells"),
    ],
    ids=["short row", "repeated name", "cell too many"],
)
def test_pandas_reads_without_a_word_what_is_refused_here(text, message, tmp_path):
    (tmp_path / "t.csv").write_text(text)
    assert pd.read_csv(tmp_path / "t.csv").shape[1] == 2
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / "t.csv")


def write_columns(path, **columns):
    arrays = {name: pa.array(values) for name, values in columns.items()}
    pq.write_table(pa.table(arrays), path)


def test_parquet_with_a_name_twice(tmp_path):
    column = pa.array([1, 2])
    table = pa.table([column] * 3, names=["y", "x", "y"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(TableError, match=r"different names in t\.parquet, got 'y' more than once"):
        read_table(tmp_path / "t.parquet")


def test_damaged_parquet_is_no_matter_of_the_system(tmp_path):
    write_columns(tmp_path / "t.parquet", x=list(range(50)))
    content = (tmp_path / "t.parquet").read_bytes()
    for place in range(4, len(content) - 8, 5):
        (tmp_path / "t.parquet").write_bytes(content[:place] + b"\xff" * 4 + content[place + 4 :])
        with contextlib.suppress(TableError):  # what it says of the columns may still be right
            read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("cell", [[1], {"part": 1}])
def test_parquet_with_several_values_in_a_cell(cell, tmp_path):
    write_columns(tmp_path / "t.parquet", x=[cell, cell])
    with pytest.raises(TableError, match=r"one value in every cell .* column 'x' of type"):
        read_table(tmp_path / "t.parquet")


def test_a_duration_is_a_number_of_days(tmp_path):
    hours = [datetime.timedelta(hours=6 * (i % 7)) for i in range(30)]
    write_columns(tmp_path / "t.parquet", x=[*hours[:-1], None])
    table = read_table(tmp_path / "t.parquet")
    (column,) = describe_columns(table, ["x"])
    assert column.kind == "number"
    assert typed_columns(table, [column])["x"].tolist()[:3] == [0.0, 0.25, 0.5]


def test_every_type_of_parquet_gets_a_kind(tmp_path):
    n = 30
    columns = {
        "decimal": [decimal.Decimal(i) / 8 for i in range(n)],
        "bytes": [b"x%d" % (i % 3) for i in range(n)],
        "date": [datetime.date(2024, 1, 1 + i) for i in range(n)],
        "time": [datetime.time(i % 4) for i in range(n)],
        "zone": [datetime.datetime(2024, 1, 1 + i, tzinfo=datetime.UTC) for i in range(n)],
        "flag": [True, False, None] * 10,
        "nothing": [None] * n,
    }
    write_columns(tmp_path / "t.parquet", **columns)
    table = read_table(tmp_path / "t.parquet")
    kinds = [column.kind for column in describe_columns(table, list(columns))]
    assert kinds == ["number", "category", "date", "category", "date", "number", "empty"]


def test_a_named_index_of_pandas_is_a_column(tmp_path):
    frame().set_index("name").to_parquet(tmp_path / "t.parquet")
    assert list(read_table(tmp_path / "t.parquet").columns) == ["name", "x", "flag"]
    frame().drop(columns="name").set_index(pd.Index(["p", "q"])).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert list(table.columns) == ["x", "flag"]
    assert list(table.index) == [0, 1]


def test_the_delimiter_can_be_told(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n")
    assert list(read_table(tmp_path / "t.csv", ";").columns) == ["a", "b"]


def test_a_missing_file_is_the_systems_affair(tmp_path):
    for name in ("t.csv", "t.parquet", "t.csv.gz"):
        with pytest.raises(FileNotFoundError):
            read_table(tmp_path / name)


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r'package pyarrow, .*pip install "kernlearn\[io\]"'):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["t", "t.csv"])
def test_a_folder_is_no_table(name, tmp_path):
    (tmp_path / name).mkdir()
    with pytest.raises(TableError, match=rf"expected a table, but .*{name} is a folder; name a f"):
        read_table(tmp_path / name)
