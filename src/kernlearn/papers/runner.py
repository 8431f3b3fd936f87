"""Compute the cells of an exhibit, and resume where an earlier run was stopped."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sklearn.utils.parallel import Parallel, delayed

from kernlearn import __version__
from kernlearn._cluster import connected, results_as_completed
from kernlearn._cluster.scheduling import TIMEOUT
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.results_file import ResultsFile
from kernlearn.runtime.convergence_warnings import interrupts_end_everything
from kernlearn.runtime.processes import end_with_parent
from kernlearn.runtime.progress import track
from kernlearn.typing import Json, JsonValue

Arguments = tuple[Any, ...]
Cell = Callable[..., JsonValue]


def results_file(options: RunOptions, name: str, settings: Mapping[str, JsonValue]) -> ResultsFile:
    """The results file of cells that depend on these settings, on the seed and on the version."""
    everything = {"exhibit": name, "seed": options.seed, "version": __version__, **settings}
    return ResultsFile(options.out, name, everything)


def split_keys(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Keys of the splits of each data set.

    >>> split_keys({"a": 2, "b": 1})
    {'a': ['a/0', 'a/1'], 'b': ['b/0']}
    """
    return {name: [f"{name}/{index}" for index in range(n)] for name, n in counts.items()}


def run_splits(
    cell: Cell,
    data: Mapping[str, Any],
    n_splits: int | Mapping[str, int],
    options: RunOptions,
    *,
    name: str,
    settings: Mapping[str, JsonValue],
    description: str = "",
    one_process: bool = False,
) -> dict[str, list[JsonValue]]:
    """Call ``cell(data, index, seed)`` for every split of every data set.

    Cells that an earlier run has finished are read, not computed again.

    `cell` is importable by name and returns JSON values. `settings` holds what a result depends
    on, besides seed and version: the data among it. With `one_process`, cells run one at a time,
    because their seconds are measured. The progress bar is called by the `description`, or by the
    `name`, such as Figure 1. The result has one value per split, by data set.
    """
    counts = dict.fromkeys(data, n_splits) if isinstance(n_splits, int) else n_splits
    # Split by split, not set by set: the time left is then that of the average set.
    tasks = {
        f"{each}/{index}": (data[each], index, options.seed)
        for index in range(max(counts.values()))
        for each in counts
        if index < counts[each]
    }
    results = run_tasks(
        cell,
        tasks,
        results_file(options, name, settings),
        jobs=1 if one_process else options.jobs,
        cluster=None if one_process else options.cluster,
        description=description or re.sub(r"(\d)", r" \1", name.capitalize()),
        quiet=options.quiet,
    )
    return {each: [results[key] for key in keys] for each, keys in split_keys(counts).items()}


def run_tasks(
    function: Cell,
    tasks: Mapping[str, Arguments],
    results: ResultsFile,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    timeout: float = TIMEOUT,
    description: str = "tasks",
    quiet: bool = False,
) -> Json:
    """Call a function once for each task that has no result yet.

    Every result is written and synchronised before the next is waited for: stop the process
    at any moment, run it again, and no finished task is lost or repeated.

    Tasks are the arguments of the function by a key that names the same task in every run. With
    `jobs` > 1 (-1 for one per core) the function must be importable by name. `cluster` is the
    address of a Dask scheduler whose workers run the tasks instead, missing after `timeout`
    seconds; a worker that is lost costs the tasks that it had begun. The results are in the
    order of the tasks.
    """

    def call(waiting: list[str]) -> Iterator[tuple[str, JsonValue]]:
        if cluster is not None and waiting:
            with connected(cluster, timeout) as client:
                calls = ((key, (_call_one, (key, function, tasks[key]))) for key in waiting)
                yield from (found for _, found in results_as_completed(client, calls))
        elif jobs == 1:
            yield from (_call_one(key, function, tasks[key]) for key in waiting)
        else:
            pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
            parent = os.getpid()
            yield from pool(
                delayed(_call_for)(parent, key, function, tasks[key]) for key in waiting
            )

    return _collect(call, tasks, results, description, quiet)


def run_batches(
    function: Callable[[list[Arguments]], Iterable[JsonValue]],
    batches: Sequence[Mapping[str, Arguments]],
    results: ResultsFile,
    *,
    description: str = "tasks",
    quiet: bool = False,
) -> Json:
    """Call a function once for each batch of tasks, with those that have no result yet.

    As `run_tasks`, but the function takes the arguments of several tasks in a list, and returns
    as many results. Stopping costs one batch at most.
    """

    def call(waiting: list[str]) -> Iterator[tuple[str, JsonValue]]:
        for batch in batches:
            keys = [key for key in waiting if key in batch]
            if keys:
                with interrupts_end_everything():
                    found = list(function([batch[key] for key in keys]))
                yield from zip(keys, found, strict=True)

    keys = [key for batch in batches for key in batch]
    return _collect(call, keys, results, description, quiet)


def _collect(
    call: Callable[[list[str]], Iterator[tuple[str, JsonValue]]],
    keys: Iterable[str],
    results: ResultsFile,
    description: str,
    quiet: bool,
) -> Json:
    """Call for the keys that have no result yet, write the results, and read all."""
    remaining = list(keys)
    with results:
        finished = results.finished()
        waiting = [key for key in remaining if key not in finished]
        stream = track(
            call(waiting),
            description=description,
            total=len(remaining),
            done=len(remaining) - len(waiting),
            quiet=quiet,
        )
        for key, result in stream:
            results.append(key, result)
        finished = results.finished()
    return {key: finished[key] for key in remaining}


def _call_for(parent: int, key: str, function: Cell, arguments: Arguments) -> tuple[str, JsonValue]:
    end_with_parent(parent)
    return _call_one(key, function, arguments)


def _call_one(key: str, function: Cell, arguments: Arguments) -> tuple[str, JsonValue]:
    # A fit that was cut short is no result of a paper.
    with interrupts_end_everything():
        return key, function(*arguments)
