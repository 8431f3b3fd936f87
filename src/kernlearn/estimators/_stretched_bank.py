r"""A bank of kernels on columns with scales of their own, where one bandwidth is wrong for all.

A Gaussian of all columns counts each in the unit it came in. A column in a small unit, or beside
many that say nothing, is lost in it. Three sets of scales are tried: one over every column's
spread, and those by the slopes of a machine on such columns,

.. math:: s_r \propto \Bigl(\sum_i w_i \sum_k
          \Bigl(\frac{\partial f_k}{\partial x_r}(x_i)\Bigr)^2\Bigr)^{1/2},

after two rounds with a fitting ridge and after five with a small one
(:mod:`kernlearn.estimators.candidates.gradients`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators._held_out_width import best_ridge, held_out_losses
from kernlearn.estimators.candidates.gradients import slopes
from kernlearn.families.parametric._squares import mean_squares
from kernlearn.kernels import ARDGaussian, Gaussian, Kernel, Matern, Stretched
from kernlearn.kernels.bank import median_distance
from kernlearn.quality.ls_svm import fit_ls_svm

Array = NDArray[np.float64]

_FEWEST_ROWS, _MOST_COLUMNS = 60, 500
# Exponents p of γ = 2ᵖ/m², m being the median distance of the stretched rows.
_WIDTHS = (-4.0, -2.0, 0.0, 2.0)
_ROUNDS, _MORE_ROUNDS, _SMALL = 2, 5, 0.03
_CLEARLY = 0.8  # of the loss of the best Gaussian in the columns' units: less is no reason


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, targets of shape (n, k) and weights."""

    X: Array
    Y: Array
    weight: Array

    def rows(self, chosen: NDArray[np.bool_]) -> Sample:
        """Some of them."""
        return Sample(self.X[chosen], self.Y[chosen], self.weight[chosen])

    def loss(self, kernels: Sequence[Kernel]) -> float:
        """The least leave-one-out loss of a machine with one of the kernels."""
        grams = (kernel(self.X) for kernel in kernels)
        return float(held_out_losses(grams, list(self.Y.T), self.weight).min())


def learned_scales(
    X: Array, targets: Sequence[Array], weight: Array, rival: Kernel
) -> tuple[Array, float, str] | None:
    """Scales of columns, the ratio of losses, and a sentence, where they predict clearly better.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        A sample of the rows.
    targets : sequence of ndarray of shape (n,)
        What is to be predicted.
    weight : ndarray of shape (n,)
        Weights of the rows.
    rival : Kernel
        The best Gaussian of the columns as they are.
    """
    n, d = X.shape
    if n < _FEWEST_ROWS or not 1 < d <= _MOST_COLUMNS:
        return None
    whole = Sample(X, np.column_stack(targets), weight)
    halves = np.arange(n) % 2 == 0
    ours, theirs = np.zeros(len(_LEARNERS)), 0.0
    for learned, judged in ((halves, ~halves), (~halves, halves)):
        # Scales that have seen the rows that they are judged by would flatter noise.
        some, others = whole.rows(judged), whole.rows(learned)
        theirs += some.loss([rival, *_gaussians(some.X, np.ones(d))])
        for place, learn in enumerate(_LEARNERS.values()):
            if np.isfinite(ours[place]):
                scales = learn(others)
                ours[place] += np.inf if scales is None else some.loss(_gaussians(some.X, scales))
        ours[ours >= theirs] = np.inf  # the other half would have to be won by far
    best = int(ours.argmin())
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


def _own_units(sample: Sample) -> Array:
    """One over the spread of every column."""
    return np.asarray(1.0 / np.sqrt(mean_squares(sample.X)))


def _by_slopes(sample: Sample, n_rounds: int, ridge: float | None) -> Array | None:
    """Slopes after so many rounds, in the units of the columns."""
    units = _own_units(sample)
    X = (sample.X - np.median(sample.X, axis=0)) * units
    scales = np.ones(X.shape[1])
    for _ in range(n_rounds):
        length = median_distance(X * scales, 0)
        K = Stretched(Matern(length, 1.5), scales)(X)
        if ridge is None:
            ridge = best_ridge(K, list(sample.Y.T), sample.weight)
        try:
            fit = fit_ls_svm(K, sample.Y, ridge / sample.weight)
        except np.linalg.LinAlgError:
            return None
        squares = slopes(X, scales, length, fit.dual_coef) ** 2
        sizes = np.sqrt(np.einsum("n,knr->r", sample.weight / sample.weight.sum(), squares))
        if not 0.0 < sizes.max() < np.inf:
            return None
        scales = sizes / sizes.max()
    return np.asarray(scales * units)


_LEARNERS: dict[str, Callable[[Sample], Array | None]] = {
    "their spread": _own_units,
    "slopes": lambda sample: _by_slopes(sample, _ROUNDS, None),
    "slopes of a close fit": lambda sample: _by_slopes(sample, _MORE_ROUNDS, _SMALL),
}
