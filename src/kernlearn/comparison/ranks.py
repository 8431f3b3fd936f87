"""Ranks of the methods on every data set."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from kernlearn.typing import Array

# Two means that are equal on paper may differ in the sixteenth digit, by the order of a sum.
DIGITS = 12


def significant(value: float) -> str:
    """The decimal number that a score stands for.

    >>> significant(0.1 + 0.2) == significant(0.3)
    True
    """
    return f"{value:.{DIGITS}g}"


def row_ranks(means: Array, lower_is_better: bool) -> Array:
    """Ranks within each row, 1 for the best; ties share the average of their ranks."""
    rounded = np.array([[float(significant(value)) for value in row] for row in means])
    ranks: Array = rankdata(rounded if lower_is_better else -rounded, axis=1)
    return ranks
