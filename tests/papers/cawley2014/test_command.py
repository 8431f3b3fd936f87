"""The command line's quick look."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from kernlearn.cli.app import app


@pytest.mark.usefixtures("small_paper")
def test_partitions_is_another_word_for_splits(data_dir: Path, tmp_path: Path) -> None:
    texts = []
    for option in ("--partitions", "--splits"):
        command = ["reproduce", "cawley2014", "--table", "1", option, "2", "--quiet"]
        folders = ["--data", str(data_dir), "--out", str(tmp_path)]
        result = CliRunner().invoke(app, command + folders)
        assert result.exit_code == 0, result.output
        texts.append(result.stdout)
    assert texts[0] == texts[1]
    assert "banana 2 + 0, synthetic 1 + 1, thyroid 2 + 0" in texts[0]


def test_the_suite_cannot_be_fetched(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["reproduce", "cawley2014", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "expected a data folder with ida/banana.npz, but none was given" in result.stderr
