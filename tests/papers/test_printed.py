"""Transcribed tables, and our numbers in their cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlearn.papers.printed import Printed, columns_of, printed_entries, read_printed


@pytest.fixture
def table(tmp_path: Path) -> dict[tuple[str, ...], dict[str, Printed]]:
    path = tmp_path / "t.csv"
    path.write_text("data,what,A,B\nHeart,error,2.50 ± 0.1,–\nHeart,C,1e7,\n", encoding="utf-8")
    return read_printed(path, n_names=2)


def test_cells_are_numbers_spreads_dashes_or_absent(table) -> None:
    assert table == {
        ("Heart", "error"): {"A": Printed(2.5, 0.1), "B": Printed(None)},
        ("Heart", "C"): {"A": Printed(1e7)},
    }
    assert columns_of(table) == ("A", "B")
    assert table["Heart", "error"]["A"].both == (2.5, 0.1)
    with pytest.raises(ValueError, match="expected a number and its spread, got Printed"):
        table["Heart", "C"]["A"].both  # noqa: B018


def test_our_numbers_stand_beside_every_printed_cell(table) -> None:
    entries = printed_entries(
        table, ["Heart"], lambda row, column: [len(row[1]), None], lambda row, _: ".2f"
    )
    assert [(e.row[1], e.column, e.published_text(), e.our_text()) for e in entries] == [
        ("error", "A", "2.50 ± 0.10", "5.00 (1 of 2)"),
        ("error", "B", "–", "5.00 (1 of 2)"),
        ("C", "A", "10000000.00", "1.00 (1 of 2)"),
    ]
    assert printed_entries(table, ["Sonar"], lambda row, column: [], ".2f") == []
