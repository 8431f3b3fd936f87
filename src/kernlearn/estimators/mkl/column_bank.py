r"""A bank of additive kernels, one for each column, for tables whose columns act additively.

A Gaussian of all columns is large only if two rows agree in all of them. If the columns act
additively (positions of an aligned sequence, for example), Gaussians of single columns predict
better. With weights v by the alignment of each kernel with the targets,

.. math::

    a = \sum_j v_j k_j, \qquad v_j \propto \frac{y^\top K_j y}{\lVert H K_j H\rVert}, \qquad
    H = I - \tfrac1n 11^\top, \quad 1^\top y = 0,

the bank holds powers of a: :math:`a^p` has the interactions of p columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators.mkl.held_out_width import halves_of, held_out_losses
from kernlearn.kernels import Columns, Gaussian, Kernel, WeightedSum
from kernlearn.numerics.rounding import first_least
from kernlearn.typing import Array, Indices

_POWERS = (1, 2, 4, 8)
_FEWEST_ROWS, _FEWEST_COLUMNS, _MOST_COLUMNS = 60, 8, 500
_CLEARLY = 0.9  # share of the loss of the best Gaussian that the bank must reach


def column_bank(
    X: Array,  # (n, d): a sample of the rows
    targets: Sequence[Array],  # (n,): targets
    weight: Array,  # (n,): weights of the rows
    rival: Kernel,  # the best Gaussian of all columns
    groups: Indices | None = None,  # (n,): rows of one number are held out together
) -> tuple[list[Kernel], float, str] | None:
    """Powers of a sum over columns, ratio of losses, and a sentence; None unless clearly better."""
    with np.errstate(over="ignore"):
        spread = X.std(axis=0)
    varying = np.flatnonzero(np.isfinite(spread) & (spread > 1e-9 * np.abs(X).max(axis=0)))
    if len(X) < _FEWEST_ROWS or not _FEWEST_COLUMNS <= len(varying) <= _MOST_COLUMNS:
        return None
    kernels = [Columns([int(j)], Gaussian(0.5 / float(spread[j]) ** 2)) for j in varying]
    halves = halves_of(len(X), groups)
    if halves is None:
        return None
    ours, theirs = np.zeros(len(_POWERS)), 0.0
    for train, judged in ((halves, ~halves), (~halves, halves)):
        # Weights learned from the rows that judge them would overfit.
        K = aligned_sum(kernels, X, targets, train)(X[judged])
        some = [target[judged] for target in targets]
        known = some, weight[judged], None if groups is None else groups[judged]
        ours += held_out_losses((K**power for power in _POWERS), *known)
        theirs += float(held_out_losses([rival(X[judged])], *known)[0])
        if not ours.min() < theirs:
            return None  # the other half would have to be won by far
    best = first_least(ours)
    if not ours[best] < _CLEARLY * theirs:
        return None
    mean = aligned_sum(kernels, X, targets, np.ones(len(X), dtype=bool))
    powers = _POWERS[max(best - 1, 0) : best + 2]
    ratio = float(ours[best] / theirs)
    note = (
        f"the power {_POWERS[best]} of a sum of Gaussians of single columns has {ratio:.2f} of the "
        f"held-out loss of the best Gaussian of all columns on {len(X)} rows, so the bank holds "
        "such powers"
    )
    return [mean if power == 1 else mean**power for power in powers], ratio, note


def aligned_sum(
    kernels: Sequence[Any], X: Array, targets: Sequence[Array], rows: NDArray[np.bool_]
) -> Kernel:
    """The sum of Gaussians weighted by their centred alignment with the targets of some rows.

    With the row means m of K, the squared norm of HKH is ‖K‖² − 2n‖m‖² + n²m̄².
    """
    Y = np.column_stack([target[rows] - target[rows].mean() for target in targets])
    shares = np.empty(len(kernels))
    for place, kernel in enumerate(kernels):
        x = X[rows, kernel.columns[0]]
        # The kernel itself, whose checks would take longer than these numbers.
        K = np.exp(-kernel.kernel.gamma * (x[:, None] - x) ** 2)
        means = K.mean(axis=0)
        squares = float(np.vdot(K, K)) - 2 * len(K) * float(means @ means)
        size = np.sqrt(max(squares + (len(K) * float(means.mean())) ** 2, 0.0))
        shares[place] = float((Y * (K @ Y)).sum()) / size if size > 1e-9 * len(K) else 0.0
    total = float(shares.sum())
    equal = np.full(len(kernels), 1.0 / len(kernels))
    return WeightedSum(list(kernels), shares / total if total > 0 else equal)
