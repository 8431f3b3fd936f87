"""Batch the evaluations that several searches request, as stacks of matrices on a device.

The matrices of a stack have one size. They may belong to the folds of one table, or to the tables
of many searches. Their rows are copied to the device once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from kernlearn._device import Place, free_cached_memory, is_out_of_memory, namespace, take
from kernlearn.families.parametric import ParametricKernel
from kernlearn.typing import Array, DeviceArray

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
I = TypeVar("I")

# The part of a device's free memory that a stack may take.
_PART = 0.5


@dataclass(eq=False)
class DeviceCache:
    """The arrays of items of one size on a device: they are moved there once, found by a number."""

    put: Callable[[Array], DeviceArray]
    numbers: dict[int, int] = field(default_factory=dict)
    items: list[object] = field(default_factory=list)
    arrays: list[DeviceArray] = field(default_factory=list)

    def stacked(
        self, items: Sequence[I], parts: Callable[[I], Sequence[Array]]
    ) -> list[DeviceArray]:
        """The arrays that `parts` returns for each item, one stack for every part."""
        # `items` keeps the objects alive, so that their ids stay unique.
        new = {id(item): item for item in items if id(item) not in self.numbers}
        if new:
            self._add(list(new.values()), parts)
        rows = np.array([self.numbers[id(item)] for item in items])
        return [take(array, rows) for array in self.arrays]

    def _add(self, new: list[I], parts: Callable[[I], Sequence[Array]]) -> None:
        for item in new:
            self.numbers[id(item)] = len(self.items)
            self.items.append(item)
        arrays = [self.put(np.stack(part)) for part in zip(*map(parts, new), strict=True)]
        if self.arrays:
            concat = namespace(arrays[0]).concat
            arrays = [concat(pair) for pair in zip(self.arrays, arrays, strict=True)]
        self.arrays = arrays


class Stacks(ABC, Generic[RequestT, ResponseT]):
    """Computes requests in stacks of one size, on a device, or on the host if `place` is None.

    Requests whose kernel family cannot be stacked are computed one by one on the host.
    """

    def __init__(self, place: Place | None, host_bytes: float = 2.0**28) -> None:
        # Limit of a stack on the host, where larger stacks save no time.
        self.place, self.host_bytes = place, host_bytes
        self._caches: dict[Hashable, DeviceCache] = {}

    def __call__(self, requests: Sequence[RequestT]) -> list[ResponseT]:
        """One response for each request."""
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for number, request in enumerate(requests):
            groups[self._size(request)].append(number)
        responses: dict[int, ResponseT] = {}
        for numbers in groups.values():
            responses.update(
                zip(numbers, self._of_one_size([requests[i] for i in numbers]), strict=True)
            )
        return [responses[number] for number in range(len(requests))]

    @abstractmethod
    def _size(self, request: RequestT) -> Hashable:
        """A key that requests of one stack have in common."""

    @abstractmethod
    def _bytes_of(self, request: RequestT) -> float:
        """Memory of one request in a stack."""

    @abstractmethod
    def _family(self, requests: Sequence[RequestT]) -> ParametricKernel | None:
        """The kernel family of the stack, or None if there is none."""

    @abstractmethod
    def _compute_alone(self, request: RequestT) -> ResponseT:
        """The response, computed without a stack."""

    @abstractmethod
    def _stacked(self, requests: Sequence[RequestT], family: ParametricKernel) -> list[ResponseT]:
        """The responses of one stack; the memory suffices."""

    def _cached(
        self, size: Hashable, items: Sequence[I], parts: Callable[[I], Sequence[Array]]
    ) -> list[DeviceArray]:
        """Cached stacks of the arrays of items of one size."""
        if size not in self._caches:
            self._caches[size] = DeviceCache(self._put)
        return self._caches[size].stacked(items, parts)

    def _of_one_size(self, requests: Sequence[RequestT]) -> list[ResponseT]:
        family = self._family(requests)
        if family is None:
            return [self._compute_alone(request) for request in requests]
        free = None if self.place is None else self.place.free_bytes()
        room = self.host_bytes if free is None else _PART * free
        step = max(1, int(room / self._bytes_of(requests[0])))
        if len(requests) > step:
            return self._in_parts(requests, step)
        try:
            # If a machine does not exist, its entries of the stack are undefined.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return self._stacked(requests, family)
        except Exception as error:
            if len(requests) == 1 or not is_out_of_memory(error):
                raise
        # Outside of the clause: the exception's traceback keeps the arrays of the attempt alive.
        free_cached_memory(self._put(np.empty(0)))
        return self._in_parts(requests, (len(requests) + 1) // 2)

    def _in_parts(self, requests: Sequence[RequestT], step: int) -> list[ResponseT]:
        starts = range(0, len(requests), step)
        parts = [self._of_one_size(requests[start : start + step]) for start in starts]
        return [response for part in parts for response in part]

    def _put(self, array: Array) -> DeviceArray:
        return np.asarray(array) if self.place is None else self.place.put(array)
