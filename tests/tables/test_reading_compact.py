"""Tables in little memory: the same cells, in blocks; a fair sample if they do not fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kernlearn.tables import TableError, describe_columns, read_compact, read_table, typed_columns
from kernlearn.tables import reading as reading_module
from kernlearn.tables.formats import ReadingOptions

SMALL_PIECES = ReadingOptions(rows_of_a_piece=4)


def frame(n=11):
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=n), 3)
    values[n - 1] = np.nan
    return pd.DataFrame(
        {
            "value": values,
            "count": np.arange(n) ** 2,
            "colour": ["red", "green"] * (n // 2) + ["red"] * (n % 2),
            "day": pd.date_range("2024-01-01", periods=n).astype(str),
            "code": [f"{i:03d}" for i in range(n)],
            "empty first": [np.nan] * 5 + ["late"] * (n - 5),
        }
    )


def written(tmp_path, table, ending):
    path = tmp_path / f"t{ending}"
    if ending == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".csv.gz"])
def test_a_model_sees_what_it_would_see_of_the_whole_table(ending, tmp_path):
    path = written(tmp_path, frame(), ending)
    whole, table = read_table(path), read_compact(path, as_written={"code"}, options=SMALL_PIECES)
    assert (table.n_rows, list(table.frame.columns)) == (11, list(whole.columns))
    names = list(whole.columns)
    columns = describe_columns(whole, names, categorical={"code"})
    assert describe_columns(table.frame, names, categorical={"code"}) == columns
    pd.testing.assert_frame_equal(
        typed_columns(table.frame, columns), typed_columns(whole, columns)
    )
    assert table.frame["code"].tolist()[:2] == ["000", "001"]
    assert table.frame["value"].dtype == float


def test_text_is_kept_once(tmp_path):
    cells = (
        read_compact(written(tmp_path, frame(), ".csv"), options=SMALL_PIECES)
        .frame["colour"]
        .tolist()
    )
    assert len({id(cell) for cell in cells}) == 2


def test_a_column_that_turns_out_to_be_text_is_read_again_as_it_is_written(tmp_path):
    table = frame()
    table["late word"] = ["007", "1.50", "2", "3", "4", "5", "6", "7", "8", "9", "unknown"]
    found = read_compact(written(tmp_path, table, ".csv"), options=SMALL_PIECES).frame["late word"]
    assert found.tolist() == table["late word"].tolist()
    with pytest.raises(TableError, match=r"mixes numbers and text.* row 11 has 'unknown'"):
        describe_columns(found.to_frame(), ["late word"])


def test_a_number_beyond_all_others_in_the_last_block_is_named_by_its_row(tmp_path):
    table = frame()
    table["value"] = [*["1.5"] * 10, "1e300"]
    found = read_compact(written(tmp_path, table, ".csv"), options=SMALL_PIECES).frame
    with pytest.raises(TableError, match=r"column 'value', but row 11 has '1e300'"):
        describe_columns(found, ["value"])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_does_not_fit_is_a_fair_sample_of_the_rows(ending, tmp_path):
    pieces = ReadingOptions(rows_of_a_piece=300)
    n = 4000
    table = pd.DataFrame({"row": np.arange(n) + 0.5, "kind": np.where(np.arange(n) % 2, "a", "b")})
    path = written(tmp_path, table, ending)
    found = read_compact(path, room=0.25 * n * 32, seed=1, options=pieces)
    assert found.n_rows == n
    kept = found.frame
    assert 0.1 * n < len(kept) <= 0.25 * n
    # Rows keep their numbers, and stand in their order.
    np.testing.assert_array_equal(kept.index, kept["row"] - 0.5)
    assert kept.index.is_monotonic_increasing
    # No part of the file is preferred: each quarter has its share, by four standard deviations.
    counts = np.bincount(kept.index // (n // 4))
    assert np.abs(counts - len(kept) / 4).max() < 4 * np.sqrt(len(kept) * 3 / 16)
    pd.testing.assert_frame_equal(
        read_compact(path, room=0.25 * n * 32, seed=1, options=pieces).frame, kept
    )
    assert len(read_compact(path, room=1.0, options=pieces).frame) <= 1


@pytest.mark.parametrize("change", ["longer", "shorter"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, change):
    path = written(tmp_path, frame(300), ".csv")
    chunks = reading_module.read_chunks(path, 100)
    next(chunks)
    text = path.read_text()
    path.write_text(text + "1,1,red,2024-01-01,001,\n" if change == "longer" else text[:-40])
    with pytest.raises(TableError, match=r"t\.csv (was changed while it was read|is no table)"):
        list(chunks)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".csv.gz"])
def test_a_file_that_ends_early_is_refused(tmp_path, ending):
    path = written(tmp_path, frame(300), ending)
    content = path.read_bytes()
    path.write_bytes(content[: int(0.7 * len(content)) - 3])
    with pytest.raises(TableError, match=r"row \d+ has|no Parquet file|no complete gzip file"):
        read_compact(path)


def test_pieces_of_wide_tables_are_short(tmp_path):
    short = ReadingOptions(cells_of_a_piece=12)
    path = written(tmp_path, frame(), ".csv")
    assert [len(piece) for piece in reading_module.read_chunks(path, 100, None, short)] == [
        2
    ] * 5 + [1]
