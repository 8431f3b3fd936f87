"""The same table, in every format; what is no table gets a sentence."""

from __future__ import annotations

import gzip
import sys

import pandas as pd
import pytest

from kernlearn.tables import TableError, read_chunks, read_table

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
        ("t.csv", b"a\tb\n1\t2\n", "looks separated by tabs"),
        ("t.tsv", b"a,b\n1,2\n", "separated by tabs in t.tsv, .* looks separated by ','"),
        ("t.csv", b"a,b\n1,2,3\n4,5,6\n", "no table with 2 columns in every row"),
        ("t.csv", b"a,b\n1,2\n4,5,6\n", "no table with 2 columns in every row"),
        ("t.csv", b"a,b,a\n1,2,3\n", "different names in t.csv, got 'a' more than once"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "not text in UTF-8|bytes that are no text"),
        ("t.csv", b"a,b\n1,\xff\xfe\n", "t.csv is not text in UTF-8"),
        ("t.csv.gz", b"a,b\n1,2\n", "t.csv.gz is no complete gzip file"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-20], "no complete gzip file"),
        ("t.parquet", b"a,b\n1,2\n", "t.parquet is no Parquet file"),
        ("t.xlsx", b"PK", "whose name ends in .csv, .tsv, .txt or .parquet.* got t.xlsx"),
        ("t", b"a,b\n", "whose name ends in"),
    ],
)
def test_what_is_no_table(name, content, sentence, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=sentence):
        read_table(tmp_path / name)


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
