"""The default bank of kernels, with widths chosen by held-out loss instead of the margin."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kernlearn.estimators.inputs.row_order import row_order
from kernlearn.estimators.mkl.column_bank import column_bank
from kernlearn.estimators.mkl.held_out_width import can_hold_out, held_out_losses, sample_rows
from kernlearn.estimators.mkl.stretched_bank import learned_scales, stretched
from kernlearn.kernels import Columns, Kernel
from kernlearn.kernels.bank import WITHOUT_TARGETS, bank_at, median_distance, screen_kernels
from kernlearn.numerics.rounding import first_least
from kernlearn.typing import Array, Indices

# Exponents p of γ = 2ᵖ/m² at which widths are tried, then those next to the best.
TRIED = (-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0)
# Fewer rows cannot choose among widths.
_FEWEST = 20
# Exponents of the bank's Gaussians relative to the best one: mostly wider, since the margin always
# prefers the narrowest.
_AROUND = (-4.0, -2.0, 0.0, 1.0)
_CLEARLY = 0.9  # share of the loss: a smaller gain is no reason to warn
_ROWS_FOR_COLUMNS = 400  # each half judges the choice of the other half


def choose_bank(
    X: Array,  # (N, d): the points, labelled ones first
    # (n,): targets. If all are equal, or fewer than twenty, widths cannot be told apart, and the
    # bank lies around the median distance. If all are equal, as for novelties, the bank holds
    # Gaussians alone: by these a row far out is like no other row, by other kernels like rows in
    # the same direction.
    targets: Sequence[Array],
    weight: Array,  # (n,): weights of the labelled points
    seed: int,  # for samples of the rows
    tried: Sequence[float] = TRIED,
    groups: Indices | None = None,  # (n,): rows of one number are held out together
) -> tuple[list[Kernel], list[str]]:
    """Kernels for the data, with notes; inputs are checked."""
    n = len(weight)
    # Samples and halves depend on the contents of rows, not on their order.
    order = _order(X[:n], np.column_stack(targets))
    X = np.concatenate([X[:n][order], X[n:]])
    targets, weight = [target[order] for target in targets], weight[order]
    groups = _groups_at(groups, order)
    median = median_distance(X, seed)
    rows = sample_rows(n, seed)
    sample = X[:n][rows]
    parts = [target[rows] for target in targets]
    exponents: Sequence[float] = WITHOUT_TARGETS
    notes: list[str] = []
    scales: Array | None = None
    varies = any(np.ptp(part) > 0 for part in parts)
    together = _groups_at(groups, rows)
    if len(rows) >= _FEWEST and varies and can_hold_out(together):
        best, pays = _best_exponent(sample, median, parts, weight[rows], tried, together)
        more = sample_rows(n, seed, _ROWS_FOR_COLUMNS)
        some = [target[more] for target in targets]
        data = X[more], some, weight[more], bank_at(median, [best])[-1], _groups_at(groups, more)
        by_column, by_scale = column_bank(*data), learned_scales(*data)
        if by_column is not None and (by_scale is None or by_column[1] < by_scale[1]):
            return by_column[0], [by_column[2]]
        if by_scale is not None:
            scales = by_scale[0]
            notes.append(by_scale[2])
            median = median_distance(X * scales, seed)
            known = parts, weight[rows], tried, together
            best, pays = _best_exponent(sample * scales, median, *known)
        exponents = [best + p for p in _AROUND]
        gamma = bank_at(median, [best])[-1].gamma
        notes.append(
            f"the Gaussians lie around gamma = {gamma:.3g}, which of {len(tried) + 2} widths has "
            f"the smallest leave-one-out loss on {len(rows)} rows"
        )
        if best > tried[-1] and pays:
            _warn_at_narrowest(gamma)
    bank = bank_at(median, exponents)
    if scales is not None:
        bank = [stretched(kernel, scales) for kernel in bank]
    kernels, left_out = screen_kernels(bank if varies else bank[2:], sample)
    return kernels, notes + left_out


def _warn_at_narrowest(gamma: float) -> None:
    warnings.warn(
        f"of the Gaussians tried, the narrowest (gamma = {gamma:.3g}) predicts held-out rows "
        "best, so that a better width may lie beyond the default bank; pass kernels of your own, "
        "or look for rows that are there twice",
        UserWarning,
        stacklevel=3,
    )


def _groups_at(groups: Indices | None, rows: Indices) -> Indices | None:
    return None if groups is None else groups[rows]


def _order(X: Array, Y: Array) -> NDArray[np.intp]:
    """The order of `row_order`, for numbers or for labels ±1 of classes."""
    is_class = bool((np.abs(Y) == 1.0).all())
    y = np.unique(Y, axis=0, return_inverse=True)[1].reshape(-1) if is_class else Y
    return row_order(X, y, np.arange(len(Y)), is_class)


def _best_exponent(
    X: Array,
    median: float,
    targets: Sequence[Array],
    weight: Array,
    tried: Sequence[float],
    groups: Indices | None,
) -> tuple[float, bool]:
    """The exponent, and whether it predicts clearly better than the widest one."""

    def losses(exponents: Sequence[float]) -> Array:
        gaussians = bank_at(median, exponents)[2:]
        return held_out_losses((k(X) for k in gaussians), targets, weight, groups)

    first = losses(tried)
    best = tried[first_least(first)]
    between = (best - 1.0, best + 1.0)
    found = np.append(first, losses(between))
    place = first_least(found)
    return (*tried, *between)[place], bool(found[place] < _CLEARLY * first[0])


def banks_of_views(
    X: Array,
    places: Mapping[str, slice],
    targets: Sequence[Array],
    weight: Array,
    seed: int,
    tried: Sequence[float] = TRIED,
    groups: Indices | None = None,
    matrices: Mapping[str, Kernel] | None = None,
) -> tuple[list[Kernel], list[str]]:
    """The default bank of every view, with notes on each; the bank of X without views.

    Rows that lack a view do not affect its widths. `matrices` holds the kernels of views that
    have one already.
    """
    if not places:
        return choose_bank(X, targets, weight, seed, tried, groups)
    kernels: list[Kernel] = []
    notes: list[str] = []
    for name, place in places.items():
        if matrices and name in matrices:
            kernels.append(Columns(place, matrices[name], name))
            continue
        view = X[:, place]
        there = _has_view(view, name)
        known = there[: len(weight)]
        those = [target[known] for target in targets], weight[known], seed, tried
        bank, view_notes = choose_bank(
            view[there], *those, _groups_at(groups, np.flatnonzero(known))
        )
        kernels += [Columns(place, kernel, name) for kernel in bank]
        notes += [f"{name}: {note}" for note in view_notes]
    return kernels, notes


def _has_view(view: Array, name: str) -> NDArray[np.bool_]:
    """Mask of the rows that have the view; rows that lack some of its cells are refused."""
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
