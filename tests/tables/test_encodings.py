"""Tables of text that are not UTF-8."""

from __future__ import annotations

import gzip

import pytest

from kernlearn.tables import TableError, read_table
from kernlearn.tables.encodings import UTF_8, encoding_note, first_line, found_encoding

TEXT = "größe;Straße\n1,5;Müller\n"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", UTF_8),
        ("utf-8-sig", UTF_8),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_the_encoding_is_found(tmp_path, encoding, found, name):
    path, written = tmp_path / name, TEXT.encode(encoding)
    path.write_bytes(gzip.compress(written) if name.endswith("gz") else written)
    assert found_encoding(path) == found
    assert first_line(path, found).lstrip("\ufeff").strip() == "größe;Straße"
    if found == "cp1252":
        with pytest.warns(UserWarning, match="t.csv.* was read as Windows-1252, .* --encoding"):
            table = read_table(path, ";")
    else:
        assert encoding_note(path, found) is None
        table = read_table(path, ";")
    assert table.iloc[0].to_dict() == {"größe": "1,5", "Straße": "Müller"}


def test_bytes_without_a_meaning_in_windows_1252_are_latin_1(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n1,\x81\n")
    assert found_encoding(tmp_path / "t.csv") == "latin-1"


def test_an_encoding_that_is_asked_for_is_used_or_refused(tmp_path):
    (tmp_path / "t.csv").write_bytes("имя\nда\n".encode("cp1251"))
    assert read_table(tmp_path / "t.csv", encoding="cp1251")["имя"].tolist() == ["да"]
    with pytest.raises(TableError, match=r"is not text in utf-8 .*; pass --encoding with its own"):
        read_table(tmp_path / "t.csv", encoding="utf-8")
    with pytest.raises(TableError, match=r"is not text in utf-16 \(.*BOM\); pass --encoding"):
        read_table(tmp_path / "t.csv", encoding="utf-16")
    for name in ("utf-9", "base64"):
        with pytest.raises(TableError, match=f"expected the name of an encoding .*got '{name}'"):
            read_table(tmp_path / "t.csv", encoding=name)
