"""Where the descent of all parameters starts: from the best direction, judged on few rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import _safe_indexing

from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.numerics.rounding import first_least
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.runtime.numerical_errors import BREAKDOWNS
from kernlearn.solvers.selection.column_starts import column_directions
from kernlearn.solvers.selection.objective import SelectionObjective
from kernlearn.typing import Array

# A start that was found by the targets of the rows it is judged on has an optimistic loss: only one
# with at most this share of what is known is descended from.
PROMISING = 0.8
# Rows that tell columns apart, and the least and the largest number on which these are judged.
_ROWS, _JUDGES = 4000, (100, 700)
# λ in units of the mean eigenvalue of the centred K, and factors of a direction.
_RIDGES = 10.0 ** np.arange(1, -5, -1)
_SCALES = 4.0 ** np.arange(-1, 3)


def best_other_start(
    objective: SelectionObjective, known_lam: float, known: Array, lam: float | None
) -> Array | None:
    """A start z in which columns count differently, or None where the known λ and θ are better.

    Leave-one-out on few rows judges both. A `lam` is kept.
    """
    if not objective.kernel.per_column:
        return None
    X, Y, weight = _rows(objective, _ROWS)
    directions = column_directions(np.asarray(X, dtype=float), Y, weight)
    n_judges = int(np.clip(len(objective.Y) // 2, *_JUDGES))
    judge = _Judge(objective.kernel, *_rows(objective, n_judges))
    best, start = judge.loss(known_lam, known)[0], None
    for theta in directions:
        for scale in _SCALES:
            objective.stopping.check()
            loss, ridge = judge.loss(lam, scale * theta)
            if loss < best:
                best, start = loss, np.log(np.append(ridge, scale * theta))
    return start


@dataclass(frozen=True, eq=False)
class _Judge:
    """Leave-one-out on some rows, for all λ by one decomposition."""

    kernel: ParametricKernel
    X: Array
    Y: Array
    weight: Array

    def loss(self, lam: float | None, theta: Array) -> tuple[float, float]:
        """The loss at λ, or at the best one if it is None, and λ; infinite without a machine."""
        try:
            K = self.kernel.matrix(self.X, None, theta)
            path = RidgePath.of(K, self.Y, self.weight)
        except BREAKDOWNS:  # the kernel overflows
            return np.inf, 1.0
        size = float(K.diagonal().mean())
        unit = max(size - float(K.mean()), 1e-6 * size)
        ridges = unit * _RIDGES if lam is None else np.array([lam])
        losses = [self.weight @ (path.residuals(ridge) ** 2).sum(axis=1) for ridge in ridges]
        best = first_least(losses)
        return float(losses[best]), float(ridges[best])


def _rows(objective: SelectionObjective, most: int) -> tuple[Array, Array, Array]:
    """Evenly spaced rows, their targets and weights."""
    rows = np.linspace(0, len(objective.Y) - 1, min(len(objective.Y), most)).astype(int)
    weight = objective.criterion.loss.weight
    return _safe_indexing(objective.X, rows), objective.Y[rows], weight[rows]
