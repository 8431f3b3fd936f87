"""The scores of all methods on all data sets, one or more repetitions each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class Scores:
    """Checked scores.

    Attributes
    ----------
    data_sets, methods : tuple
        Names, each once.
    repetitions : tuple of tuple of arrays
        ``repetitions[i][j]`` holds the scores of method j on data set i, as many for every
        method, the r-th of each from the same repetition.
    """

    data_sets: tuple[Hashable, ...]
    methods: tuple[Hashable, ...]
    repetitions: tuple[tuple[Array, ...], ...]

    @property
    def means(self) -> Array:
        """Mean scores, of shape (data sets, methods)."""
        return np.array([[cell.mean() for cell in row] for row in self.repetitions])

    @property
    def standard_errors(self) -> Array:
        """Standard errors s/√n of the means; nan where there is a single repetition."""
        return np.array([[_standard_error(cell) for cell in row] for row in self.repetitions])


def _standard_error(cell: Array) -> float:
    if len(cell) == 1:
        return float("nan")
    return float(cell.std(ddof=1) / np.sqrt(len(cell)))
