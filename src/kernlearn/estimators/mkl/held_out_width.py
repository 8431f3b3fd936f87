"""The kernel of a few that predicts held-out rows best, to find a first width cheaply.

A least-squares machine on a sample of the rows has its leave-one-out loss in closed form
(:mod:`kernlearn.quality.held_out`), a few milliseconds for each kernel and ridge. The margin
is no guide here: at a fixed trace it is the larger the narrower the kernel, up to the identity,
with which nothing is predicted at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kernlearn.estimators.held_out.groups import blocks_of, codes_by_first_row
from kernlearn.numerics.rounding import usual_weight
from kernlearn.quality.held_out import HeldOutLoss, leave_out
from kernlearn.quality.ls_svm import fit_ls_svm
from kernlearn.runtime.threads import threads_for
from kernlearn.typing import Array, Indices, Mask

# Enough to choose among widths that differ by a factor of two.
_MOST_ROWS = 200
# Ridges in units of the kernel's mean diagonal and of the usual weight; the best one counts.
_RIDGES = (0.01, 0.1, 1.0, 10.0)


def sample_rows(n: int, seed: int, max_rows: int = _MOST_ROWS) -> Indices:
    """The rows to look at: all, or two hundred, drawn at random."""
    if n <= max_rows:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, max_rows, replace=False))


def held_out_losses(
    grams: Iterable[Array],
    targets: Sequence[Array],
    weight: Array,
    groups: Indices | None = None,
) -> Array:
    """The leave-one-out squared loss of a least-squares machine with each of the matrices.

    Infinite for a matrix that is zero or not positive semidefinite. Rows of one number in `groups`,
    of which there are two or more, are left out together. Inputs are checked.
    """
    Y = np.column_stack(targets)
    loss, ridges = leave_out(weight, blocks_of(groups)), usual_weight(weight) * np.array(_RIDGES)
    with threads_for(len(Y)):
        return np.array([min(_loss(K, Y, ridge, loss) for ridge in ridges) for K in grams])


def _loss(K: Array, Y: Array, ridge: float, loss: HeldOutLoss) -> float:
    size = float(K.diagonal().mean())
    if not 0.0 < size < np.inf:
        return np.inf
    try:
        return loss.value(fit_ls_svm(K / size, Y, ridge / loss.weight))
    except np.linalg.LinAlgError:
        return np.inf


def can_hold_out(groups: Indices | None) -> bool:
    """Whether something can be held out: all rows in one group cannot."""
    return groups is None or bool(np.ptp(groups) > 0)


def halves_of(n: int, groups: Indices | None) -> Mask | None:
    """One of two halves of n rows, or of their groups; None if one could hold nothing out."""
    if groups is None:
        return np.asarray(np.arange(n) % 2 == 0)
    half = np.asarray(codes_by_first_row(groups) % 2 == 0)
    enough = all(part.sum() >= n // 4 and can_hold_out(groups[part]) for part in (half, ~half))
    return half if enough else None
