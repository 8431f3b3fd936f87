"""Questions of searches answered together, as stacks of matrices of one size on a device.

The members of a stack may be the folds of one table, or the tables of a hundred searches. Their
rows go to the device once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from kernlearn._device import Place, give_back, is_out_of_memory, namespace, take
from kernlearn.families.parametric import ParametricKernel
from kernlearn.typing import Array, DeviceArray

Q = TypeVar("Q")
A = TypeVar("A")
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
        """What `parts` tells of each item, one stack for every part."""
        # The identity of an object is its own as long as the object lives, as here it does.
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


class Stacks(ABC, Generic[Q, A]):
    """Answers questions in stacks of those that have one size, on a device or on the host (None).

    What cannot be stacked, since its family is for single tables, is answered alone on the host.
    """

    def __init__(self, place: Place | None, host_bytes: float = 2.0**28) -> None:
        # What a stack may take on the host: there it saves nothing to have a large one.
        self.place, self.host_bytes = place, host_bytes
        self._caches: dict[Hashable, DeviceCache] = {}

    def __call__(self, questions: Sequence[Q]) -> list[A]:
        """An answer to every question."""
        groups: dict[Hashable, list[int]] = defaultdict(list)
        for number, question in enumerate(questions):
            groups[self._size(question)].append(number)
        answers: dict[int, A] = {}
        for numbers in groups.values():
            answers.update(
                zip(numbers, self._of_one_size([questions[i] for i in numbers]), strict=True)
            )
        return [answers[number] for number in range(len(questions))]

    @abstractmethod
    def _size(self, question: Q) -> Hashable:
        """What questions have in common that can be in one stack."""

    @abstractmethod
    def _bytes_of(self, question: Q) -> float:
        """What a question takes in a stack."""

    @abstractmethod
    def _family(self, questions: Sequence[Q]) -> ParametricKernel | None:
        """One family for the stack of them, or None if there is none."""

    @abstractmethod
    def _alone(self, question: Q) -> A:
        """The answer without a stack."""

    @abstractmethod
    def _stacked(self, questions: Sequence[Q], family: ParametricKernel) -> list[A]:
        """The answers by one stack, which has the room."""

    def _cached(
        self, size: Hashable, items: Sequence[I], parts: Callable[[I], Sequence[Array]]
    ) -> list[DeviceArray]:
        """Stacks of the arrays that belong to items of one size."""
        if size not in self._caches:
            self._caches[size] = DeviceCache(self._put)
        return self._caches[size].stacked(items, parts)

    def _of_one_size(self, questions: Sequence[Q]) -> list[A]:
        family = self._family(questions)
        if family is None:
            return [self._alone(question) for question in questions]
        free = None if self.place is None else self.place.free_bytes()
        room = self.host_bytes if free is None else _PART * free
        step = max(1, int(room / self._bytes_of(questions[0])))
        if len(questions) > step:
            return self._in_parts(questions, step)
        try:
            # Where there is no machine, the numbers of its member are undefined.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return self._stacked(questions, family)
        except Exception as error:
            if len(questions) == 1 or not is_out_of_memory(error):
                raise
        # Outside of the clause, which would keep what the arrays of the attempt are held by.
        give_back(self._put(np.empty(0)))
        return self._in_parts(questions, (len(questions) + 1) // 2)

    def _in_parts(self, questions: Sequence[Q], step: int) -> list[A]:
        starts = range(0, len(questions), step)
        parts = [self._of_one_size(questions[start : start + step]) for start in starts]
        return [answer for part in parts for answer in part]

    def _put(self, array: Array) -> DeviceArray:
        return np.asarray(array) if self.place is None else self.place.put(array)
