"""The default bank of every source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.kernels import Columns, Kernel
from kernlearn.typing import Array


def banks_of_views(
    X: Array,
    places: Mapping[str, slice],
    targets: Sequence[Array],
    weight: Array,
    seed: int,
) -> tuple[list[Kernel], list[str]]:
    """The default bank of every view, and what is to be said of each; of X itself without views.

    Rows that lack a view say nothing of its widths.
    """
    if not places:
        return choose_bank(X, targets, weight, seed)
    kernels: list[Kernel] = []
    notes: list[str] = []
    for name, place in places.items():
        view = X[:, place]
        there = _has_view(view, name)
        known = there[: len(weight)]
        bank, said = choose_bank(
            view[there], [target[known] for target in targets], weight[known], seed
        )
        kernels += [Columns(place, kernel, name) for kernel in bank]
        notes += [f"{name}: {note}" for note in said]
    return kernels, notes


def _has_view(view: Array, name: str) -> NDArray[np.bool_]:
    """Which rows have the view; what some cells of a row lack is no view that it lacks."""
    gaps = np.isnan(view)
    lacking = gaps.all(axis=1)
    if lacking.all():
        raise ValueError(
            f"expected some rows that have the view {name!r}, got none: all of its cells are "
            "missing; leave it out"
        )
    if (gaps.any(axis=1) & ~lacking).any():
        raise ValueError(
            f"expected rows that have all cells of the view {name!r} or none of them, got some "
            "that lack a few; fill these, for example with sklearn.impute.SimpleImputer"
        )
    return np.asarray(~lacking)
