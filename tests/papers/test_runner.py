"""The runner: nothing lost, nothing repeated, whatever stops it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from joblib import parallel_config

from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.results_file import ResultsFile
from kernlearn.papers.runner import run_batches, run_splits, run_tasks


def run_slowly(folder: Path) -> None:
    def work(i: int) -> int:
        with (folder / "calls.txt").open("a") as file:
            file.write(f"{i}\n")
        time.sleep(0.05)
        return i * i

    run_tasks(work, {str(i): (i,) for i in range(200)}, ResultsFile(folder, "r", {}), quiet=True)


def square(i: int) -> int:
    return i * i


def square_of_a_late_first(i: int) -> int:
    time.sleep(0.0 if i else 0.05)
    return i * i


def test_results_are_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    tasks = {str(i): (i,) for i in (3, 1, 2)}
    found = run_tasks(square, tasks, ResultsFile(tmp_path, "r", {}), quiet=True)
    assert list(found.items()) == [("3", 9), ("1", 1), ("2", 4)]


def test_batches_do_what_is_left_of_them(tmp_path: Path) -> None:
    asked: list[list[int]] = []
    stopped = True

    def squares(tasks: list[tuple[int]]) -> list[int]:
        asked.append([i for (i,) in tasks])
        if stopped and len(asked) == 2:
            raise KeyboardInterrupt
        return [i * i for (i,) in tasks]

    batches = [{str(i): (i,) for i in some} for some in ([1, 2], [3, 4, 5], [6])]

    def run(some: list[dict[str, tuple[int]]]) -> dict[str, int]:
        return run_batches(squares, some, ResultsFile(tmp_path, "r", {}), quiet=True)

    with pytest.raises(KeyboardInterrupt):
        run(batches)
    stopped = False
    # A task of another batch counts as done, too.
    assert run([{"4": (4,)}]) == {"4": 16}
    assert run(batches) == {str(i): i * i for i in range(1, 7)}
    assert asked == [[1, 2], [3, 4, 5], [4], [3, 5], [6]]


# Threads start at once; the processes of a run import everything anew, for seven seconds.
@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_two_workers_give_what_one_gives(tmp_path: Path, backend: str) -> None:
    tasks = {str(i): (i,) for i in range(6)}
    file = ResultsFile(tmp_path, "two", {})
    with parallel_config(backend):
        two = run_tasks(square_of_a_late_first, tasks, file, jobs=2, quiet=True)
    one = run_tasks(square, tasks, ResultsFile(tmp_path, "one", {}), jobs=1, quiet=True)
    assert list(two.items()) == list(one.items())


def test_an_error_keeps_what_was_finished(tmp_path: Path) -> None:
    calls: list[int] = []
    broken = True

    def work(i: int) -> int:
        calls.append(i)
        if i == 2 and broken:
            raise OSError("disk on fire")
        return i

    tasks = {str(i): (i,) for i in range(4)}
    with pytest.raises(OSError, match="disk on fire"):
        run_tasks(work, tasks, ResultsFile(tmp_path, "r", {}), quiet=True)
    broken = False
    assert run_tasks(work, tasks, ResultsFile(tmp_path, "r", {}), quiet=True) == {
        str(i): i for i in range(4)
    }
    assert calls == [0, 1, 2, 2, 3]


def test_more_tasks_continue_the_same_file(tmp_path: Path) -> None:
    calls: list[int] = []
    for n in (2, 5, 3):
        tasks = {str(i): (i,) for i in range(n)}
        found = run_tasks(calls.append, tasks, ResultsFile(tmp_path, "r", {}), quiet=True)
        assert list(found) == list(tasks)
    assert calls == [0, 1, 2, 3, 4]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # the child runs no threads
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """Kill -9 in the midst: finished tasks are never called again."""
    results = ResultsFile(tmp_path, "r", {}).path
    # A copy of this process, since the package takes seconds to import.
    process = multiprocessing.get_context("fork").Process(target=run_slowly, args=(tmp_path,))
    process.start()
    _wait_for_lines(results, 3, process)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    calls = [int(line) for line in (tmp_path / "calls.txt").read_text().split()]
    with ResultsFile(tmp_path, "r", {}) as file:
        finished = file.finished()
    assert finished == {str(i): i * i for i in range(len(finished))}
    assert 2 <= len(finished) < 200
    # Only the task in hand at the kill is done twice, and then its first result was not kept.
    assert len(calls) - len(finished) <= 1
    again: list[int] = []

    def work(i: int) -> int:
        again.append(i)
        return i * i

    tasks = {str(i): (i,) for i in range(200)}
    found = run_tasks(work, tasks, ResultsFile(tmp_path, "r", {}), quiet=True)
    assert found == {str(i): i * i for i in range(200)}
    assert again == list(range(len(finished), 200))


def _wait_for_lines(path: Path, wanted: int, process: BaseProcess) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.is_alive():
        if path.exists() and path.read_bytes().count(b"\n") >= wanted:
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} did not grow to {wanted} lines")


CALLS: list[tuple[str, int, int]] = []


def note_the_call(name: str, index: int, seed: int) -> list[object]:
    CALLS.append((name, index, seed))
    return [name, index]


def test_every_split_of_every_set_once_and_more_when_asked(tmp_path: Path) -> None:
    CALLS.clear()
    data = {"one": "1", "two": "2"}

    def run(n: int | dict[str, int], seed: int = 7, **settings: int) -> dict[str, list[object]]:
        options = RunOptions(tmp_path, seed=seed, quiet=True)
        return run_splits(note_the_call, data, n, options, name="s", settings=settings)

    assert run(1) == {"one": [["1", 0]], "two": [["2", 0]]}
    assert run(2) == {"one": [["1", 0], ["1", 1]], "two": [["2", 0], ["2", 1]]}
    assert CALLS == [("1", 0, 7), ("2", 0, 7), ("1", 1, 7), ("2", 1, 7)]
    run(1, seed=8)
    run(1, grid=3)
    assert CALLS[4:] == [("1", 0, 8), ("2", 0, 8), ("1", 0, 7), ("2", 0, 7)]
    assert run({"one": 3, "two": 1}) == {"one": [["1", 0], ["1", 1], ["1", 2]], "two": [["2", 0]]}
    assert CALLS[8:] == [("1", 2, 7)]
