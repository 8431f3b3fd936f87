"""`kernlearn reproduce` with a made-up paper, and its refusals."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kernlearn.cli.app import app
from kernlearn.datasets import DataNotFoundError
from kernlearn.papers import PAPERS, Exhibit, Paper, RunOptions
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_tasks
from kernlearn.papers.tables import ComparisonTable, TableEntry

CALLS: list[int] = []
KNOWN = sorted([*PAPERS, "madeup2004"])


def double(i: int) -> int:
    CALLS.append(i)
    return 2 * i


def doubles(options: RunOptions, stem: str) -> ComparisonTable:
    results = run_tasks(
        double,
        {str(i): (i,) for i in range(options.splits or 3)},
        ResultsFile(options.out, stem, {"seed": options.seed}),
        jobs=options.jobs,
        cluster=options.cluster,
        timeout=0.3,
        quiet=options.quiet,
    )
    entries = (TableEntry(("row",), "column", 7.25, list(results.values()), ".2f"),)
    return ComparisonTable(f"Doubles of {stem}", ("what",), ("column",), entries)


def no_data(options: RunOptions) -> ComparisonTable:
    raise DataNotFoundError(f"expected a file in {options.data_dir}, put it there.")


@pytest.fixture(autouse=True)
def _made_up_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    CALLS.clear()
    paper = Paper(
        "madeup2004",
        "Nobody: Nothing",
        (
            Exhibit("table", 1, partial(doubles, stem="first")),
            Exhibit("table", 2, partial(doubles, stem="second")),
            Exhibit("figure", 1, no_data),
        ),
    )
    monkeypatch.setitem(PAPERS, paper.name, paper)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["reproduce", *(str(argument) for argument in arguments)])


def test_prints_and_writes_the_table(tmp_path: Path) -> None:
    result = run("madeup2004", "--table", 1, "--splits", 3, "--out", tmp_path, "--quiet")
    assert result.exit_code == 0, result.output
    assert "7.25" in result.stdout
    assert "2.00 ± 1.15" in result.stdout  # 0, 2, 4
    assert "2.00 ± 1.15" in (tmp_path / "table1.md").read_text(encoding="utf-8")
    assert (tmp_path / "table1.csv").exists()
    assert not (tmp_path / "table2.md").exists()


def test_a_second_run_repeats_nothing_and_more_splits_continue(tmp_path: Path) -> None:
    for splits in (2, 2, 5):
        assert run("madeup2004", "--table", 1, "--splits", splits, "--out", tmp_path).exit_code == 0
    assert CALLS == [0, 1, 2, 3, 4]


def test_another_seed_is_another_experiment(tmp_path: Path) -> None:
    for seed in (0, 1):
        run("madeup2004", "--table", 1, "--splits", 1, "--seed", seed, "--out", tmp_path)
    assert CALLS == [0, 0]


def test_several_tables_in_one_go(tmp_path: Path) -> None:
    result = run("madeup2004", "--table", 2, "--table", 1, "--out", tmp_path)
    assert result.stdout.index("Doubles of second") < result.stdout.index("Doubles of first")


def test_everything_by_default_and_missing_data_are_code_1(tmp_path: Path) -> None:
    result = run("madeup2004", "--out", tmp_path, "--data", tmp_path / "d")
    assert result.exit_code == 1
    assert "Doubles of first" in result.stdout
    assert "Doubles of second" in result.stdout
    assert result.stderr == f"kernlearn: expected a file in {tmp_path / 'd'}, put it there.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody1999"], f"unknown paper 'nobody1999': choose from {', '.join(KNOWN)}."),
        (["madeup2004", "--table", 7], "has no table 7 to reproduce: choose from tables 1, 2."),
        (["madeup2004", "--figure", 2], "has no figure 2 to reproduce: choose from figures 1."),
        (["ong2005", "--figure", 3], "(it draws a graphical model, and has no numbers): choose"),
        (["kondor2007", "--table", 1], "has no table 1 to reproduce: choose from figures 1, 2."),
        (["madeup2004", "--jobs", 0], "--jobs must be a positive number or -1, got 0"),
    ],
)
def test_bad_usage_is_code_2_and_one_sentence(
    tmp_path: Path, arguments: list[object], message: str
) -> None:
    result = run(*arguments, "--out", tmp_path)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not CALLS


@pytest.mark.parametrize("option", ["--splits", "--concepts"])
def test_none_of_something_is_bad_usage(option: str) -> None:
    assert run("madeup2004", option, 0).exit_code == 2


def test_real_papers_data_missing(tmp_path: Path) -> None:
    result = run("lanckriet2004", "--table", 1, "--data", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert f"put statlog_heart.csv.gz into {tmp_path / 'uci_class'}" in result.stderr
    result = run("lanckriet2004", "--figure", 1, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "name it with --data" in result.stderr


def test_a_scheduler_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    assert run("madeup2004", "--table", 1, "--splits", 2, "--out", tmp_path).exit_code == 0
    again = ["madeup2004", "--table", 1, "--out", tmp_path, "--cluster", "127.0.0.1:1"]
    assert run(*again, "--splits", 2).exit_code == 0  # all is there
    result = run(*again, "--splits", 3)
    assert result.exit_code == 1
    assert "expected a Dask scheduler at '127.0.0.1:1', got no answer" in result.stderr
    assert f"what is finished is in {tmp_path}: the same command continues." in result.stderr
    assert result.stderr.count("\n") == 1


def test_interruption_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(options: RunOptions) -> ComparisonTable:
        raise KeyboardInterrupt

    paper = Paper("stopped2004", "", (Exhibit("table", 1, interrupted),))
    monkeypatch.setitem(PAPERS, paper.name, paper)
    result = run("stopped2004", "--out", tmp_path)
    assert result.exit_code == 130
    assert "the same command continues" in result.stderr


def check_failure(result: Result, message: str, code: int = 1) -> None:
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("madeup2004", "--table", 1, "--out", tmp_path / "file")
    check_failure(result, "--out must name a folder, got the file", 2)
    check_failure(run("madeup2004", "--out", tmp_path / "file" / "x"), "Not a directory")
    check_failure(run("madeup2004", "--out", tmp_path / ("x" * 300)), "File name too long")
    assert not CALLS


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run("madeup2004", "--table", 1, "--out", tmp_path)
    check_failure(result, f"could not read or write {tmp_path}: No space left on device.")
    monkeypatch.undo()
    CALLS.clear()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("5", "should hold key and result in line 2, but it holds 5: move the file away"),
        ("[1, 2]", "should hold key and result in line 2"),
        ('{"key": "0"}', "should hold key and result in line 2"),
        ('{"key": [0], "result": 1}', "should hold key and result in line 2"),
        ("[" * 100_000, "should hold one JSON object a line"),
        ('{"key": "0", "result": "two"}', "got others (TypeError"),
        ('{"key": "0", "result": {"a": 1}}', "got others (TypeError"),
    ],
)
def test_results_in_the_wrong_shape(line: str, message: str, tmp_path: Path) -> None:
    assert run("madeup2004", "--table", 1, "--splits", 1, "--out", tmp_path).exit_code == 0
    (path,) = tmp_path.glob("*.jsonl")
    header = path.read_text().splitlines()[0]
    path.write_text(f"{header}\n{line}\n")
    result = run("madeup2004", "--table", 1, "--splits", 1, "--out", tmp_path)
    check_failure(result, message)
    path.write_text(f"{line}\n")
    check_failure(run("madeup2004", "--table", 1, "--splits", 1, "--out", tmp_path), "move the")
