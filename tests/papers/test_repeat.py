"""Repeated experiments."""

from __future__ import annotations

from pathlib import Path

from kernlearn.papers.paper import Request
from kernlearn.papers.repeat import run_repeated

CALLS: list[tuple[str, int, int]] = []


def note_the_call(name: str, index: int, seed: int) -> list[object]:
    CALLS.append((name, index, seed))
    return [name, index]


def test_every_repetition_of_every_set_once_and_more_when_asked(tmp_path: Path) -> None:
    CALLS.clear()
    data = {"one": "1", "two": "2"}

    def run(n: int, seed: int = 7, **settings: int) -> dict[str, list[object]]:
        request = Request(tmp_path, seed=seed, quiet=True)
        return run_repeated(
            note_the_call, data, n, request, stem="s", description="", settings=settings
        )

    assert run(1) == {"one": [["1", 0]], "two": [["2", 0]]}
    assert run(2) == {"one": [["1", 0], ["1", 1]], "two": [["2", 0], ["2", 1]]}
    assert CALLS == [("1", 0, 7), ("2", 0, 7), ("1", 1, 7), ("2", 1, 7)]
    run(1, seed=8)
    run(1, grid=3)
    assert CALLS[4:] == [("1", 0, 8), ("2", 0, 8), ("1", 0, 7), ("2", 0, 7)]
