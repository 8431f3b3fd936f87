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


@pytest.mark.usefixtures("small_paper")
def test_one_column_of_a_table(data_dir: Path, tmp_path: Path) -> None:
    folders = ["--data", str(data_dir), "--out", str(tmp_path), "--quiet", "--partitions", "1"]
    command = ["reproduce", "cawley2014", "--table", "2", "--method"]
    result = CliRunner().invoke(app, [*command, "RBF-FLKL-LSSVM", *folders])
    assert result.exit_code == 0, result.output
    assert "RBF-FLKL-LSSVM" in result.stdout
    assert "RBF-LOO-LSSVM" not in result.stdout
    assert "mean rank" not in result.stdout
    result = CliRunner().invoke(app, [*command, "ARD-FLKL-LSSVM", *folders])
    assert result.exit_code == 1
    assert "expected --method to name columns of Table 2, RBF-LOO-LSSVM," in result.stderr


@pytest.mark.usefixtures("small_paper")
def test_a_device_that_is_not_there_or_not_for_this(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kernlearn._device.devices.libraries", lambda: [])
    folders = ["--data", str(data_dir), "--out", str(tmp_path), "--quiet"]
    options = ["--table", "2", "--device", "cuda", *folders]
    result = CliRunner().invoke(app, ["reproduce", "cawley2014", *options])
    assert result.exit_code == 1
    assert 'run pip install "kernlearn[gpu]"' in result.stderr
    result = CliRunner().invoke(app, ["reproduce", "ong2005", "--device", "cuda", *folders])
    assert result.exit_code == 2
    assert "--device is for cawley2014, got ong2005: leave it out." in result.stderr
