"""Standard errors of scores over rows, some of which may belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernlearn.typing import Array, Indices

# Parts of the units of which a jackknife leaves one out in turn.
BLOCKS = 10


def clustered_error(values: Array, units: Sequence[Indices]) -> float:
    r"""The standard error of a mean over rows that belong to units.

    Units are independent, and the rows of one are not, so that the variance of the mean is that of
    sums over units,

    .. math:: \frac{G}{G - 1} \frac{1}{n^2} \sum_g \Bigl(\sum_{i \in g} (v_i - \bar v)\Bigr)^2

    with G units and n rows.
    """
    n, rest = len(units), values - values.mean()
    sums = np.array([float(rest[rows].sum()) for rows in units])
    return float(np.sqrt(n / max(n - 1, 1) * (sums**2).sum())) / len(values)


def jackknife_error(score: Callable[[Indices], float | None], units: Sequence[Indices]) -> float:
    """The standard error of a score of rows, by leaving out one part of the units in turn."""
    order = np.random.default_rng(0).permutation(len(units))
    every = np.arange(sum(map(len, units)))
    parts = [part for part in np.array_split(order, BLOCKS) if len(part)]
    left = [np.setdiff1d(every, np.concatenate([units[i] for i in part])) for part in parts]
    scores = [score(rows) for rows in left if len(rows)]
    known = np.array([each for each in scores if each is not None and np.isfinite(each)])
    if len(known) < 2:
        return 0.0
    return float(np.sqrt((len(known) - 1) / len(known) * ((known - known.mean()) ** 2).sum()))
