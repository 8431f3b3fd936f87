r"""A bank of kernels on columns with scales of their own, if one bandwidth suits not all.

A Gaussian of all columns counts each in its own unit. A column with small numbers, or beside many
uninformative ones, has no effect. Two sets of scales are tried: one over every column's spread,
and the slopes of a machine on columns scaled so, with next to no ridge, round by round,

.. math:: s_r \propto \Bigl(\sum_i w_i \sum_k
          \Bigl(\frac{\partial f_k}{\partial x_r}(x_i)\Bigr)^2\Bigr)^{1/2},

as in :mod:`kernlearn.estimators.mixture.candidates.gradients`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators.mkl.held_out_width import halves_of, held_out_losses
from kernlearn.families.parametric._squares import mean_squares
from kernlearn.kernels import ARDGaussian, Gaussian, Kernel, Matern, Stretched
from kernlearn.kernels.bank import median_distance
from kernlearn.numerics.rounding import first_least, usual_weight
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.solvers.selection.column_starts import slope_scales
from kernlearn.typing import Array, Indices

_FEWEST_ROWS, _MOST_COLUMNS = 100, 500
# Exponents p of γ = 2ᵖ/m², m being the median distance of the stretched rows.
_WIDTHS = (-4.0, -2.0, 0.0, 2.0)
_ROUNDS, _RIDGE = 5, 0.03
_LEAST = 1e-100  # a scale whose square is a number
_ALIKE = 2.0
# Share of the loss of the best Gaussian in the columns' units that scales must reach. On tables
# with few rows, scales at 0.7 to 0.9 did not lower the error.
_CLEARLY = 0.7


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, targets of shape (n, k) and weights; rows of one group are held out together."""

    X: Array
    Y: Array
    weight: Array
    groups: Indices | None = None

    def rows(self, chosen: NDArray[np.bool_]) -> Sample:
        """Some of the rows."""
        groups = None if self.groups is None else self.groups[chosen]
        return Sample(self.X[chosen], self.Y[chosen], self.weight[chosen], groups)

    def loss(self, kernels: Sequence[Kernel]) -> float:
        """The least leave-one-out loss of a machine with one of the kernels."""
        grams = (kernel(self.X) for kernel in kernels)
        return float(held_out_losses(grams, list(self.Y.T), self.weight, self.groups).min())


def learned_scales(
    X: Array,  # (n, d): a sample of the rows
    targets: Sequence[Array],  # (n,): targets
    weight: Array,  # (n,): weights of the rows
    rival: Kernel,  # the best Gaussian of the columns as they are
    groups: Indices | None = None,  # (n,): rows of one number are held out together
) -> tuple[Array, float, str] | None:
    """Scales of columns, ratio of losses, and a sentence; None unless clearly better."""
    n, d = X.shape
    if n < _FEWEST_ROWS or not 1 < d <= _MOST_COLUMNS:
        return None
    Y = np.column_stack(targets)
    # In units of the largest, a power of two: squares of slopes are then numbers.
    whole = Sample(X, np.ldexp(Y, -int(np.frexp(np.abs(Y).max())[1])), weight, groups)
    units = _unit_scales(whole)
    if not (units.min() > _LEAST and units.max() < 1.0 / _LEAST):
        return None
    halves = halves_of(n, groups)
    if halves is None:
        return None
    alike = units.max() < _ALIKE * units.min()  # such columns are in units of their own
    ours, theirs = np.array([np.inf if alike else 0.0, 0.0]), 0.0
    for train, judged in ((halves, ~halves), (~halves, halves)):
        # Scales learned from the rows that judge them would overfit.
        some, others = whole.rows(judged), whole.rows(train)
        for place, learn in enumerate(_LEARNERS.values()):
            if np.isfinite(ours[place]):
                scales = learn(others)
                ours[place] += np.inf if scales is None else some.loss(_gaussians(some.X, scales))
        theirs += some.loss([rival])
        if not ours.min() < theirs:
            return None  # the other half would have to be won by far
        # As many widths on these rows as the scaled columns had.
        theirs += min(some.loss(_gaussians(some.X, np.ones(d))) - some.loss([rival]), 0.0)
    best = first_least(ours)
    if not ours[best] < _CLEARLY * theirs:
        return None
    name = list(_LEARNERS)[best]
    scales = _LEARNERS[name](whole)
    if scales is None:
        return None
    ratio = float(ours[best] / theirs)
    note = (
        f"a Gaussian of columns scaled by {name} has {ratio:.2f} of the held-out loss of the best "
        f"Gaussian of columns as they are on {n} rows, so the bank holds kernels of scaled columns"
    )
    return scales, ratio, note


def stretched(kernel: Kernel, scales: Array) -> Kernel:
    """The kernel on scaled columns."""
    if isinstance(kernel, Gaussian):
        return ARDGaussian(kernel.gamma * scales**2)
    return Stretched(kernel, scales)


def _gaussians(X: Array, scales: Array) -> list[Kernel]:
    median = median_distance(X * scales, 0)
    return [ARDGaussian(2.0**p * (scales / median) ** 2) for p in _WIDTHS]


def _unit_scales(sample: Sample) -> Array:
    """One over the spread of every column."""
    return np.asarray(1.0 / np.sqrt(mean_squares(sample.X)))


def _gradient_scales(sample: Sample) -> Array | None:
    """Slopes of a machine that follows its rows closely, in the units of the columns."""
    units = _unit_scales(sample)
    X = (sample.X - np.median(sample.X, axis=0)) * units
    ridge = _RIDGE * usual_weight(sample.weight) / sample.weight

    def train(length: float, scales: Array) -> Array:
        K = Stretched(Matern(length, 1.5), scales)(X)
        return fit_ls_svm(K, sample.Y, ridge).dual_coef

    share, start = sample.weight / sample.weight.sum(), np.ones(X.shape[1])
    try:
        scales = slope_scales(X, share, start, _ROUNDS, train, lambda U: median_distance(U, 0))
    except np.linalg.LinAlgError:
        return None
    return np.asarray(scales * units)


_LEARNERS: dict[str, Callable[[Sample], Array | None]] = {
    "their spread": _unit_scales,
    "the slopes along them": _gradient_scales,
}
