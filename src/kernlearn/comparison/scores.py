"""The scores of all methods on all data sets, read from the forms in which they come."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat

import numpy as np

from kernlearn.runtime.optional import load_pandas
from kernlearn.typing import Array

ScoreTable = Any
"""A data frame, a mapping of columns, or an array; `read_scores` finds out which."""

_Names = Iterable[Hashable] | None
_FORMS = (
    "a DataFrame, a dict of columns, or an array of shape (data sets, methods) or "
    "(data sets, methods, repetitions)"
)
_SPLIT = re.compile(r"split(\d+)_test_score")


@dataclass(frozen=True, eq=False)
class Scores:
    """Checked scores: ``repetitions[i][j]`` are those of method j on data set i.

    There are as many for every method, the r-th of each from the same repetition.
    """

    data_sets: tuple[Hashable, ...]
    methods: tuple[Hashable, ...]
    repetitions: tuple[tuple[Array, ...], ...]

    @property
    def means(self) -> Array:
        """Mean scores, of shape (data sets, methods)."""
        return np.array([[cell.mean() for cell in row] for row in self.repetitions])

    @property
    def standard_errors(self) -> Array:
        """Standard errors s/√n of the means; nan where there is a single repetition."""
        return np.array([[_standard_error(cell) for cell in row] for row in self.repetitions])


def _standard_error(cell: Array) -> float:
    if len(cell) == 1:
        return float("nan")
    return float(cell.std(ddof=1) / np.sqrt(len(cell)))


def read_scores(table: ScoreTable, names: _Names = None, data_sets: _Names = None) -> Scores:
    """Read and check a table in any of the forms that `compare` takes."""
    if isinstance(table, load_pandas("comparing methods").DataFrame):
        _refuse(names, "names", "columns")
        _refuse(data_sets, "data_sets", "index")
        return _from_frame(table)
    if isinstance(table, Mapping):
        _refuse(names, "names", "keys")
        return _from_columns(table, data_sets)
    return _from_array(table, names, data_sets)


def _from_array(table: ScoreTable, names: _Names, data_sets: _Names) -> Scores:
    values = np.asarray(table, dtype=object)
    if values.ndim not in (2, 3):
        raise ValueError(
            f"expected {_FORMS}, got {type(table).__name__} of shape {values.shape}; "
            "put the data sets in rows and the methods in columns"
        )
    labels = _labels(data_sets, len(values), "data set", "data_sets")
    return _checked(labels, _labels(names, values.shape[1], "method", "names"), values)


def _from_frame(frame: ScoreTable) -> Scores:
    if frame.columns.nlevels > 1 or frame.index.nlevels > 2:
        raise ValueError(
            "expected one level of columns (the methods) and one or two of rows (data set, "
            f"repetition), got {frame.columns.nlevels} and {frame.index.nlevels}; "
            "move the others away with reset_index or stack"
        )
    labels, values = list(frame.index), frame.to_numpy(dtype=object)
    if frame.index.nlevels == 1:
        return _checked(labels, list(frame.columns), values)
    _check_once(labels, "repetition of a data set")
    places: dict[Hashable, list[int]] = {}
    for place, (data_set, _) in enumerate(labels):
        places.setdefault(data_set, []).append(place)
    return _checked(list(places), list(frame.columns), [values[rows].T for rows in places.values()])


def _from_columns(columns: Mapping[Hashable, ScoreTable], data_sets: _Names) -> Scores:
    by_method = {m: _by_data_set(m, column, data_sets) for m, column in columns.items()}
    labels = list(next(iter(by_method.values()), {}))
    for method, cells in by_method.items():
        odd = [label for label in [*labels, *cells] if (label in cells) != (label in labels)]
        if odd:
            raise ValueError(
                f"expected every method on the same data sets, got {odd[0]!r} for only one of "
                f"{next(iter(by_method))!r} and {method!r}; run both there, or leave it out"
            )
    rows = [[cells[label] for cells in by_method.values()] for label in labels]
    return _checked(labels, list(by_method), rows)


def _by_data_set(
    method: Hashable, column: ScoreTable, data_sets: _Names
) -> dict[Hashable, ScoreTable]:
    pd = load_pandas("comparing methods")
    is_dict = isinstance(column, Mapping)
    is_single = not is_dict and np.asarray(column, dtype=object).ndim == 0
    if is_single or is_search_result(column):
        raise ValueError(
            f"expected the scores of method {method!r} on several data sets, got "
            f"{repr(column) if is_single else 'one cv_results_'}; "
            "pass a list or dict with one entry per data set"
        )
    if is_dict:
        labels, cells = list(column), list(column.values())
    elif isinstance(column, (pd.Series, pd.DataFrame)):
        labels, cells = list(column.index), list(column.to_numpy(dtype=object))
    else:
        cells = list(column)
        labels = _labels(data_sets, len(cells), "data set", "data_sets")
        data_sets = None
    _refuse(data_sets, "data_sets", "keys of the columns")
    _check_once(labels, "data set")
    return dict(zip(labels, cells, strict=True))


def _checked(
    data_sets: Sequence[Hashable], methods: Sequence[Hashable], rows: Iterable[Iterable[ScoreTable]]
) -> Scores:
    for labels, what in ((methods, "method"), (data_sets, "data set")):
        _check_once(labels, what)
        if len(labels) < 2:
            raise ValueError(
                f"expected at least two {what}s to compare, got {len(labels)}; "
                "data sets are rows, methods are columns"
            )
    repetitions = []
    for data_set, row in zip(data_sets, rows, strict=True):
        cells = tuple(read_cell(cell, data_set, m) for cell, m in zip(row, methods, strict=True))
        counts = [len(cell) for cell in cells]
        if min(counts) != max(counts):
            raise ValueError(
                f"expected the same repetitions of every method on data set {data_set!r}, got "
                f"{min(counts)} and {max(counts)}; keep those that all methods share"
            )
        repetitions.append(cells)
    return Scores(tuple(data_sets), tuple(methods), tuple(repetitions))


def _labels(names: _Names, count: int, what: str, parameter: str) -> list[Hashable]:
    if names is None:
        return [f"{what} {i}" for i in range(1, count + 1)]
    labels = list(names)
    if len(labels) != count:
        raise ValueError(
            f"expected {count} names of {what}s in {parameter}, got {len(labels)}; "
            f"name every {what} once"
        )
    return labels


def _check_once(labels: Sequence[Hashable], what: str) -> None:
    names: set[Hashable] = set()
    for label in labels:
        if label in names:
            raise ValueError(f"expected every {what} once, got {label!r} twice; rename one")
        names.add(label)


def _refuse(names: _Names, parameter: str, place: str) -> None:
    if names is not None:
        raise ValueError(
            f"expected {parameter}=None where the table names them itself, got {parameter}; "
            f"rename the {place} instead"
        )


def read_cell(cell: ScoreTable, data_set: Hashable, method: Hashable) -> Array:
    """The scores in a cell, one per repetition."""
    where = f"for data set {data_set!r} and method {method!r}"
    if isinstance(cell, Mapping):
        cell = _fold_scores(cell, where)
    values = np.asarray(cell, dtype=object)
    if values.ndim > 1 or values.size == 0:
        raise ValueError(
            f"expected a score or a list of them {where}, got an array of shape {values.shape}; "
            "give one score per repetition"
        )
    return np.array([_number(value, where) for value in np.atleast_1d(values)])


def is_search_result(value: object) -> bool:
    """Whether this is a ``cv_results_``, or what ``cross_validate`` returns."""
    return isinstance(value, Mapping) and any(
        isinstance(key, str) and re.match(r"(split\d+|mean)_test_|test_", key) for key in value
    )


def _fold_scores(results: Mapping[str, ScoreTable], where: str) -> ScoreTable:
    """The scores of the folds: of the best candidate, where there are several."""
    if "test_score" in results:
        return results["test_score"]
    matches = [_SPLIT.fullmatch(str(key)) for key in results]
    keys = [m.group() for m in sorted(filter(None, matches), key=lambda m: int(m.group(1)))]
    if not keys or "rank_test_score" not in results:
        raise ValueError(
            f"expected the scores of one scoring function {where}, got a mapping without "
            "'test_score' or 'split0_test_score' and 'rank_test_score'; give the array of scores"
        )
    best = int(np.argmin(results["rank_test_score"]))
    return [results[key][best] for key in keys]


def _number(value: SupportsFloat | str | None, where: str) -> float:
    if isinstance(value, str):
        raise ValueError(
            f"expected a number {where}, got the text {value!r}; convert it, or, if these are "
            "names of data sets, make them the index of the table"
        )
    try:
        number = math.nan if value is None else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"expected a number {where}, got {value!r}; convert it") from None
    if math.isnan(number):
        raise ValueError(
            f"expected a number {where}, got a missing value; "
            "run the method there, or leave the data set or the method out"
        )
    if math.isinf(number):
        raise ValueError(f"expected a finite number {where}, got {number}; leave it out")
    return number
