"""Running tasks of Dask, and what is said where the machines that run them are gone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kernlearn.runtime.optional import load_dask
from kernlearn.typing import DaskObject

_PURPOSE = "a Dask collection"
# How the names of those errors end that tell of workers, or a scheduler, no longer there: names,
# since the classes are those of a package that is not imported where threads do the work.
_LOST = ("KilledWorker", "CommClosedError", "CancelledError", "ClosedClientError")
# Maps to factors go to the scheduler with the tasks, so that they can be sent again to whoever
# takes over the work of a worker that dies. Dask warns of more than ten megabytes.
_SETTINGS = {"distributed.admin.large-graph-warning-threshold": "1 TiB"}


class ClusterLost(ConnectionError):
    """The workers or the scheduler of a cluster are gone; the message says what to do."""


def delayed(function: DaskObject, **options: object) -> DaskObject:
    """A function whose calls are tasks, or an object that is sent once to each worker."""
    return load_dask(_PURPOSE).delayed(function, pure=False, **options)


def computed(tasks: Sequence[DaskObject]) -> list[DaskObject]:
    """The results of tasks or collections, in their order, in the memory of this process."""
    with cluster_errors():
        return list(load_dask(_PURPOSE).compute(*tasks))


def persisted(tasks: Sequence[DaskObject]) -> list[DaskObject]:
    """The same tasks, their results kept where they are made; work on them has begun."""
    with cluster_errors():
        return list(load_dask(_PURPOSE).persist(*tasks))


@contextmanager
def cluster_errors(*others: type[Exception]) -> Iterator[None]:
    """Turn the errors of a cluster that is lost into a sentence with the cure.

    Those are the errors that only a cluster has, and others that here can come from nothing else.
    """
    # Before distributed is imported, its settings are not there to be changed.
    settings = _SETTINGS if "distributed" in sys.modules else {}
    try:
        with load_dask(_PURPOSE).config.set(settings):
            yield
    except Exception as error:
        if not (type(error).__name__.endswith(_LOST) or isinstance(error, others)):
            raise
        raise ClusterLost(
            "expected the workers and the scheduler of the Dask cluster to stay until the work is "
            f"done, got {type(error).__name__} ({_first_line(error)}); give its workers more "
            "memory or the collection smaller chunks if they were out of it, and run it again"
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0][:200]


def ambient_client() -> DaskObject:
    """The ``distributed.Client`` that tasks go to now, or None where threads run them."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


def room_on_workers(on_host: float) -> float:
    """Numbers that may be kept by all workers together: a quarter of their memory."""
    client = ambient_client()
    if client is None:
        return on_host
    with cluster_errors(OSError):
        workers = client.scheduler_info()["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    return sum(limits) / 32.0 if limits and all(limits) else on_host
