"""Running tasks of Dask, and the error if their workers are gone."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kernlearn.runtime.optional import load_cloudpickle, load_dask, load_distributed
from kernlearn.typing import DaskObject

_PURPOSE = "a Dask collection"
# Ends of the names of errors that report lost workers, or a lost scheduler. Names are compared,
# since the classes are those of a package that is not imported where threads do the work.
_LOST = ("KilledWorker", "CommClosedError", "CancelledError", "ClosedClientError")
# Maps to factors go to the scheduler with the tasks, so that they can be sent again to whoever
# takes over the work of a worker that dies. Dask warns of more than ten megabytes.
_SETTINGS = {"distributed.admin.large-graph-warning-threshold": "1 TiB"}
# Seconds; a live scheduler replies within a few hundredths.
TIMEOUT = 10.0
# Bytes that go along with every task; more of them go to each worker once.
_LIGHT = 30_000


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

    A lost cluster raises errors that only a cluster has, and others that have no other source here.
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


@contextmanager
def connected(address: str, timeout: float = TIMEOUT) -> Iterator[DaskObject]:
    """A ``distributed.Client`` of the scheduler at an address, to which all tasks go meanwhile.

    After `timeout` seconds a scheduler, or the first of its workers, is taken to be missing.

    Raises
    ------
    ClusterLost
        In a sentence with the cure, if there is no scheduler, or none of its workers comes.
    ImportError
        Where Dask is not installed.
    """
    distributed = load_distributed("--cluster")
    try:
        _check_address(address)
        client = distributed.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise ClusterLost(
            f"expected a Dask scheduler at {address!r}, got no answer within {timeout:g} s; start "
            "one with the command dask scheduler, and name the address that it prints"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=timeout)
        except TimeoutError as error:
            raise ClusterLost(
                f"expected a worker at the Dask scheduler {address!r}, got none within "
                f"{timeout:g} s; start some with the command dask worker {address}"
            ) from error
        yield client


def _check_address(address: str) -> None:
    """Refuse what has no port: of an empty name Dask would make a cluster of its own."""
    port = address.rpartition(":")[2]
    if not (port.isdigit() and int(port) < 2**16) and not address.startswith("inproc://"):
        raise ValueError(f"no port in {address!r}")


class TaskPayload:
    """An object for tasks, pickled if it is to travel; Dask does not look inside.

    Parameters
    ----------
    content : object
        The object, or its pickled bytes.
    is_pickled : bool
        Whether `content` holds bytes.
    """

    def __init__(self, content: DaskObject, is_pickled: bool) -> None:
        self.content, self.is_pickled = content, is_pickled

    def unpacked(self) -> DaskObject:
        """The object."""
        return load_cloudpickle("a task").loads(self.content) if self.is_pickled else self.content


def as_payload(content: object) -> DaskObject:
    """An object as an argument of tasks.

    A heavy object is a task of its own: it goes to the scheduler once, from there to each worker,
    and again to whoever takes over from a worker that has died. To lie in the memory of workers
    alone would be faster, but the object would be lost with the workers.
    """
    if ambient_client() is None:
        return TaskPayload(content, is_pickled=False)
    packed = TaskPayload(load_cloudpickle("a task").dumps(content), is_pickled=True)
    is_light = len(packed.content) <= _LIGHT
    return packed if is_light else delayed(packed, traverse=False)
