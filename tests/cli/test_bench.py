"""`kernlearn bench`: seconds by method and size."""

from __future__ import annotations

import json
import sys

import pytest
from typer.testing import CliRunner

from kernlearn.cli import bench as bench_command
from kernlearn.cli.app import app
from kernlearn.methods.registry import METHODS
from kernlearn.speed.timings import MethodTimings

RUNNER = CliRunner(env={"COLUMNS": "140", "TERM": "dumb"})
LADDERS = (
    MethodTimings("SVC", "one SVC", (200, 400), (0.01, 0.04)),
    MethodTimings("mkl", "multiple kernel learning", (200, 400), (0.5, 2.0), "", 2500, (4e6, 16e6)),
    MethodTimings("metric", "learned metric", (200,), (123.4,), "stopped before 400 rows", 500),
)


def run(*arguments):
    return RUNNER.invoke(app, ["bench", *map(str, arguments)])


@pytest.fixture
def measured(monkeypatch):
    """Seconds that are known, and what was asked for."""
    monkeypatch.setenv("KERNLEARN_MEMORY", "64GB")
    asked = []

    def measure(trial, methods, advance):
        asked.append((trial, [method.name for method in methods]))
        advance()
        yield from LADDERS

    monkeypatch.setattr(bench_command, "measure", measure)
    return asked


def cells(output, name):
    row = next(line for line in output.splitlines() if line.startswith(f"│ {name} "))
    return [cell.strip() for cell in row.strip("│").split("│")]


def test_the_table(measured):
    result = run("--rows", 400, "--rows", 200, "--columns", 7)
    assert result.exit_code == 0, result.output
    trial, names = measured[0]
    assert (trial.rows, trial.columns, trial.seed) == ((200, 400), 7, 0)
    assert names == list(METHODS)
    out = result.stdout
    # Both laws are squares: a minute is √(60 / 0.04) · 400 = 15492 rows, and 2191.
    # 15492 is 38.7 times 400, too far to say.
    assert cells(out, "SVC") == ["SVC", "0.01", "0.04", "1", "2.0", "–", "–", "–"]
    assert cells(out, "mkl") == ["mkl", "0.5", "2", "50", "2.0", "0.016", "2,200", "2,500"]
    assert cells(out, "metric") == ["metric", "123", "–", "12340", "–", "–", "–", "500"]
    assert "Note: metric: stopped before 400 rows." in out
    assert "table of 7 columns" in out
    assert "extrapolated" in out


def test_memory_ends_a_promise(measured, monkeypatch):
    monkeypatch.setenv("KERNLEARN_MEMORY", "64MB")
    out = run("--columns", 1).stdout
    assert cells(out, "mkl")[-2] == "800 (memory)"
    assert "no more than fit into the 0.064 GB of memory that are free" in " ".join(out.split())
    assert "table of 1 column," in out


def test_json_has_every_digit(measured):
    result = run("--json", "--seed", 3, "--task", "regression", "--time-limit", 5)
    assert result.stderr == ""
    facts = json.loads(result.stdout)
    assert (facts["task"], facts["seed"], facts["time_limit"]) == ("regression", 3, 5.0)
    mkl = facts["methods"][1]
    assert mkl["seconds"] == [0.5, 2.0]
    assert mkl["rows_in_a_minute"] == 2191
    assert mkl["memory"] == [4e6, 16e6]
    assert measured[0][1] == [m.name for m in METHODS.values() if "regression" in m.tasks]
    assert measured[0][0].rows == (200, 400, 800)


def test_methods_are_those_named_once(measured):
    run("--method", "lssvm", "--method", "mkl", "--method", "lssvm")
    assert measured[0][1] == ["lssvm", "mkl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "svm"], "--method must be one of kernel, mkl, "),
        (["--task", "ranking"], "--task must be one of classification, regression, got 'ranking'."),
        (["--time-limit", "0"], "--time-limit must be positive, got 0: 60 is usual."),
        (["--time-limit", "nan"], "--time-limit must be positive, got nan"),
        (["--method", "metric", "--task", "regression"], "metric does classification, got a task"),
        (["--rows", "10"], "50"),
        (["--columns", "0"], "--columns"),
    ],
)
def test_bad_options(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr


def test_stopping_shows_what_was_measured(monkeypatch):
    def measure(*_):
        yield from LADDERS[:2]
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_command, "measure", measure)
    result = run()
    assert result.exit_code == 130
    assert cells(result.stdout, "mkl")[0] == "mkl"
    assert result.stderr == "kernlearn: stopped; what was measured before that is shown.\n"


def test_stopping_at_once(monkeypatch):
    def measure(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(bench_command, "measure", measure)
    result = run()
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "kernlearn: stopped before anything was measured.\n"


def test_without_pandas_one_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    result = run("--method", "lssvm")
    assert result.exit_code == 1
    assert "timing the methods needs the package pandas" in result.stderr
    assert 'pip install "kernlearn[io]"' in result.stderr
    assert result.stderr.count("\n") == 1


def test_on_this_machine():
    result = run("--method", "lssvm", "--rows", 50, "--rows", 70, "--columns", 2, "--json")
    assert result.exit_code == 0, result.output
    unit, lssvm = json.loads(result.stdout)["methods"]
    assert unit["method"] == "SVC"
    assert lssvm["rows"] == [50, 70]
    assert lssvm["times_unit"] == lssvm["seconds"][1] / unit["seconds"][1]
    assert lssvm["max_rows"] == METHODS["lssvm"].max_rows
