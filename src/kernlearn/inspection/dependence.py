"""Dependence of predictions on a column, and on two columns together, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn._checks import check_count
from kernlearn.inspection._refits import Refits, refits
from kernlearn.kernels._validation import as_pandas_frame, check_table, is_frame, take_rows
from kernlearn.typing import Array, Indices, RandomState, Rows, Targets

# Rows over which outputs are averaged; for two columns, fewer, and a coarser grid.
_MOST_ROWS, _ROWS_OF_PAIRS, _GRID_OF_PAIRS = 200, 60, 6
# Values of a column that is drawn as bars, not as a line.
_FEW_VALUES = 10


def partial_dependence(
    model: BaseEstimator,
    X: Rows,
    column: int | str,
    y: Rows = None,
    *,
    groups: Rows = None,
    grid_size: int = 20,
    random_state: RandomState = 0,
) -> dict[str, Targets]:
    r"""Compute the mean prediction as a function of one column, with 95 % intervals.

    .. math:: g_j(v) = \frac1n \sum_i f(x_{i1}, \dots, v, \dots, x_{id})

    The interval says how well g is known from the training rows: by a jackknife over ten parts of
    the rows, each of which is left out of a refit.

    Parameters
    ----------
    model : estimator
        Fitted, with ``predict``.
    X : array-like or data frame of shape (n, d)
        Rows; predictions are averaged over at most 200 of them.
    column : int or str
        The column, by number or by name.
    y : array-like of shape (n,), optional
        The targets of the rows of X. With them, the model is fitted again to parts of X. Without
        them, KernelClassifier and KernelRegressor train their machines again on rows of their own,
        at fixed kernels and weights; other models then have no intervals.
    groups : array-like of shape (n,), optional
        Labels of rows that belong together, for refits by y.
    grid_size : int, default=20
        Values of a column of numbers: quantiles between 0.02 and 0.98. A column with few values, or
        of categories, has its own values.
    random_state : int, RandomState or None, default=0
        For the parts.

    Returns
    -------
    dict of ndarray
        "grid", the values v; "value" of shape (len(grid),), or (len(grid), n_classes) for more than
        two classes: predicted numbers, or the probability of the second class or of each class;
        with refits "low" and "high" of the same shape.

    See Also
    --------
    PartialDependenceDisplay : A picture of it.
    interactions : Pairs of columns that do not add up.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import KernelRegressor
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> model = KernelRegressor(["linear", "Gaussian"]).fit(X, X[:, 0])
    >>> found = partial_dependence(model, X, 0, grid_size=5)
    >>> bool(found["value"][-1] > found["value"][0] + 1.0)
    True
    >>> bool((found["low"] <= found["value"]).all())
    True
    """
    grid_size = check_count("grid_size", grid_size, usual=20)
    table = checked_table(X)
    place = column_place(table, column)
    model_refits = refits(model, table if y is not None else None, y, groups, random_state)
    return dependence_of(model_refits, _thinned(table, _MOST_ROWS), place, grid_size)


def dependence_of(
    model_refits: Refits, table: Rows, place: int, grid_size: int
) -> dict[str, Targets]:
    """The numbers of :func:`partial_dependence`, of refits and rows that are there."""
    grid = _grid(table, place, grid_size)
    value, half = model_refits.interval(
        _at_values(table, [place], [grid]), lambda found: _means(found, [grid])
    )
    found: dict[str, Targets] = {"grid": grid, "value": _flat(value)}
    if half is not None:
        found |= {"low": _flat(value - half), "high": _flat(value + half)}
    return found


def interactions(
    model: BaseEstimator,
    X: Rows,
    columns: Sequence[int | str],
    y: Rows = None,
    *,
    groups: Rows = None,
    random_state: RandomState = 0,
) -> dict[str, Targets]:
    r"""Measure how far the effects of two columns are from adding up, with 95 % intervals.

    With the mean prediction :math:`g_{jl}` as a function of two columns, centred, and
    :math:`g_j` and :math:`g_l` of each,

    .. math:: H_{jl} = \sqrt{\overline{\bigl(g_{jl} - g_j - g_l\bigr)^2}}

    in the units of the prediction (Friedman and Popescu 2008, not divided by the size of the joint
    effect): zero if the two columns add up.

    Parameters
    ----------
    model : estimator
        Fitted, with ``predict``.
    X : array-like or data frame of shape (n, d)
        Rows; predictions are averaged over at most 60 of them.
    columns : sequence of int or str
        The columns, of which every pair is measured.
    y : array-like of shape (n,), optional
        As in :func:`partial_dependence`.
    groups : array-like of shape (n,), optional
        As in :func:`partial_dependence`.
    random_state : int, RandomState or None, default=0
        For the parts.

    Returns
    -------
    dict of ndarray
        "first" and "second", the names of the columns; "value", the largest pair first; with refits
        "low" (not below zero) and "high".

    See Also
    --------
    partial_dependence : The effect of one column.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import KernelRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> model = KernelRegressor(["linear", "Gaussian"]).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    >>> found = interactions(model, X, [0, 1, 2])
    >>> found["first"][0], found["second"][0]
    ('x0', 'x1')
    """
    table = checked_table(X)
    places = [column_place(table, column) for column in columns]
    if len(set(places)) < 2:
        raise ValueError(
            f"interactions expected two columns at least, got {list(columns)}; name some more"
        )
    model_refits = refits(model, table if y is not None else None, y, groups, random_state)
    return interactions_of(model_refits, _thinned(table, _ROWS_OF_PAIRS), sorted(set(places)))


def interactions_of(model_refits: Refits, table: Rows, places: Sequence[int]) -> dict[str, Targets]:
    """The numbers of :func:`interactions`, of refits and rows that are there."""
    names = column_names(table)
    rows = []
    for j, l in combinations(places, 2):
        grids = [_grid(table, place, _GRID_OF_PAIRS) for place in (j, l)]
        made_rows = _at_values(table, [j, l], grids)
        value, half = model_refits.interval(made_rows, partial(_interaction, grids=grids))
        rows.append((names[j], names[l], float(value), None if half is None else float(half)))
    rows.sort(key=lambda row: -row[2])
    values = np.array([row[2] for row in rows])
    found: dict[str, Targets] = {
        "first": np.array([row[0] for row in rows], dtype=object),
        "second": np.array([row[1] for row in rows], dtype=object),
        "value": values,
    }
    if rows[0][3] is not None:
        halves = np.array([row[3] for row in rows], dtype=float)
        found |= {"low": np.maximum(values - halves, 0.0), "high": values + halves}
    return found


def _interaction(found: Array, grids: list[Targets]) -> Array:
    """The root mean square of what two columns do beyond the sum of their effects."""
    both = _means(found, grids).reshape(len(grids[0]), len(grids[1]), -1)
    both = both - both.mean(axis=(0, 1))
    rest = both - both.mean(axis=0) - both.mean(axis=1, keepdims=True)
    return np.asarray(np.sqrt((rest**2).mean(axis=(0, 1)).sum()))


def checked_table(X: Rows) -> Rows:
    """An array, or a data frame of pandas."""
    return as_pandas_frame(check_table(X, "X"))


def column_names(table: Rows) -> list[str]:
    """The names of the columns, x0, x1, ... of an array."""
    columns = table.columns if is_frame(table) else [f"x{j}" for j in range(table.shape[1])]
    return [str(name) for name in columns]


def column_place(table: Rows, column: int | str) -> int:
    """The number of a column."""
    names = column_names(table)
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, int | np.integer) and 0 <= int(column) < len(names):
        return int(column)
    raise ValueError(
        f"expected a column of X, {names[0]!r} or 0 for example, got {column!r}; X has "
        f"{len(names)} columns"
    )


def _thinned(table: Rows, n_rows: int) -> Rows:
    if table.shape[0] <= n_rows:
        return table
    rows: Indices = np.random.RandomState(0).permutation(table.shape[0])[:n_rows]
    return take_rows(table, np.sort(rows))


def _grid(table: Rows, place: int, size: int) -> Targets:
    """Values of a column: all, if they are few or no numbers, else quantiles."""
    column = table.iloc[:, place] if is_frame(table) else table[:, place]
    cells = np.asarray(column.dropna() if hasattr(column, "dropna") else column[column == column])
    if cells.dtype.kind not in "biuf":
        values, counts = np.unique(cells.astype(object), return_counts=True)
        return np.asarray(values[np.sort(np.argsort(-counts, kind="stable")[:size])])
    values = np.unique(cells)
    if len(values) <= min(_FEW_VALUES, size):
        return values
    return np.unique(np.quantile(cells, np.linspace(0.02, 0.98, size)))


def _means(found: Array, grids: list[Targets]) -> Array:
    """Mean outputs over the rows, for every combination of values of some columns."""
    n_cells = int(np.prod([len(grid) for grid in grids]))
    return np.asarray(found.reshape(n_cells, len(found) // n_cells, -1).mean(axis=1))


def _at_values(table: Rows, places: list[int], grids: list[Targets]) -> Rows:
    """All rows with every combination of values of some columns, combination by combination."""
    n = table.shape[0]
    cells = np.stack(np.meshgrid(*[np.arange(len(g)) for g in grids], indexing="ij"), -1)
    chosen = cells.reshape(-1, len(grids))
    rows = np.tile(np.arange(n), len(chosen))
    of_frame = is_frame(table)
    made: Rows = take_rows(table, rows)
    made = made.reset_index(drop=True) if of_frame else np.array(made)
    for number, (place, grid) in enumerate(zip(places, grids, strict=True)):
        values = np.repeat(grid[chosen[:, number]], n)
        if of_frame:
            made.isetitem(place, values)
            made = made.astype({made.columns[place]: table.dtypes.iloc[place]})
        else:
            made[:, place] = values
    return made


def _flat(values: Array) -> Array:
    return values[:, 0] if values.shape[1] == 1 else values
