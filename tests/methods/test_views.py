"""Groups of columns from a file: what is none gets a sentence."""

from __future__ import annotations

import pytest

from kernlearn.methods.views import found_views, read_views
from kernlearn.tables import Column, TableError

COLUMNS = [Column(name, "number", "") for name in ("a", "b")]


def test_views(tmp_path):
    (tmp_path / "v.toml").write_text('[views]\none = ["a"]\ntwo = ["b", "a", "b"]\n')
    assert read_views(tmp_path / "v.toml", COLUMNS) == {"one": ["a"], "two": ["b", "a"]}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"x = " + b"[" * 100_000, r"v\.toml is not TOML \(.*\); expected a table \[views\]"),
        (b"x" + b".x" * 5_000 + b" = 1", r"is not TOML|expected a table \[views\]"),
        (b"\xff\xfe", "is not TOML"),
        (b"views = 5\n", r"expected a table \[views\] .* got \['views'\]"),
        (b"[views]\none = 1\n", "a list of column names for view 'one', got 1"),
        (b"[views]\none = [[1]]\n", "a list of column names for view 'one'"),
        (b'[views]\none = ["c"]\n', "names the column 'c', which the table does not have"),
        (b'[views]\n"" = ["a"]\n', "names of views without '__', got ''"),
    ],
)
def test_what_is_no_list_of_views(content, sentence, tmp_path):
    (tmp_path / "v.toml").write_bytes(content)
    with pytest.raises(TableError, match=sentence):
        read_views(tmp_path / "v.toml", COLUMNS)


def test_free_text_is_a_source_beside_numbers_and_categories():
    kinds = {"numbers": "text", "my__note": "text", "age": "number", "id": "identifier"}
    columns, views = found_views([Column(name, kind, "as it is") for name, kind in kinds.items()])
    assert views == {"numbers": ["numbers"], "my_note": ["my__note"], "all numbers": ["age"]}
    assert [column.kind for column in columns] == ["words", "words", "number", "identifier"]
    assert columns[0].action == "weighted by how rare its words are (TF-IDF)"
    assert found_views(COLUMNS) == (COLUMNS, {})
