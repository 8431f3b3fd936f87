"""Counts with their exposures: checks, and a first function to linearise the deviance at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from kernlearn._cluster import on_this_machine
from kernlearn._device import to_host
from kernlearn.estimators.inputs.validation import as_floats, check_every_target
from kernlearn.estimators.mixture.candidates.registry import FAMILIES, GAUSSIAN
from kernlearn.kernels import Kernel, Linear
from kernlearn.kernels._validation import as_floats as numbers_of
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.quality.counts import CountLoss, deviance, fit_dispersion, log_ends
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.machine.least_squares import CentredMatrix
from kernlearn.typing import Array, Indices, Rows

SQUARED, POISSON, NEGATIVE_BINOMIAL = "squared", "poisson", "negative_binomial"
LOSSES = (SQUARED, POISSON, NEGATIVE_BINOMIAL)
# Rows of the pilot, its steps, its λ relative to the mean variance that its kernel gives to a row,
# and its Gaussian kernels.
_ROWS, _STEPS = 500, 8
_RIDGES = np.logspace(-4.0, 3.0, 11)
_WIDTHS = (0.1, 1.0)
# The pilot ends once its deviance falls by less than this part.
_SAME = 1e-3
# Larger logarithms of rates than this are none of counts.
_LARGEST = 2.0**53
# Sums of larger exposures, and rates by smaller ones, may overflow.
_LARGEST_EXPOSURE = 1e250


def check_count_loss(loss: object) -> None:
    """Refuse an unknown loss."""
    if not (isinstance(loss, str) and loss in LOSSES):
        raise ValueError(
            f"expected loss to be one of {', '.join(map(repr, LOSSES))}, got {loss!r}; 'poisson' "
            "and 'negative_binomial' are for counts"
        )


def check_no_exposure(loss: object, exposure: Rows) -> None:
    """Refuse an exposure of targets that are no counts."""
    if exposure is not None and loss == SQUARED:
        raise ValueError(
            "expected no exposure with loss='squared', got one; exposure belongs to counts: use "
            "loss='poisson' or loss='negative_binomial', or leave it out"
        )


def checked_counts(estimator: BaseEstimator, y: Rows, exposure: Rows) -> Rows:
    """Counts and exposures side by side, of shape (n, 2); y itself where it is missing."""
    if y is None:
        return y
    y = to_host(on_this_machine(y))
    check_every_target(estimator, y, numeric=True)
    counts = as_floats(estimator, check_array(y, ensure_2d=False, dtype="numeric", input_name="y"))
    name = type(estimator).__name__
    if counts.ndim == 2 and counts.shape[1] > 1:
        raise ValueError(
            f"{name} with loss={estimator.loss!r} expected one count for each row, got "
            f"{counts.shape[1]} columns in y; fit one model for each of them"
        )
    counts = counts.reshape(-1)
    for is_wrong, what, cure in (
        (counts < 0.0, "counts that are not negative", "correct it, or use loss='squared'"),
        (
            (counts != np.floor(counts)) | (counts > _LARGEST),
            "whole numbers",
            "pass counts, with exposure= for rates, or use loss='squared'",
        ),
    ):
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong)[0])
            raise ValueError(
                f"{name} with loss={estimator.loss!r} expected {what} in y, got {counts[row]:g} in "
                f"row {row}; {cure}"
            )
    return np.column_stack([counts, checked_exposure(estimator, exposure, len(counts))])


def checked_exposure(estimator: BaseEstimator, exposure: Rows, n_rows: int) -> Array:
    """Positive exposures, of shape (n,); ones if none are given."""
    if exposure is None:
        return np.ones(n_rows)
    name = type(estimator).__name__
    found = numbers_of(to_host(on_this_machine(exposure)), "exposure")
    if found.ndim == 0:
        found = np.full(n_rows, float(found))
    if found.shape not in ((n_rows,), (n_rows, 1)):
        raise ValueError(
            f"{name} expected one exposure for each of {n_rows} rows, got shape {found.shape}; "
            "pass the time, area or population that each count is of"
        )
    found = found.reshape(-1)
    for is_wrong, what, cure in (
        (
            ~((found > 0.0) & np.isfinite(found)),
            "exposures above zero",
            "leave out rows of no exposure: nothing can be counted there",
        ),
        (
            (found < 1.0 / _LARGEST_EXPOSURE) | (found > _LARGEST_EXPOSURE),
            f"exposures between {1.0 / _LARGEST_EXPOSURE:g} and {_LARGEST_EXPOSURE:g}",
            "choose another unit",
        ),
    ):
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong)[0])
            raise ValueError(f"{name} expected {what}, got {found[row]:g} in row {row}; {cure}")
    return found


@dataclass(frozen=True, eq=False)
class CountRows:
    """Checked counts."""

    counts: Array  # of shape (n,)
    exposure: Array  # of shape (n,)
    weight: Array  # of shape (n,)
    has_dispersion: bool  # whether counts are negative binomial

    def near(self, logs: Array) -> CountLoss:
        """The loss, linearised near logarithms of rates of shape (n,)."""
        ends = log_ends(self.counts, self.exposure)
        logs = np.clip(logs, *ends)
        alpha = self.dispersion(logs)
        return CountLoss.near(logs, self.counts, self.exposure, self.weight, alpha)

    def dispersion(self, logs: Array) -> float:
        """α at logarithms of rates."""
        if not self.has_dispersion:
            return 0.0
        return fit_dispersion(self.counts, self.exposure * np.exp(logs), self.weight)

    @property
    def mean_log(self) -> float:
        """The logarithm of the rate of all rows together."""
        total = self.weight @ self.counts / (self.weight @ self.exposure)
        return float(np.log(total))

    def rows(self, chosen: Indices) -> CountRows:
        """The counts of some rows."""
        return CountRows(
            self.counts[chosen], self.exposure[chosen], self.weight[chosen], self.has_dispersion
        )

    def pilot(
        self, X: Rows, blocks: Sequence[Indices], random_state: np.random.RandomState
    ) -> Array:
        """Logarithms of rates by the best of three kernels on some of the rows, of shape (n,).

        Those of these rows are leave-one-out. `blocks` are rows that are left out together. A
        sparse table has the rate of all rows.
        """
        constant = np.full(len(self.counts), self.mean_log)
        if issparse(X) or X.shape[1] == 0:
            return constant
        chosen = np.arange(len(constant))
        if len(constant) > _ROWS:
            chosen = np.sort(random_state.choice(len(constant), _ROWS, replace=False))
        some, rows = self.rows(chosen), X[chosen]
        if not some.counts.any():
            return constant
        kept = (np.searchsorted(chosen, np.intersect1d(block, chosen)) for block in blocks)
        within = [block for block in kept if len(block) > 1]
        gaussian = FAMILIES[GAUSSIAN].kernel
        assert gaussian is not None
        kernels = [Linear(), *(gaussian(rows, width) for width in _WIDTHS)]
        tried = [(*_iterated(kernel, rows, some, within), kernel) for kernel in kernels]
        _, logs, working, lam, kernel = min(tried, key=lambda one: one[0])
        others = np.setdiff1d(np.arange(len(constant)), chosen)
        found = constant
        found[chosen] = logs
        if len(others):
            matrix = CentredMatrix.of(kernel(rows))
            coef, intercept = matrix.solve(working.Y, lam / working.weight)
            values = kernel(X[others], rows) @ coef + intercept
            found[others] = working.limits(values)[:, 0] + working.centre
        return found


def _iterated(
    kernel: Kernel, X: Array, rows: CountRows, blocks: Sequence[Indices]
) -> tuple[float, Array, CountLoss, float]:
    """Iteratively reweighted least squares at one kernel: each step at leave-one-out predictions.

    What it comes to is the least deviance, the logarithms of rates that have it, and the loss and
    the ridge whose machine predicts them.
    """
    loss = rows.near(np.full(len(X), rows.mean_log))
    least = float(loss.share @ loss.rows(np.zeros_like(loss.Y)))
    best = least, np.full(len(X), rows.mean_log), loss, np.inf
    K = kernel(X)
    for _ in range(_STEPS):
        path = RidgePath.of(K, loss.Y, loss.weight)
        tried = []
        for ridge in (_RIDGES * float(path.values.mean() or 1.0)).tolist():
            values = loss.limits(loss.Y - path.residuals(ridge, blocks))
            tried.append((float(loss.share @ loss.rows(values)), ridge, values))
        value, ridge, values = min(tried, key=lambda one: one[0])
        logs = values[:, 0] + loss.centre
        has_fallen = value < (1.0 - _SAME) * least
        if value < best[0]:
            best = value, logs, loss, ridge
        if not has_fallen:
            break
        least, loss = value, rows.near(logs)
    value, logs, loss, ridge = best
    return value, logs, loss, ridge if np.isfinite(ridge) else 1e6 * float(K.diagonal().mean() or 1)


def explained_deviance(
    counts: Array, mean: Array, exposure: Array, weight: Array, dispersion: float
) -> float:
    """D²: the part of the deviance from one rate for all that the means explain.

    >>> ones = np.ones(2)
    >>> explained_deviance(np.array([1.0, 3.0]), np.array([1.0, 3.0]), ones, ones, 0.0)
    1.0
    """
    if not standard_deviation(counts / exposure, weight) > 0.0:
        return 0.0
    constant = exposure * (weight @ counts / (weight @ exposure))
    left, whole = (weight @ deviance(counts, one, dispersion) for one in (mean, constant))
    return float(1.0 - left / whole) if whole > 0.0 else 0.0
