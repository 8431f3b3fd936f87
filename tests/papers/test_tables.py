"""Comparison tables: the arithmetic, and each written form read back."""

from __future__ import annotations

import csv
import io
import math
import statistics
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlearn.papers.tables import (
    ComparisonTable,
    TableEntry,
    mean_and_deviation,
    mean_and_error,
    print_table,
    to_csv,
    to_markdown,
    write_table,
)

TABLE = ComparisonTable(
    title="Table 9",
    row_names=("data", "quantity"),
    columns=("K1", "K2"),
    entries=(
        TableEntry(("Heart", "ω"), "K1", 58.169, [58.0, 59.0], ".3f"),
        TableEntry(("Heart", "ω"), "K2", None, [None, None], ".3f"),
        TableEntry(("Heart", "C"), "K1", 1.18e7, [1.0, math.inf], ".4g"),
        TableEntry(("Sonar", "ω"), "K2", 2.0, [4.0], ".3f"),
        TableEntry(("Sonar", "error"), "K2", 2.5, [1.0, 4.0], ".1f", 0.25, "standard deviation"),
    ),
    notes=("a note",),
)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20))
def test_mean_and_error_against_the_standard_library(values: list[float]) -> None:
    mean, error = mean_and_error(values)
    assert mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    assert error == pytest.approx(statistics.stdev(values) / len(values) ** 0.5, abs=1e-9)
    assert mean_and_deviation(values)[1] == pytest.approx(statistics.stdev(values), abs=1e-9)


def test_the_texts_of_an_entry() -> None:
    heart, dash, infinite, single, deviating = TABLE.entries
    assert (heart.published_text(), heart.our_text()) == ("58.169", "58.500 ± 0.500")
    assert (dash.published_text(), dash.our_text()) == ("–", "–")
    assert (infinite.published_text(), infinite.our_text()) == ("1.18e+07", "∞")
    assert single.our_text() == "4.000"
    assert (deviating.published_text(), deviating.our_text()) == ("2.5 ± 0.2", "2.5 ± 2.1")
    some_infinite = TableEntry(("a",), "b", 1.0, [1.0, 2.5, math.inf], ".4g")
    assert some_infinite.our_text() == "∞, median 2.5"
    precise = TableEntry(("a",), "b", 1.0, [0.123, 0.125, 0.132], ".4g")
    assert precise.our_text() == "0.1267 ± 0.0027"
    partly = TableEntry(("a",), "b", 1.0, [1.0, None, 3.0], ".1f")
    assert partly.our_text() == "2.0 ± 1.0 (2 of 3)"


def test_markdown_has_the_paper_above_ours() -> None:
    lines = to_markdown(TABLE).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:-2]]
    assert lines[0] == "## Table 9"
    assert cells[0] == ["data", "quantity", "", "K1", "K2"]
    assert cells[2:4] == [
        ["Heart", "ω", "paper", "58.169", "–"],
        ["", "", "ours", "58.500 ± 0.500", "–"],
    ]
    assert cells[6] == ["Sonar", "ω", "paper", "", "2.000"]
    assert lines[-1] == "- a note"


def test_csv_keeps_the_numbers() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(TABLE))))
    assert len(rows) == len(TABLE.entries)
    first = rows[0]
    assert (first["data"], first["quantity"], first["column"]) == ("Heart", "ω", "K1")
    assert float(first["published"]) == 58.169
    assert (float(first["mean"]), float(first["standard_error"])) == (58.5, 0.5)
    assert first["published_spread"] == ""
    assert (rows[1]["published"], rows[1]["mean"], rows[1]["found"]) == ("", "", "0")
    last = rows[-1]
    assert (float(last["published_spread"]), float(last["standard_error"])) == (0.25, 1.5)
    assert float(last["standard_deviation"]) == pytest.approx(4.5**0.5)


def test_written_files_hold_the_same(tmp_path: Path) -> None:
    markdown, table = write_table(TABLE, tmp_path / "new" / "folder", "table9")
    assert markdown.read_text(encoding="utf-8") == to_markdown(TABLE)
    assert table.read_text(encoding="utf-8") == to_csv(TABLE)
    assert (markdown.name, table.name) == ("table9.md", "table9.csv")


def test_the_console_shows_every_cell_even_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    wide = ComparisonTable(
        "t",
        ("r",),
        tuple(f"c{i}" for i in range(30)),
        tuple(
            TableEntry(("x",), f"c{i}", 1000.0 + i, [2000.0 + i, 2000.0 + i], ".1f")
            for i in range(30)
        ),
    )
    print_table(wide)
    shown = capsys.readouterr().out
    for i in range(30):
        assert f"{1000 + i}.0" in shown
        assert f"{2000 + i}.0 ± 0.0" in shown


def test_without_rich_the_console_gets_markdown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("rich", "rich.console", "rich.table"):
        monkeypatch.setitem(sys.modules, module, None)
    print_table(TABLE)
    assert capsys.readouterr().out.strip() == to_markdown(TABLE).strip()
