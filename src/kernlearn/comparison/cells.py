"""One cell of a table of scores: a number, repetitions, or what scikit-learn's search left."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from kernlearn.typing import Array

_SPLIT = re.compile(r"split(\d+)_test_score")


def read_cell(cell: Any, data_set: Hashable, method: Hashable) -> Array:
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


def is_search_result(value: Any) -> bool:
    """Whether this is a ``cv_results_``, or what ``cross_validate`` returns."""
    return isinstance(value, Mapping) and any(
        isinstance(key, str) and re.match(r"(split\d+|mean)_test_|test_", key) for key in value
    )


def _fold_scores(results: Mapping[Any, Any], where: str) -> Any:
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


def _number(value: Any, where: str) -> float:
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
