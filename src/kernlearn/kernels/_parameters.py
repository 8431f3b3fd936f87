"""Checks of kernel parameters, made when a kernel is called (constructors only store)."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from kernlearn.runtime.numerical_errors import NumericalError


def positive(value: Any, name: str) -> float:
    """Return `value` as a float if it is a positive finite number."""
    if not _is_finite_number(value) or value <= 0:
        # Zero and infinity are what a sensible parameter rounds to where the data are extreme.
        is_extreme = isinstance(value, Real) and value in (0.0, math.inf)
        kind = NumericalError if is_extreme else ValueError
        raise kind(
            f"{name} must be a positive finite number, got {value!r}; choose a value above zero."
        )
    return float(value)


def non_negative(value: Any, name: str) -> float:
    """Return `value` as a float if it is a finite number that is not negative."""
    if not _is_finite_number(value) or value < 0:
        raise ValueError(
            f"{name} must be a non-negative finite number, got {value!r}; choose zero or more, "
            "since anything else would not give a positive semidefinite kernel."
        )
    return float(value)


def positive_integer(value: Any, name: str) -> int:
    """Return `value` as an int if it is a whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(
            f"{name} must be a positive integer, got {value!r}; choose 1, 2, 3, ..., since other "
            "powers need not give a positive semidefinite kernel."
        )
    return int(value)


def _is_finite_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
