"""The results file: what is finished stays, what is torn goes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlearn.papers.results_file import ResultsFile, ResultsFileError

SETTINGS = {"seed": 0, "exhibit": "t"}


def test_results_come_back(tmp_path: Path) -> None:
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        assert file.finished() == {}
        file.append("a", {"x": [1.5, None]})
        file.append("b", 2)
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        assert file.finished() == {"a": {"x": [1.5, None]}, "b": 2}


def test_any_cut_leaves_the_whole_lines(tmp_path: Path) -> None:
    """Whatever byte a killed process got to, the lines before it are there and can go on."""
    file = ResultsFile(tmp_path, "t", SETTINGS)
    with file:
        for key in "abcde":
            file.append(key, {"value": key * 20})
    whole = file.path.read_bytes()
    ends = [place for place, byte in enumerate(whole) if byte == ord("\n")]
    assert len(ends) == 6
    around = {end + step for end in ends for step in (-1, 0, 1, 2)}
    for cut in sorted(around | set(range(0, len(whole), 17))):
        kept = whole[:cut]
        file.path.write_bytes(kept)
        n_results = max(kept.count(b"\n") - 1, 0)
        with ResultsFile(tmp_path, "t", SETTINGS) as again:
            assert list(again.finished()) == list("abcde")[:n_results]
            again.append("z", 1)
            assert list(again.finished()) == [*list("abcde")[:n_results], "z"]


def test_other_settings_have_a_file_of_their_own(tmp_path: Path) -> None:
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        file.append("a", 1)
    with ResultsFile(tmp_path, "t", SETTINGS | {"seed": 1}) as other:
        assert other.finished() == {}
        assert other.path != file.path


def test_a_renamed_file_is_refused(tmp_path: Path) -> None:
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        file.append("a", 1)
    other = ResultsFile(tmp_path, "t", SETTINGS | {"seed": 1})
    file.path.rename(other.path)
    with pytest.raises(ResultsFileError, match=r"made with other settings.*move the file away"):
        other.__enter__()


def test_damage_inside_is_refused(tmp_path: Path) -> None:
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        file.append("a", 1)
    file.path.write_bytes(file.path.read_bytes() + b"{broken\n")
    with pytest.raises(ResultsFileError, match=r"one JSON object a line.*move the file away"):
        file.__enter__()


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with (
        ResultsFile(tmp_path, "t", SETTINGS),
        pytest.raises(ResultsFileError, match="being written by another run: wait"),
        ResultsFile(tmp_path, "t", SETTINGS),
    ):
        pass


def test_not_a_number_is_not_written(tmp_path: Path) -> None:
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        with pytest.raises(ValueError, match="not JSON compliant"):
            file.append("a", float("nan"))
        assert file.finished() == {}


def test_append_needs_an_open_file(tmp_path: Path) -> None:
    with pytest.raises(ResultsFileError, match="not open: use it in a with statement"):
        ResultsFile(tmp_path, "t", SETTINGS).append("a", 1)


def test_header_names_the_settings(tmp_path: Path) -> None:
    with ResultsFile(tmp_path, "t", SETTINGS) as file:
        pass
    assert json.loads(file.path.read_text()) == {"settings": SETTINGS}
