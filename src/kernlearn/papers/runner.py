"""Run the tasks of an experiment, and pick up where an earlier run was stopped."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sklearn.utils.parallel import Parallel, delayed

from kernlearn._cluster import as_they_end, connected
from kernlearn.papers.results_file import ResultsFile
from kernlearn.runtime.processes import end_with_parent
from kernlearn.runtime.progress import track
from kernlearn.runtime.warnings import interrupts_end_everything

__all__ = ["run_batches", "run_tasks"]

Arguments = tuple[Any, ...]


def run_tasks(
    function: Callable[..., Any],
    tasks: Mapping[str, Arguments],
    results: ResultsFile,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    description: str = "tasks",
    quiet: bool = False,
) -> dict[str, Any]:
    """Call a function once for each task that has no result yet.

    Every result is written and synchronised before the next is waited for: stop the process
    at any moment, run it again, and no finished task is lost or repeated.

    Parameters
    ----------
    function : callable
        ``function(*arguments)`` returns JSON values; importable by name if `jobs` > 1.
    tasks : mapping of str to tuple
        Arguments of each task by its key. A key names the same task in every run.
    results : ResultsFile
        Where finished tasks are; not yet opened.
    jobs : int, default=1
        Number of processes; -1 takes one for each core.
    cluster : str or None
        Address of a Dask scheduler whose workers run the tasks, instead of processes of this
        machine. A worker that is lost costs the tasks that it had begun.
    description : str
        Shown before the progress bar.
    quiet : bool, default=False
        Show no progress bar.

    Returns
    -------
    dict
        The result of each of `tasks`, in their order.
    """

    def call(waiting: list[str]) -> Iterator[tuple[str, Any]]:
        return _call_each(function, tasks, waiting, jobs, cluster)

    return _collect(call, tasks, results, description, quiet)


def run_batches(
    function: Callable[[list[Arguments]], Iterable[Any]],
    batches: Sequence[Mapping[str, Arguments]],
    results: ResultsFile,
    *,
    description: str = "tasks",
    quiet: bool = False,
) -> dict[str, Any]:
    """Call a function once for each batch of tasks, with those that have no result yet.

    As `run_tasks`, but for a function that takes the arguments of several tasks in a list, does
    them together, and returns as many results. What is stopped costs one batch at most.

    Returns
    -------
    dict
        The result of each task, in the order of the batches.
    """

    def call(waiting: list[str]) -> Iterator[tuple[str, Any]]:
        for batch in batches:
            keys = [key for key in waiting if key in batch]
            if keys:
                with interrupts_end_everything():
                    found = list(function([batch[key] for key in keys]))
                yield from zip(keys, found, strict=True)

    keys = [key for batch in batches for key in batch]
    return _collect(call, keys, results, description, quiet)


def _collect(
    call: Callable[[list[str]], Iterator[tuple[str, Any]]],
    keys: Iterable[str],
    results: ResultsFile,
    description: str,
    quiet: bool,
) -> dict[str, Any]:
    """Have those called that have no result yet, write what they return, and read all."""
    wanted = list(keys)
    with results:
        finished = results.finished()
        waiting = [key for key in wanted if key not in finished]
        stream = track(
            call(waiting),
            description=description,
            total=len(wanted),
            done=len(wanted) - len(waiting),
            quiet=quiet,
        )
        for key, result in stream:
            results.append(key, result)
        finished = results.finished()
    return {key: finished[key] for key in wanted}


def _call_each(
    function: Callable[..., Any],
    tasks: Mapping[str, Arguments],
    keys: Sequence[str],
    jobs: int,
    cluster: str | None,
) -> Iterator[tuple[str, Any]]:
    if cluster is not None and keys:
        with connected(cluster) as client:
            calls = ((key, (_call_one, (key, function, tasks[key]))) for key in keys)
            for _, found in as_they_end(client, calls):
                yield found
        return
    if jobs == 1:
        for key in keys:
            yield _call_one(key, function, tasks[key])
        return
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
    parent = os.getpid()
    yield from pool(delayed(_call_for)(parent, key, function, tasks[key]) for key in keys)


def _call_for(
    parent: int, key: str, function: Callable[..., Any], arguments: Arguments
) -> tuple[str, Any]:
    end_with_parent(parent)
    return _call_one(key, function, arguments)


def _call_one(key: str, function: Callable[..., Any], arguments: Arguments) -> tuple[str, Any]:
    # A fit that was cut short is no result of a paper.
    with interrupts_end_everything():
        return key, function(*arguments)
