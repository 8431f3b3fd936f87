"""Numbers and dates as people write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.tables import TableError, describe_columns, read_target, typed_columns, typed_frame
from kernlearn.tables.notation import (
    date_notation,
    is_notation,
    number_notation,
    parse_numbers,
)


@pytest.mark.parametrize(
    ("cells", "notation", "numbers"),
    [
        (["1,5", "-2"], "1.234,5", [1.5, -2.0]),
        (["0,123", "1,234"], "1.234,5", [0.123, 1.234]),  # thousands do not begin with a zero
        (["1,234", "5,678"], "1,234.5", [1234.0, 5678.0]),
        (["1,234", "2.5"], "1,234.5", [1234.0, 2.5]),
        (["1.234", "2,5"], "1.234,5", [1234.0, 2.5]),
        (["1 234,50", "12,00", "1\u00a0000,5"], "1.234,5", [1234.5, 12.0, 1000.5]),
        (["$1,012.00", "$5.20", "-$3"], "$1,234.5", [1012.0, 5.2, -3.0]),
        (["5,20 €", "1.234,00 €"], "1.234,5 €", [5.2, 1234.0]),
        (["53%", "+7 %"], "1234.5 %", [53.0, 7.0]),
        (["72.3 kg", "68kg"], "1234.5kg", [72.3, 68.0]),
        (["0,832894", "6,8e-05", "1e-05", "-7,2E+3"], "1.234,5", [0.832894, 6.8e-5, 1e-5, -7200.0]),
        (["6,8e-05", "7,1e-05"], "1.234,5", [6.8e-5, 7.1e-5]),
        (["1,234.5", "6.8e-05"], "1,234.5", [1234.5, 6.8e-5]),
        (["6,8e-05 g", "1,5 g"], "1.234,5 g", [6.8e-5, 1.5]),
        (["True", "false", "TRUE "], "true or false", [1.0, 0.0, 1.0]),
    ],
)
def test_numbers_are_read_as_they_are_written(cells, notation, numbers):
    assert number_notation(cells) == notation
    np.testing.assert_allclose(parse_numbers(cells, notation), numbers)
    assert is_notation(notation)


@pytest.mark.parametrize(
    "cells",
    [["1.5", "2"], ["A1", "A2"], ["12A", "13B"], ["1.2.3"], ["1,2,3"], ["10-20"], ["-"], ["%"], [],
     ["3 rooms", "1 room"], ["12 Main St"], ["2,5", "1.234e5"],
     ["1,234e5", "2.5"], ["true", "yes"], [1.5, "2,5"], ["31.12.2021"]],
)  # fmt: skip
def test_what_is_plain_or_no_number_has_no_notation(cells):
    assert number_notation(cells) is None


@pytest.mark.parametrize(
    ("cells", "notation"),
    [
        (["31/12/2021", "01/02/2022"], "%d/%m/%Y"),
        (["12/31/2021", "01/02/2022"], "%m/%d/%Y"),
        (["31.12.2021", "1.2.2022"], "%d.%m.%Y"),
        (["1 March 2021"], "%d %B %Y"),
        (["2021/05/06 12:30"], "%Y/%m/%d %H:%M"),
        (["14:05", "3:07"], "%H:%M"),
        (["31/12/2021", "12/31/2021"], None),
        (["soon"], None),
    ],
)
def test_dates_are_read_as_they_are_written(cells, notation):
    assert date_notation(cells) == notation


def test_a_page_of_blanks_is_no_number_at_once():
    assert number_notation(["a" + 1_000_000 * " " + "b"]) is None


def test_what_a_damaged_file_holds_is_no_notation():
    assert not any(map(is_notation, ["12", "1234.51234.5", "%q", "true"]))


def test_a_table_in_another_notation_is_the_same_table():
    plain = pd.DataFrame(
        {
            "a": [1234.5, np.nan, -0.5, 7.25],
            "share": [50.0, 7.0, 3.5, 1.0],
            "sold": pd.to_datetime(["2021-12-31", "2022-02-01", "2022-03-04", "2022-03-05"]),
            "ok": [True, False, True, True],
        }
    )
    written = pd.DataFrame(
        {
            "a": ["1.234,50", np.nan, "-0,5", "7,25"],
            "share": ["50 %", "7 %", "3.5 %", "1%"],
            "sold": ["31/12/2021", "01/02/2022", "04/03/2022", " 05/03/2022"],
            "ok": ["true", "False", "TRUE", "true"],
        },
        dtype=object,
    )
    columns = describe_columns(written, list(written))
    assert [column.kind for column in columns] == ["number", "number", "date", "number"]
    assert "written like 1.234,5" in columns[0].action
    assert "written as day/month/year" in columns[2].action
    assert columns[3].action == "used as a number; 1 where it is true"
    expected = typed_columns(plain, describe_columns(plain, list(plain)))
    pd.testing.assert_frame_equal(typed_columns(written, columns), expected)
    pd.testing.assert_frame_equal(typed_frame(plain, columns, {}), expected)


def test_a_model_reads_a_column_as_the_table_of_the_fit():
    columns = describe_columns(pd.DataFrame({"a": ["0,5", "1,234"]}, dtype=object), ["a"])
    new = pd.DataFrame({"a": ["1,234", "2"]}, dtype=object)
    assert typed_columns(new, columns)["a"].tolist() == [1.234, 2.0]
    with pytest.raises(
        TableError, match=r"expected a number, written like 1\.234,5, .* got '1\.5' in row 1"
    ):
        typed_columns(pd.DataFrame({"a": ["1.5"]}, dtype=object), columns)


@pytest.mark.parametrize("cell", [1.5, "soon", "2021-13-01", True])
def test_what_is_no_date_any_more_is_refused(cell):
    columns = describe_columns(pd.DataFrame({"a": ["31/12/2021", "1/2/2022"]}, dtype=object), ["a"])
    with pytest.raises(TableError, match=r"a date, written like day/month/year, in every cell"):
        typed_columns(pd.DataFrame({"a": ["1/3/2021", cell]}, dtype=object), columns)
    gaps = pd.DataFrame({"a": [np.nan, None]}, dtype=object)
    assert typed_columns(gaps, columns)["a"].isna().all()


def test_targets_that_measure_something_are_numbers_however_they_are_written():
    prices = pd.Series([f"${i},{i}00.50" for i in range(1, 10)] * 3, dtype=object)
    target = read_target(prices, "price")
    assert target.task == "regression"
    assert target.reason.endswith("written like $1,234.5")
    assert target.y[0] == 1100.5
    sizes = pd.Series(["1 kg", "2 kg"] * 15, dtype=object)
    assert read_target(sizes, "size").y[0] == "1 kg"
    assert read_target(sizes, "size", "regression").y[0] == 1.0
    assert read_target(pd.Series(["True", "False"] * 9, dtype=object), "ok").y[0] == "True"


def test_names_with_blanks_and_without_a_name_are_those_of_the_file():
    columns = describe_columns(pd.DataFrame({"b": [1.0, 2.5], "": [0.5, 7.0]}), ["b", ""])
    as_read = pd.DataFrame({" b": [1.0], "Unnamed: 1": [3.0]})
    assert typed_frame(as_read, columns, {}).iloc[0].tolist() == [1.0, 3.0]
    kept = describe_columns(pd.DataFrame({"Unnamed: 0": [1.0, 2.5]}), ["Unnamed: 0"])
    assert typed_frame(pd.DataFrame({"Unnamed: 0": [4.0]}), kept, {}).iloc[0, 0] == 4.0
