"""Numbers that people pass beside outcomes: times, weights, risks and probabilities."""

from __future__ import annotations

import reprlib

import numpy as np

from kernlearn.typing import Array, Rows


def as_numbers(values: Rows, name: str, cure: str) -> Array:
    """Real numbers of any shape as floats; the name and the cure are for the message."""
    try:
        # As floats, complex numbers would lose a part, and dates would be counts of nanoseconds.
        if np.asarray(values).dtype.kind in "cmM":
            raise TypeError
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        shown = reprlib.repr(values)
        raise ValueError(f"expected {name} that are numbers, got {shown}; {cure}") from None


def checked_times(times: Rows) -> Array:
    """The times at which a curve is read, as floats; infinity is beyond all times."""
    when = np.atleast_1d(as_numbers(times, "times", "pass for example [100.0, 365.0]"))
    if when.ndim != 1 or np.isnan(when).any():
        found = "NaN" if when.ndim == 1 else f"shape {when.shape}"
        raise ValueError(
            f"expected times of shape (k,), got {found}; pass one number for each time, the same "
            "times for all rows"
        )
    return when


def checked_weights(sample_weight: Rows, n_rows: int) -> Array:
    """Weights of the rows relative to the largest; ones if none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = as_numbers(sample_weight, "sample weights", "pass one number for each row")
    if weight.shape != (n_rows,):
        raise ValueError(
            f"expected a sample weight for each of {n_rows} rows, got shape {weight.shape}; pass "
            "one number for each row"
        )
    if not np.isfinite(weight).all() or weight.min() < 0.0 or weight.max() == 0.0:
        raise ValueError(
            "expected finite, non-negative sample weights, not all zero, got a smallest of "
            f"{weight.min():g} and a largest of {weight.max():g}; drop rows that should not count"
        )
    return np.asarray(weight / weight.max())
