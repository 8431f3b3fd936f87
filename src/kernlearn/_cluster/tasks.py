"""Calls of functions as tasks of a cluster, handed over as they end or in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from kernlearn._cluster.scheduling import TaskPayload, cluster_errors
from kernlearn.runtime.optional import load_dask_array, load_distributed
from kernlearn.typing import Array, DaskObject

Key = TypeVar("Key")
Call = tuple[Callable[..., DaskObject], tuple[DaskObject, ...]]

# Tasks for each thread of the cluster that are under way: one to work on, one to go on with. All
# others wait here, with their arguments.
_FOR_A_THREAD = 2


def results_as_completed(
    client: DaskObject, calls: Iterable[tuple[Key, Call]]
) -> Iterator[tuple[Key, DaskObject]]:
    """The keys of calls and what these return, those that end first first.

    A task whose worker dies is run again by another one; one whose result was handed over is not.
    """
    waiting = iter(calls)
    wait = load_distributed("--cluster").wait
    running: dict[DaskObject, Key] = {}
    while True:
        # Calls are taken before the cluster is used: an error of theirs is none of the cluster's.
        some = list(islice(waiting, _room(client, len(running))))
        if not some and not running:
            return
        with cluster_errors(OSError):
            for key, call in some:
                running[_submitted(client, call)] = key
            ended = wait(list(running), return_when="FIRST_COMPLETED").done
        # Finished tasks are handed over before an error of another one ends the loop.
        for future in sorted(ended, key=lambda each: each.status != "finished"):
            with cluster_errors():
                result = future.result()
            yield running.pop(future), result


def ordered_results(client: DaskObject, calls: Iterable[Call]) -> Iterator[DaskObject]:
    """Results of calls, in their order; only a few calls run ahead of their use."""
    waiting = iter(calls)
    running: deque[DaskObject] = deque()
    while True:
        some = list(islice(waiting, _room(client, len(running))))
        if not some and not running:
            return
        with cluster_errors(OSError):
            running.extend(_submitted(client, call) for call in some)
        with cluster_errors():
            result = running.popleft().result()
        yield result


def shared_argument(client: DaskObject, content: object) -> DaskObject:
    """An object as an argument of many calls: a task, so that whoever lacks it is sent it."""
    with cluster_errors(OSError):
        return client.submit(
            TaskPayload.unpacked, TaskPayload(content, is_pickled=False), pure=False
        )


def _submitted(client: DaskObject, call: Call) -> DaskObject:
    function, arguments = call
    return client.submit(function, *arguments, pure=False)


def _room(client: DaskObject, n_running: int) -> int:
    """Tasks that may be begun while `n_running` are under way; workers come and go."""
    with cluster_errors(OSError):
        n_threads = int(sum(client.nthreads().values()))
    return max(_FOR_A_THREAD * n_threads - n_running, int(n_running == 0))


def spread(client: DaskObject, table: Array) -> DaskObject:
    """The rows as a Dask array that lies in the memory of the workers."""
    with cluster_errors(OSError):
        n_chunks = _FOR_A_THREAD * max(1, sum(client.nthreads().values()))
        rows = -(-len(table) // n_chunks)
        return client.persist(load_dask_array("--cluster").from_array(table, (rows, -1)))
