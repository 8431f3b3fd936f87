"""From tables to numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from kernlearn.estimators.inputs.cells import is_category, numbers
from kernlearn.estimators.mixture.preparation.table import RANKED, STANDARD, Preparation


def learned(X, scale=True):
    names = list(map(str, getattr(X, "columns", range(np.shape(X)[1]))))
    return Preparation.fit(X, names, scale)


def test_numbers_are_standardised_as_scikit_learn_does():
    X = np.random.default_rng(0).normal(3.0, 5.0, size=(30, 4))
    np.testing.assert_allclose(
        learned(X).apply(X, STANDARD), StandardScaler().fit_transform(X), atol=1e-12
    )
    np.testing.assert_array_equal(learned(X, scale=False).apply(X, STANDARD), X)


def test_ranks_do_not_know_what_was_done_to_a_column():
    X = np.random.default_rng(0).normal(size=(50, 2))
    bent = np.exp(3 * X)
    assert learned(bent).tables == (STANDARD, RANKED)
    assert learned(X).tables == (STANDARD,)
    ranked = learned(bent).apply(bent, RANKED)
    np.testing.assert_allclose(ranked, learned(X).apply(X, RANKED), atol=1e-12)
    np.testing.assert_allclose(ranked.std(axis=0), 1.0)
    beyond = learned(bent).apply(np.array([[1e9, -1e9]]), RANKED)
    np.testing.assert_allclose(beyond[0], [ranked[:, 0].max(), ranked[:, 1].min()])


def test_missing_cells_are_filled_and_said_where_there_are_many():
    X = np.arange(40.0).reshape(20, 2)
    X[:6, 0] = np.nan
    X[3, 1] = np.nan
    prepare = learned(X)
    table = prepare.apply(X, STANDARD)
    assert table.shape == (20, 3)
    np.testing.assert_array_equal(prepare.origins, [0, 0, 1])
    assert len(set(table[:6, 1])) == 1
    assert table[0, 1] != table[6, 1]
    assert np.isfinite(table).all()


def test_categories_are_as_far_apart_as_a_column_of_numbers():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "green", "blue"] * 4})
    table = learned(frame).apply(frame, STANDARD)
    assert table.shape == (20, 3)
    assert table.var(axis=0).sum() == pytest.approx(1.0)
    unseen = learned(frame).apply(pd.DataFrame({"colour": ["violet"]}), STANDARD)
    assert np.isfinite(unseen).all()


def test_rare_categories_share_a_column_with_those_never_seen():
    frame = pd.DataFrame({"town": ["a"] * 5 + ["b"] * 5 + ["c", "d"]})
    prepare = learned(frame)
    table = prepare.apply(pd.DataFrame({"town": ["c", "e", "a"]}), STANDARD)
    np.testing.assert_array_equal(table[0], table[1])
    assert (table[0] != table[2]).any()


def test_levels_of_one_row_have_a_column_where_such_come_again():
    units = [f"u{i}" for i in range(30) for _ in range(1 + i % 3)]  # ten each of 1, 2 and 3 rows
    names = [f"n{i}" for i in range(len(units) - 2)] + ["n0", "n1"]
    frame = pd.DataFrame({"unit": units, "name": names})
    np.testing.assert_array_equal(learned(frame).origins, [0] * 30 + [1] * 3)


def test_the_most_frequent_levels_of_all_categories_have_a_column():
    often = [f"a{i}" for i in range(150) for _ in range(4)]
    seldom = [f"b{i}" for i in range(300) for _ in range(2)]
    frame = pd.DataFrame({"seldom": seldom, "often": often})
    np.testing.assert_array_equal(learned(frame).origins, [0] * 51 + [1] * 150)


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([1.5, None, 2], dtype=object),
        pd.Series([True, False, True]),
        pd.to_datetime(pd.Series(["2020-01-01", None, "2021-01-01"])),
        pd.to_datetime(pd.Series(["2020-01-01", None, "2021-01-01"]), utc=True),
        pd.to_timedelta(pd.Series(["1 day", None, "3 days"])),
    ],
    ids=lambda cells: str(cells.dtype),
)
def test_columns_of_numbers_dates_and_durations(cells):
    frame = pd.DataFrame({"x": cells})
    table = learned(frame).apply(frame, STANDARD)
    assert table.shape == (3, 1)
    assert table[2, 0] != table[0, 0] or cells.dtype == bool


@pytest.mark.parametrize(
    "cells",
    [pd.Series([1, 2, 1], dtype="category"), pd.Series(["a", None, "a"]), pd.Series(["a", 1, "a"])],
    ids=["category", "text", "mixed"],
)
def test_columns_of_categories(cells):
    frame = pd.DataFrame({"x": pd.concat([cells] * 2, ignore_index=True)})
    assert learned(frame).apply(frame, STANDARD).shape == (6, 2)


MOMENTS = pd.date_range("2020-01-01 03:00:00.125", periods=3, freq="7h")
SINCE_1970 = 18262 + np.array([3.0, 10.0, 17.0]) / 24 + 0.125 / 86400


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (pd.Series(MOMENTS), SINCE_1970),
        (pd.Series(MOMENTS, dtype=object), SINCE_1970),
        (pd.Series(MOMENTS.tz_localize("UTC"), dtype=object), SINCE_1970),
        (pd.Series(list(MOMENTS.to_numpy()), dtype=object), SINCE_1970),
        (pd.Series(MOMENTS.astype("datetime64[s]")), SINCE_1970 - 0.125 / 86400),
        (pd.Series(MOMENTS.date), np.full(3, 18262.0)),
        (pd.Series(MOMENTS.time), SINCE_1970 - 18262),
        (pd.Series(MOMENTS.to_period("h")), SINCE_1970 - 0.125 / 86400),
        (pd.Series(MOMENTS - MOMENTS[0]), np.array([0.0, 7.0, 14.0]) / 24),
        (pd.Series(MOMENTS - MOMENTS[0], dtype=object), np.array([0.0, 7.0, 14.0]) / 24),
        (pd.Series(np.array(["3000-01-01"] * 3, dtype="datetime64[s]")), np.full(3, 376200.0)),
        (pd.Series([Decimal("1.5"), None, Decimal(2)]), np.array([1.5, np.nan, 2.0])),
        (pd.Series([Fraction(1, 4), 1, 2.5], dtype=object), np.array([0.25, 1.0, 2.5])),
    ],
)
def test_dates_are_days_and_numbers_of_any_type_are_numbers(cells, expected):
    assert not is_category(cells)
    np.testing.assert_allclose(numbers(cells, "x"), expected, rtol=1e-14, atol=1e-11)


def test_dates_and_decimals_of_arrow():
    pa = pytest.importorskip("pyarrow")
    days = pd.Series(MOMENTS.date).astype(pd.ArrowDtype(pa.date32()))
    moments = pd.Series(MOMENTS).astype(pd.ArrowDtype(pa.timestamp("ms", "UTC")))
    prices = pd.Series([Decimal("1.5"), None]).astype(pd.ArrowDtype(pa.decimal128(5, 2)))
    for cells, expected in ((days, 18262.0), (moments, SINCE_1970), (prices, [1.5, np.nan])):
        assert not is_category(cells)
        np.testing.assert_allclose(numbers(cells, "x"), expected, rtol=1e-14)


def test_a_gap_does_not_make_other_categories_of_integers():
    whole = pd.DataFrame({"x": pd.Series([0, 1, 2] * 3, dtype="category")})
    gap = pd.DataFrame({"x": pd.Series([0, 1, 2, None], dtype="category")})
    prepare = learned(whole)
    table = prepare.apply(whole, STANDARD)
    np.testing.assert_array_equal(prepare.apply(gap, STANDARD)[:3], table[:3])
    as_text = pd.DataFrame({"x": ["0", "1", "2"]})
    np.testing.assert_array_equal(prepare.apply(as_text, STANDARD), table[:3])


def test_a_column_that_never_changes_is_left_out():
    X = np.column_stack([np.full(9, 0.1), np.arange(9.0), np.full(9, np.nan)])
    prepare = learned(X)
    assert prepare.apply(X, STANDARD).shape == (9, 1)
    np.testing.assert_array_equal(prepare.origins, [1])
    constant = np.ones((9, 2))
    np.testing.assert_array_equal(learned(constant).apply(constant, STANDARD), np.zeros((9, 1)))


def test_huge_and_tiny_numbers_do_not_overflow():
    X = np.column_stack([np.linspace(-1e300, 1e300, 9), np.linspace(0, 1e-300, 9)])
    table = learned(X).apply(X, STANDARD)
    np.testing.assert_allclose(table.std(axis=0), 1.0)


def test_what_is_no_number_any_more_is_refused():
    prepare = learned(pd.DataFrame({"x": [1.0, 2.0, 3.0]}))
    with pytest.raises(ValueError, match=r"numbers or dates in column 'x', got 'a' in row 1"):
        prepare.apply(pd.DataFrame({"x": [1.0, "a"]}), STANDARD)
    with pytest.raises(ValueError, match=r"expected real numbers or dates in column 'x', got 1j"):
        learned(pd.DataFrame({"x": [1j, 2j]}))
    with pytest.raises(ValueError, match="expected finite numbers in column 'x', got infinity"):
        learned(pd.DataFrame({"x": [1.0, np.inf]}))


NUMBERS = pd.Series([1.0, 2.0, 3.0])
DATES = pd.Series(MOMENTS)
DURATIONS = pd.Series(MOMENTS - MOMENTS[0])
TIMES = pd.Series(MOMENTS.time)


@pytest.mark.parametrize(
    ("fitted", "given", "expected", "got"),
    [
        (NUMBERS, DATES, "numbers", "dates"),
        (DATES, NUMBERS, "dates", "numbers"),
        (DATES, DATES.astype("int64"), "dates", "numbers"),
        (DATES, DURATIONS, "dates", "durations"),
        (DATES.astype(object), TIMES, "dates", "times of day"),
        (DURATIONS, pd.Series([MOMENTS[0], 1.0], dtype=object), "durations", "dates and numbers"),
        (pd.Series(MOMENTS.to_period("D")), pd.Series([1, 2], dtype="Int64"), "dates", "numbers"),
    ],
)
def test_a_column_stays_what_it_was(fitted, given, expected, got):
    prepare = learned(pd.DataFrame({"x": fitted}))
    with pytest.raises(
        ValueError, match=f"expected {expected} in column 'x', as in fit, got {got}"
    ):
        prepare.apply(pd.DataFrame({"x": given}), STANDARD)


@pytest.mark.parametrize(
    ("fitted", "given"),
    [
        (DATES, pd.Series([np.nan, np.nan])),
        (NUMBERS, pd.Series([pd.NaT, pd.NaT])),
        (DATES, pd.Series([None, None], dtype=object)),
        (DATES, pd.Series(MOMENTS.date)),
        (NUMBERS, pd.Series([True, False])),
        (pd.Series([np.nan] * 3), DATES),
        (pd.Series([MOMENTS[0], MOMENTS[1] - MOMENTS[0]], dtype=object), DATES),
    ],
)
def test_gaps_and_other_types_of_the_same_are_taken(fitted, given):
    table = learned(pd.DataFrame({"x": fitted})).apply(pd.DataFrame({"x": given}), STANDARD)
    assert np.isfinite(table).all()


def test_arrays_hold_numbers():
    gaps = np.full((2, 1), np.nan)
    of_dates = learned(pd.DataFrame({"x": DATES}))
    with pytest.raises(ValueError, match="expected dates in column 'x', as in fit, got numbers; "):
        of_dates.apply(np.ones((2, 1)), STANDARD)
    assert of_dates.apply(gaps, STANDARD).shape == (2, 1)
    with pytest.raises(ValueError, match="expected numbers in column '0', as in fit, got dates"):
        learned(np.arange(3.0)[:, None]).apply(pd.DataFrame({"x": DATES}), STANDARD)


def test_arrays_hold_no_categories():
    of_words = learned(pd.DataFrame({"x": list("aab")}))
    with pytest.raises(
        ValueError, match="data frame with categories in column 'x', as in fit, got"
    ):
        of_words.apply(np.ones((2, 1)), STANDARD)


def test_columns_of_files_without_kinds_take_either():
    column = learned(pd.DataFrame({"x": DATES})).columns[0]
    del column.__dict__["kind"]
    prepare = Preparation(["x"], [column])
    assert prepare.apply(pd.DataFrame({"x": NUMBERS}), STANDARD).shape == (3, 1)
