"""Checks of kernel parameters, made when a kernel is called (constructors only store)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array

Check: TypeAlias = Callable[[Any, str], object]
"""Refuses a value of a parameter that it is told the name of."""


def check_declared(owner: object, checks: Iterable[tuple[str, Check]]) -> None:
    """Check every parameter that has a check."""
    for name, check in checks:
        check(getattr(owner, name), f"{type(owner).__name__}'s {name}")


def positive(value: object, name: str) -> float:
    """Return `value` as a float if it is a positive finite number."""
    if not _is_finite_number(value) or value <= 0:
        # Zero and infinity are what a sensible parameter rounds to where the data are extreme.
        is_extreme = isinstance(value, Real) and value in (0.0, math.inf)
        kind = NumericalError if is_extreme else ValueError
        raise kind(
            f"{name} must be a positive finite number, got {value!r}; choose a value above zero."
        )
    return float(value)


def non_negative(value: object, name: str) -> float:
    """Return `value` as a float if it is a finite number that is not negative."""
    if not _is_finite_number(value) or value < 0:
        raise ValueError(
            f"{name} must be a non-negative finite number, got {value!r}; choose zero or more, "
            "since anything else would not give a positive semidefinite kernel."
        )
    return float(value)


def positive_integer(value: object, name: str) -> int:
    """Return `value` as an int if it is a whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"{name} must be a positive integer, got {value!r}; choose 1, 2, 3, ..., since other "
            "powers need not give a positive semidefinite kernel."
        )
    return int(value)


def non_negative_vector(values: ArrayLike, name: str) -> Array:
    """Return `values` as an array if they are a list of numbers that are not negative."""
    vector = np.asarray(values)
    is_vector = vector.ndim == 1 and vector.size > 0 and vector.dtype.kind in "biuf"
    if not (is_vector and np.isfinite(vector).all() and vector.min() >= 0):
        raise ValueError(
            f"{name} must be a list of non-negative finite numbers, one for each column, got "
            f"{values!r}; choose zero or more for every column."
        )
    return vector.astype(np.float64, copy=False)


def one_for_each_column(
    values: ArrayLike, n_columns: int, name: str, each: str = "column of X"
) -> Array:
    """Return a list of numbers, already checked, as an array if there is one for each column."""
    vector = np.asarray(values, dtype=np.float64)
    if len(vector) != n_columns:
        column, short_name = each.split()[0], name.split()[-1]
        raise ValueError(
            f"{name} must hold one number for each {each}, got {len(vector)} for "
            f"{counted(n_columns, column)}; pass as many {short_name} as {column}s."
        )
    return vector


def _is_finite_number(value: object) -> TypeGuard[float]:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
