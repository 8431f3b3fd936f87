"""The progress bar: passes everything on, and is silent when it should be."""

from __future__ import annotations

import sys

import pytest

from kernlearn.runtime.progress import track


def test_passes_on_and_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track(iter("abc"), description="x", total=3)) == ["a", "b", "c"]
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_shows_count_and_time_left_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich", reason="needs rich: draws the bar")
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes the stream for a terminal
    monkeypatch.setenv("COLUMNS", "120")
    assert list(track(range(2), description="Table 1", total=5, done=3)) == [0, 1]
    shown = capsys.readouterr().err
    assert "Table 1" in shown
    assert "5/5" in shown
    assert "left" in shown


def test_quiet_wins_over_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    list(track(range(2), description="Table 1", total=2, quiet=True))
    assert capsys.readouterr().err == ""


def test_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    assert list(track(range(3), description="x", total=3)) == [0, 1, 2]
