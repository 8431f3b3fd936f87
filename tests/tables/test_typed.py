"""A piece of a table is read as the whole was."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.tables import Column, TableError, describe_columns, typed_columns
from kernlearn.tables.typed import as_dates, as_numbers, as_text


def table(n=40):
    return pd.DataFrame(
        {
            "size": [f"{i % 9}.25" if i % 5 else None for i in range(n)],
            "colour": ["red", "7", " blue ", None] * (n // 4),
            "day": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
            "same": "x",
        }
    )


def columns():
    return describe_columns(table(), list(table().columns))


def test_types():
    typed = typed_columns(table(), columns())
    assert list(typed.columns) == ["size", "colour", "day"]
    assert typed["size"].dtype == typed["day"].dtype == float
    assert np.isnan(typed["size"][0])
    assert typed["size"][1] == 1.25
    assert typed["colour"].tolist()[:4] == ["red", "7", "blue", ""]
    # 2024-01-01 is day 19723: 54 years of 365 days and 13 leap days.
    assert typed["day"][0] == 54 * 365 + 13


def test_a_piece_is_typed_as_the_whole_was():
    whole = typed_columns(table(), columns())
    # On its own, this piece would hold a constant and nothing but numbers.
    piece = table().iloc[[1, 5, 9]].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        typed_columns(piece, columns()), whole.iloc[[1, 5, 9]].reset_index(drop=True)
    )


def test_order_does_not_matter_and_more_columns_do_no_harm():
    other = table()[["same", "day", "colour", "size"]].assign(extra=1)
    pd.testing.assert_frame_equal(
        typed_columns(other, columns()), typed_columns(table(), columns())
    )


def test_missing_columns_are_named():
    with pytest.raises(TableError, match=r"but 2 of 3 are missing \('day', 'size'\); add them"):
        typed_columns(table().drop(columns=["day", "size", "same"]), columns())


def test_text_where_a_number_is_expected():
    wrong = table()
    wrong.loc[2, "size"] = "big"
    with pytest.raises(
        TableError, match=r"a number in every cell of column 'size', .* got 'big' in row 103"
    ):
        typed_columns(wrong, columns(), first_row=100)


def test_a_number_too_large_for_its_square():
    wrong = table()
    wrong.loc[2, "size"] = "1e200"
    with pytest.raises(TableError, match=r"up to 1e.150 in column 'size', but row 103 has '1e200'"):
        typed_columns(wrong, columns(), first_row=100)


def test_whole_numbers_are_one_category_however_they_come():
    known = [Column("k", "category", "")]
    texts = [
        typed_columns(pd.DataFrame({"k": values}), known)["k"].tolist()
        for values in (["1", "2"], [1, 2], [1.0, 2.0], pd.array([1, 2], dtype="Int64"))
    ]
    assert texts == [["1", "2"]] * 4


def test_row_numbers_go_on():
    known = [Column("row number", "row number", "")]
    assert typed_columns(table(), known, 7)["row number"].tolist()[:2] == [7.0, 8.0]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (pd.Series(["a ", " b", None, "a", "1.0", ""]), ["a", "b", "", "a", "1.0", ""]),
        (pd.Series(["x", np.nan, "x"], dtype=object), ["x", "", "x"]),
        (pd.Series(["x", pd.NA], dtype="string"), ["x", ""]),
        # Equal things that read differently.
        (pd.Series([1, True, 1.0, "1"], dtype=object), ["1", "True", "1", "1"]),
        (pd.Series([None, None], dtype=object), ["", ""]),
        (pd.Series([2.0, 2.5, np.nan]), ["2", "2.5", ""]),
    ],
)
def test_text_is_what_a_cell_reads(cells, expected):
    found = as_text(cells)
    assert found.dtype == object
    assert found.tolist() == expected


@pytest.mark.parametrize("word", ["now", "today", "NOW", "Today", " now", "soon"])
def test_no_word_is_a_date(word):
    cells = pd.Series(["2020-05-01", word, None], dtype=object)
    assert np.isnan(as_dates(cells)).tolist() == [False, True, True]
    with pytest.raises(TableError, match=rf"expected a date .* got '{word}' in row 2"):
        typed_columns(pd.DataFrame({"day": cells}), [Column("day", "date", "")])


def test_numbers_among_dates_are_read_as_text():
    cells = pd.Series([20240131, "2024-01-31", 2.5, None], dtype=object)
    assert as_dates(cells).tolist() == pytest.approx(
        [19753.0, 19753.0, np.nan, np.nan], nan_ok=True
    )


def test_complex_numbers_are_no_numbers():
    assert np.isnan(as_numbers(pd.Series([1.0 + 2.0j, 3.0]))).all()


def test_now_and_today_are_categories():
    found = describe_columns(pd.DataFrame({"start": ["now", "today"] * 20}), ["start"])
    assert found[0].kind == "category"


@pytest.mark.parametrize("dtype", [object, "string", "category"])
@pytest.mark.parametrize(
    ("read", "values"),
    [(as_numbers, [np.nan, 7.0, np.nan, np.nan]), (as_dates, [19753.0, np.nan, np.nan, np.nan])],
)
def test_each_of_few_texts_is_read_wherever_it_stands(read, values, dtype):
    cells = pd.Series(["2024-01-31", "7", "word", None] * 100, dtype=dtype)
    np.testing.assert_array_equal(read(cells), np.tile(values, 100))
