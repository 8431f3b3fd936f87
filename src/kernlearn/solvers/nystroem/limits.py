"""How much of a factor Z, and of its second moments, is kept in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn._cluster import Chunked
from kernlearn._device import room_beside
from kernlearn.runtime.memory import FLOAT, allowed, available
from kernlearn.solvers.nystroem.rank import N_FOLDS
from kernlearn.typing import Rows


@dataclass(frozen=True)
class FactorLimits:
    """Limits on the size of what is kept."""

    # Z is kept rather than made again up to so many numbers, a gigabyte, and up to this share of
    # the memory there is
    kept_numbers: int = 2**27
    kept_share: float = 1.0 / 3.0
    # Numbers in the moments of all folds: a gigabyte. With more columns, machines are learned from
    # Z alone.
    moment_numbers: int = 2**27
    # Numbers of a Z whose moments would be larger: two gigabytes, unless the user allows for more
    # or less, and this share of the memory there is
    wide_numbers: int = 2**28
    wide_share: float = 0.25
    # Columns whose moments least squares is learned from, if the rows are not fewer: half a
    # gigabyte, and a factorisation of some seconds
    moment_columns: int = 8000
    # From twice this size on, a first guess from a sample of so many rows saves more than it costs.
    coarse_rows: int = 2000
    # A sample of so many rows is large enough for quantiles and for the two numbers of a sigmoid.
    held_out_rows: int = 20_000

    def keeps(self, source: Rows, n_columns: int) -> bool:
        """Whether Z is kept where the rows are worked on."""
        return len(source) * n_columns <= self.room(source)

    def room(self, source: Rows) -> float:
        """How many numbers of Z may be kept where the rows are worked on."""
        there = available()
        most = np.inf if there is None else self.kept_share * there / FLOAT
        return _where_rows_are(source, min(self.kept_numbers, most))

    def wide_room(self, source: Rows) -> float:
        """The same for a Z that is kept because its moments would be larger."""
        there = available()
        most = np.inf if there is None else self.wide_share * there / FLOAT
        most = most if allowed() is not None else min(self.wide_numbers, most)
        return _where_rows_are(source, most)

    def has_moments(self, n_rows: int, n_columns: int) -> bool:
        """Whether least squares is learned from its moments rather than from Z."""
        return n_columns <= min(n_rows, self.moment_columns)

    def is_wide(self, source: Rows, n_columns: int) -> bool:
        """Whether the moments have no room, but Z has."""
        too_many = N_FOLDS * n_columns**2 > self.moment_numbers
        return too_many and len(source) * n_columns <= self.wide_room(source)


def _where_rows_are(source: Rows, most: float) -> float:
    return source.room(most) if isinstance(source, Chunked) else room_beside(source, most)
