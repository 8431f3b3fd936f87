"""Hyperkernels of the values of kernels at a pair: 𝒳 may be any set."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Self

import numpy as np

from kernlearn.hyperkernels._validation import BLOCK, values_of_pairs
from kernlearn.hyperkernels.base import Hyperkernel
from kernlearn.kernels import Kernel
from kernlearn.typing import Array, Indices, Rows


class _OfKernels(Hyperkernel):
    """A hyperkernel whose table holds functions of the values of kernels.

    Its points are what the kernels take: rows of numbers, row numbers of a precomputed matrix,
    strings, graphs or sets (Ong 2005, Definition 5 and Kondor 2007, Definition 1 have any set).
    """

    @abstractmethod
    def _parts(self) -> Sequence[Kernel]:
        """The kernels."""

    @abstractmethod
    def _with_parts(self, parts: Sequence[Kernel]) -> Self:
        """A copy with other kernels."""

    @abstractmethod
    def _of_values(self, values: list[Array]) -> Array:
        """The table, from the values of each kernel at all pairs."""

    @property
    def takes_things(self) -> bool:  # type: ignore[override]  # by its kernels
        """Whether the points may be other things than numbers."""
        return any(getattr(part, "takes_things", False) for part in self._parts())

    def fitted_to(self, X: Rows) -> Self:
        """Return this hyperkernel with all that its kernels take from data taken from `X`."""
        self._check_parameters()
        parts = self._parts()
        fitted = [part.fitted_to(X) for part in parts]
        same = all(new is old for new, old in zip(fitted, parts, strict=True))
        return self if same else self._with_parts(fitted)

    def _table(self, left: Rows, right: Rows) -> Array:
        return self._of_values([values_of_pairs(part, left, right) for part in self._parts()])

    def _grid_table(self, X: Rows, Y: Rows) -> Array:
        return self._of_values([part(X, Y).ravel() for part in self._parts()])

    def _table_of_rows(self, X: Rows, pairs: Indices) -> Array:
        # A matrix of all rows is smaller than the blocks whose diagonals are needed.
        if len(X) ** 2 > BLOCK * len(pairs):
            return super()._table_of_rows(X, pairs)
        first, second = pairs.T
        return self._of_values([part(X)[first, second] for part in self._parts()])

    def _copied(self, **parameters: object) -> Self:
        made = copy(self)
        for name, value in parameters.items():
            setattr(made, name, value)
        return made


def check_in_unit_interval(values: Array, kernel: Kernel) -> Array:
    """Return kernel values from 0 to 1, refused elsewhere but for rounding above one."""
    low, high = float(values.min()), float(values.max())
    if low < 0 or high > 1.0 + 1e-12:
        raise ValueError(
            f"Harmonic needs a kernel with values from 0 to 1, got {low:.3g} to {high:.6g} from "
            f"{kernel!r}; normalise it with kernlearn.kernels.Normalized, and square one that goes "
            "negative."
        )
    return np.minimum(values, 1.0)
