"""The front door: version, info, help, and the missing extra."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

import numpy as np
import pytest
from typer.testing import CliRunner

from kernlearn import __version__
from kernlearn.cli import info, main, print_note
from kernlearn.cli.app import app


@pytest.mark.parametrize("module", ["typer", "rich"])
def test_without_the_extra_one_sentence_names_it(
    module: str, without: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    without(module)
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"needs the package {module}" in shown.err
    assert 'pip install "kernlearn[cli]"' in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize(
    "run", [main, partial(runpy.run_module, "kernlearn", run_name="__main__")], ids=["main", "-m"]
)
def test_main_runs_the_app(
    run: Callable[[], object],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["kernlearn", "--version"])
    with pytest.raises(SystemExit) as leaving:
        run()
    assert leaving.value.code == 0
    assert capsys.readouterr().out == f"kernlearn {__version__}\n"


def test_info_names_versions_and_extras() -> None:
    shown = CliRunner().invoke(app, ["info"]).stdout
    assert f"numpy {np.__version__}\n" in shown
    assert f"extra cli: typer {version('typer')}, rich {version('rich')}\n" in shown
    assert "cores " in shown


def test_info_for_machines_tells_the_same() -> None:
    facts = json.loads(CliRunner().invoke(app, ["info", "--json"]).stdout)
    assert facts["kernlearn"] == __version__
    assert facts["packages"]["numpy"] == np.__version__
    assert facts["extras"]["cli"] == {"typer": version("typer"), "rich": version("rich")}
    assert facts["devices"][0] == "cpu"
    assert facts["memory"] > 0
    assert facts["blas"]


def test_info_tells_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = {"device": "cuda:0", "name": "Some GPU", "memory": 24 * 10**9, "by": "torch"}
    monkeypatch.setattr(info, "cuda_devices", lambda: [gpu])
    assert "device cuda:0: Some GPU, 24 GB, by torch\n" in CliRunner().invoke(app, ["info"]).stdout
    monkeypatch.setattr(info, "cuda_devices", list)
    monkeypatch.setattr(info, "libraries", list)
    assert 'pip install "kernlearn[gpu]"' in CliRunner().invoke(app, ["info"]).stdout
    monkeypatch.setattr(info, "libraries", lambda: [("torch", 0, "2.9")])
    assert "torch 2.9 find no CUDA device" in CliRunner().invoke(app, ["info"]).stdout


def test_info_says_how_to_get_a_missing_extra() -> None:
    packages = info.installation_facts({"plot": ("no-such-package-anywhere",)})["extras"]["plot"]
    described = info.described_extra("plot", packages)
    assert described == 'missing no-such-package-anywhere (pip install "kernlearn[plot]")'


def test_info_does_not_advertise_what_cannot_be_installed() -> None:
    assert info.installation_facts({"no-such-extra": ("numpy",)})["extras"] == {}


def test_help_lists_the_commands() -> None:
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert "reproduce" in shown
    assert "info" in shown
    assert "compare" in shown


def test_a_misspelt_command_is_put_right() -> None:
    shown = CliRunner().invoke(app, ["fti"])
    assert shown.exit_code == 2
    assert "Did you mean 'fit'?" in " ".join(shown.stderr.split())


def test_a_warning_is_one_note_however_often_it_is_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said: set[str] = set()
    for text in ("rows are outside", "rows are outside", "columns are constant"):
        print_note(said, UserWarning(text), UserWarning, "file.py", 1)
    shown = capsys.readouterr().err
    assert shown.splitlines() == [
        "kernlearn: note: rows are outside",
        "kernlearn: note: columns are constant",
    ]
