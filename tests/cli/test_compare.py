"""`kernlearn compare`: a file of scores in, the comparison out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from kernlearn.cli.app import app
from kernlearn.comparison import compare
from kernlearn.papers.cawley2014.published import mean_errors

RUNNER = CliRunner(env={"COLUMNS": "120", "TERM": "dumb"})


@pytest.fixture
def table():
    return pd.DataFrame(mean_errors(3))


@pytest.fixture
def scores(table, tmp_path):
    path = tmp_path / "scores.csv"
    table.to_csv(path)
    return path


def _run(*arguments):
    return RUNNER.invoke(app, ["compare", *map(str, arguments)])


def test_it_prints_the_comparison_of_the_table(scores, table):
    result = _run(scores)
    assert result.exit_code == 0, result.output
    assert result.stdout == compare(table).to_text(alpha=0.1) + "\n"
    assert "mean rank      2.6429" in result.stdout


def test_level_and_direction_are_those_asked_for(scores, table):
    result = _run(scores, "--alpha", "0.01", "--higher-is-better")
    assert result.stdout == compare(table, lower_is_better=False).to_text(alpha=0.01) + "\n"
    assert result.stdout != _run(scores).stdout


def test_repetitions_have_a_column_that_is_no_method(tmp_path):
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([["x", "y"], range(6)], names=["data", "split"])
    frame = pd.DataFrame(rng.normal(size=(12, 2)), index, ["a", "b"])
    path = tmp_path / "scores.csv"
    frame.reset_index()[["data", "a", "split", "b"]].to_csv(path, index=False)
    result = _run(path, "--repetition", "split")
    assert result.stdout == compare(frame).to_text() + "\n"
    assert "±" in result.stdout


def test_the_diagram_is_drawn(scores, tmp_path):
    picture = tmp_path / "diagram.png"
    result = _run(scores, "--plot", picture)
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert result.stdout.endswith(f"The diagram is drawn in {picture}.\n")


def test_a_byte_order_mark_and_blank_lines_do_not_matter(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes("\ufeffdata,a,b\r\n\r\nx,1,2\r\ny,1,3\r\n".encode())
    result = _run(path)
    assert result.exit_code == 0, result.output
    assert "mean rank  1.0000   2.0000" in result.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least two methods to compare, got 0"),
        ("data;a;b\nx;1;2\n", "expected at least two methods to compare, got 0"),
        ("data,a\nx,1\ny,2\n", "expected at least two methods to compare, got 1"),
        ("data,a,b\nx,1,2\n", "expected at least two data sets to compare, got 1"),
        ("data,a,a\nx,1,2\ny,1,2\n", "expected every method once, got 'a' twice"),
        ("data,a,b\nx,1,2\nx,1,2\n", "expected every data set once, got 'x' twice"),
        ("data,a,b\nx,1,\ny,1,2\n", "data set 'x' and method 'b', got a missing value"),
        ("data,a,b\nx,1,nan\ny,1,2\n", "data set 'x' and method 'b', got a missing value"),
        ("data,a,b\nx,1,2\ny,1,2 %\n", "data set 'y' and method 'b', got the text '2 %'"),
        (
            "data,a,b\nx,1,2\ny,1\n",
            "expected 3 cells in every row, as in the first, got 2 in row 3",
        ),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    result = _run(path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"kernlearn: could not compare {path}: " in result.stderr
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_files_that_cannot_be_read_are_one_sentence(tmp_path):
    missing = _run(tmp_path / "missing.csv")
    assert missing.exit_code == 1
    assert "missing.csv: No such file or directory: give the name" in missing.stderr
    picture = tmp_path / "picture.csv"
    picture.write_bytes(b"\x89PNG\r\n")
    told = _run(picture).stderr
    assert "expected text in UTF-8, got bytes that are none, the first at 0; save it as CSV" in told
    assert "codec" not in told
    endless = tmp_path / "endless.csv"
    endless.write_text("data,a,b\nx," + "1" * 200_000 + ",2\n")
    assert "expected rows of cells with commas between them, got one" in _run(endless).stderr


def test_bad_options_are_one_sentence(scores, tmp_path):
    level = _run(scores, "--alpha", "5")
    assert level.exit_code == 2
    assert "--alpha must lie between 0 and 1, got 5" in level.stderr
    column = _run(scores, "--repetition", "split")
    assert "expected a column 'split', got " in column.stderr
    plot = _run(scores, "--plot", tmp_path / "missing" / "diagram.png")
    assert plot.exit_code == 1
    assert "expected the name of a file in an existing folder" in plot.stderr
    assert plot.stdout == ""
