"""Kernels of which each row is one thing: a sequence, a graph, a set, a series."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.kernels._sharing import shared
from kernlearn.kernels._validation import check_things
from kernlearn.kernels.base import Kernel


class _OnThings(Kernel):
    """Rows are things."""

    takes_things = True

    def _check_table(self, X: Any, name: str) -> Any:
        return shared("things", lambda: check_things(X, name), X)


class _Reading(_OnThings):
    """Things are read one by one into what the kernel computes with."""

    def _check_data(self, X: Any, name: str) -> NDArray[Any]:
        def read() -> NDArray[Any]:
            things = np.empty(len(X), dtype=object)
            for i, thing in enumerate(X):
                things[i] = self._read(thing, f"row {i} of {name}")
            return things

        return np.asarray(shared(self._reading(), read, X))

    @abstractmethod
    def _read(self, thing: Any, where: str) -> Any:
        """Return a thing as the kernel computes with it, or say what is wrong with it."""

    @abstractmethod
    def _reading(self) -> tuple[Any, ...]:
        """What tells two ways of reading apart, so that kernels of one kind read a thing once."""
