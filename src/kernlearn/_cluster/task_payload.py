"""What many tasks take along: functions, maps to factors, fitted models."""

from __future__ import annotations

from kernlearn._cluster.scheduling import ambient_client, delayed
from kernlearn.runtime.optional import load_cloudpickle
from kernlearn.typing import DaskObject

# Bytes that go along with every task; more of them go to each worker once.
_LIGHT = 30_000


class TaskPayload:
    """An object for tasks, pickled if it is to travel; Dask does not look inside.

    Parameters
    ----------
    content : object
        What it is, or the bytes of it.
    is_pickled : bool
        Whether these are bytes.
    """

    def __init__(self, content: DaskObject, is_pickled: bool) -> None:
        self.content, self.is_pickled = content, is_pickled

    def unpacked(self) -> DaskObject:
        """The object."""
        return load_cloudpickle("a task").loads(self.content) if self.is_pickled else self.content


def as_payload(content: object) -> DaskObject:
    """An object as an argument of tasks.

    What is heavy is a task of its own: it goes to the scheduler once and from there to each worker,
    and again to whoever takes over from a worker that has died. To lie in the memory of workers
    alone would be faster, and the end of it if they were lost.
    """
    if ambient_client() is None:
        return TaskPayload(content, is_pickled=False)
    packed = TaskPayload(load_cloudpickle("a task").dumps(content), is_pickled=True)
    is_light = len(packed.content) <= _LIGHT
    return packed if is_light else delayed(packed, traverse=False)
