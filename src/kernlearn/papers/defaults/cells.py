"""One method on one division of a set."""

from __future__ import annotations

import numpy as np

from kernlearn.papers.contest import timed_fit
from kernlearn.papers.defaults.data import Table
from kernlearn.papers.defaults.methods import CLASSES, METHODS

__all__ = ["fit_cell"]


def fit_cell(method: str, task: str, table: Table, index: int, seed: int) -> dict[str, float]:
    """Fit one method to one division: errors in per cent, or root mean squared ones."""
    part = table.divide(index, seed)
    predicted, seconds = timed_fit(
        lambda: METHODS[method].make(task, part.X_train, part.y_train),
        part.X_train,
        part.y_train,
        part.X_test,
    )
    if task == CLASSES:
        error = 100.0 * float(np.mean(predicted != part.y_test))
    else:
        error = float(np.sqrt(np.mean((predicted - part.y_test) ** 2)))
    return {"error": error, "seconds": seconds}
