"""A check of whether one bandwidth for all columns blurs a column that matters."""

from __future__ import annotations

import warnings

import numpy as np

from kernlearn.estimators.least_squares.parameters import LeastSquaresParameters
from kernlearn.families.parametric import ParametricKernel
from kernlearn.runtime.status import Status
from kernlearn.solvers.selection.column_starts import best_cells
from kernlearn.typing import Array, Indices

# Nothing is looked at if the machine leaves less than this share of the targets' variance, or on
# fewer rows.
_GOOD, _FEWEST_ROWS = 0.25, 40
# The residual variance of the means of cells is at most this share of the machine's.
_MUCH_BETTER = 0.5
_ROWS = 2000


def warn_if_blurred(
    estimator: LeastSquaresParameters,
    family: ParametricKernel,
    X: object,
    Y: Array,
    expected: Array,
    weight: Array,
    kept: Indices,
    stacklevel: int,
) -> None:
    """Set ``status_`` and warn if columns need scales of their own.

    `expected` holds the leave-one-out predictions of the targets Y.
    """
    tied = (
        not family.per_column
        and len(estimator.theta_) == 1
        and estimator.status_ is Status.CONVERGED
    )
    if not (tied and isinstance(X, np.ndarray) and X.ndim == 2):
        return
    found = blurred_columns(X[kept], Y[kept], weight[kept], expected[kept])
    if found is None:
        return
    estimator.status_ = Status.ONE_BANDWIDTH
    name = type(estimator).__name__
    warnings.warn(
        f"{name} has one bandwidth for all columns, which blurs some: {found}; use "
        f"kernel='ard', or {name.replace('LSSVM', 'Kernel')}, which learn a scale for each",
        stacklevel=stacklevel + 1,
    )


def blurred_columns(X: Array, Y: Array, weight: Array, left_out: Array) -> str | None:
    """Columns that alone predict better, one or two, as part of a sentence; None if there are none.

    Rows have positive weights; `left_out` holds the machine's leave-one-out predictions.
    """
    if X.shape[1] < 2 or len(X) < _FEWEST_ROWS:
        return None
    apart = Y - np.average(Y, axis=0, weights=weight)
    largest = float(np.abs(apart).max())
    if not 0.0 < largest < np.inf:
        return None
    apart = apart / largest
    wrong = np.clip((Y - left_out) / largest, -1e100, 1e100)
    variance = float(weight @ (apart**2).sum(axis=1))
    share = float(weight @ (wrong**2).sum(axis=1)) / variance
    if share < _GOOD:
        return None
    rows = np.linspace(0, len(X) - 1, min(len(X), _ROWS)).astype(int)
    explained, columns = best_cells(X[rows], apart[rows], weight[rows])
    if 1.0 - explained > _MUCH_BETTER * share:
        return None
    alone = " and ".join(f"column {column}" for column in columns)
    return (
        f"R² on held-out rows is {1.0 - share:.2f}, and {explained:.2f} by the means of cells of "
        f"{alone} alone"
    )
