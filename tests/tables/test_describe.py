"""What columns are taken for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.tables import TableError, columns_used, describe_columns

N = 40


def described(values, name="column", **options):
    (column,) = describe_columns(pd.DataFrame({name: values}), [name], **options)
    return column


@pytest.mark.parametrize(
    ("values", "kind", "action"),
    [
        ([f"{i % 7}.5" for i in range(N)], "number", "used as a number"),
        (np.arange(N) % 7, "number", "used as a number"),
        (["a", "b"] * 20, "category", "one column of 0 and 1 for each of 2 values"),
        ([True, False] * 20, "number", "used as a number"),
        (["2024-01-31", "2023-05-06"] * 20, "date", "turned into a number of days"),
        (pd.date_range("2024-01-01", periods=N), "date", "turned into a number of days"),
        ([None] * N, "empty", "left out: no cell has a value"),
        (["3"] * N, "constant", "left out: every cell is 3"),
        (["x"] * N, "constant", "left out: every cell is 'x'"),
        ([str(i) for i in range(N)], "identifier", "left out: it numbers the rows"),
        (np.arange(N)[::-1] + 100, "identifier", "left out: it numbers the rows"),
        ([f"name {i}" for i in range(N)], "identifier", "left out: its text differs in every row"),
        (
            [f"this is note {i}" for i in range(N)],
            "text",
            "left out: free text, 40 different values",
        ),
    ],
)
def test_kinds(values, kind, action):
    column = described(values)
    assert (column.kind, column.action) == (kind, action)


def test_missing_cells_are_counted():
    values = ["1", None, "2.5", None] * 10
    assert described(values).action == "used as a number; 20 missing cells filled by the median"
    values = ["a", "b", "a", None] + ["a", "b"] * 18
    assert described(values).action.endswith("; 1 missing cell filled by the most frequent value")


def test_a_constant_with_missing_cells_still_tells_something():
    assert described(["3", None] * 20).kind == "number"
    assert described(["yes", None] * 20).kind == "category"


def test_numbers_that_differ_but_do_not_count_are_kept():
    shuffled = np.random.default_rng(0).permutation(N)
    assert described(shuffled).kind == "number"
    assert described(shuffled, "patient_id").kind == "identifier"
    assert described(np.arange(N) + 0.5).kind == "number"
    assert described(np.arange(5)).kind == "number"


def test_free_text_and_many_categories():
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in rng.integers(120, size=1500)]
    many = described(words)
    assert many.kind == "category"
    assert "99 most frequent of 120 values, and one for the rest" in many.action
    text = [f"w{i}" for i in rng.integers(1000, size=300)]
    assert described(text).kind == "text"


@pytest.mark.parametrize(
    ("form", "told"),
    [("{}.5", "numbers"), ("{},5", "numbers written like 1.234,5"), ("{},000", "numbers written")],
)
def test_mixed_types_are_refused_with_the_row(form, told):
    values = [form.format(i + 1) for i in range(N)]
    values[16] = "unknown"
    sentence = f"'column' mixes numbers and text: 98% .* {told}.* row 17 has 'unknown'; correct"
    with pytest.raises(TableError, match=sentence):
        described(values)
    assert described(values, categorical={"column"}).kind == "category"
    assert described(values, drop={"column"}).kind == "dropped"


@pytest.mark.parametrize("cell", ["1e200", "-3e151", "1e400"])
def test_numbers_whose_squares_are_too_large(cell):
    values = [str(0.5 * i) for i in range(40)]
    values[6] = cell
    sentence = (
        f"finite numbers of size up to 1e.150 in column 'column', but row 7 has '{cell}'; .* unit"
    )
    with pytest.raises(TableError, match=sentence):
        described(values)


def test_a_column_of_numbers_too_small_to_tell_apart():
    with pytest.raises(TableError, match=r"size 1e-150 or more in column 'column', got none above"):
        described([f"{i % 7}e-200" for i in range(40)])


def test_large_numbers_stay_numbers():
    assert described([f"{i % 7}.5e100" for i in range(40)]).kind == "number"


def test_infinity_is_no_number():
    values = [str(i / 2) for i in range(N)]
    values[3] = "inf"
    with pytest.raises(TableError, match="row 4 has 'inf'"):
        described(values)


def test_a_few_numbers_among_text_are_text():
    assert described((["a", "b", "3"] * 14)[:N]).kind == "category"


def test_the_columns_used():
    frame = pd.DataFrame({"a": np.arange(N) % 3, "b": ["x", "y"] * 20, "c": 1.0})
    columns = describe_columns(frame, ["a", "b", "c"])
    assert columns_used(columns) == ["a", "b"]
    assert columns_used(columns, "category") == ["b"]


def test_an_identifier_with_a_few_duplicates_is_still_one():
    codes = [f"A{i:03d}" for i in range(60)] + ["A001", "A002"]
    frame = pd.DataFrame({"code": codes, "id": [*range(900, 960), 900, 901], "x": range(62)})
    frame["dose_id"] = np.arange(62) % 7
    code, number, _, dose = describe_columns(frame, ["code", "id", "x", "dose_id"])
    assert (code.kind, number.kind, dose.kind) == ("identifier", "identifier", "number")
    assert code.action.startswith("left out: an identifier, 60 values in 62 rows; --groups holds")
    many = pd.DataFrame({"code": [f"A{i % 40:03d}" for i in range(62)]})
    assert describe_columns(many, ["code"])[0].kind == "text"
