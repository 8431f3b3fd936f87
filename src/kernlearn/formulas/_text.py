"""Numbers, exponents and columns as formulas show them."""

from __future__ import annotations

from typing import Any

import numpy as np

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
MOST_SHOWN = 4


def columns(names: Any) -> str:
    """The columns of a view, the first few of them by name."""
    if isinstance(names, slice):
        ends = ["" if end is None else str(end) for end in (names.start, names.stop)]
        return ":".join(ends if names.step is None else [*ends, str(names.step)])
    chosen = np.atleast_1d(names)
    return ", ".join(str(name) for name in chosen[:MOST_SHOWN].tolist()) + _more(len(chosen))


def transformer_name(transformer: Any) -> str:
    """The classes of a transformer and, of a pipeline, of its steps."""
    inner = getattr(transformer, "estimator", transformer)  # of a frozen one
    steps = getattr(inner, "steps", None)
    if steps:
        return ", ".join(transformer_name(step) for _, step in steps)
    return type(inner).__name__


def vector(values: Any) -> str:
    """The first few entries, and how many there are."""
    numbers = np.ravel(np.asarray(values, dtype=float))
    shown = ", ".join(number(value) for value in numbers[:MOST_SHOWN].tolist())
    return f"({shown}{_more(len(numbers))})"


def raised(exponent: int) -> str:
    """An exponent in small figures."""
    return "" if exponent == 1 else str(exponent).translate(_RAISED)


def number(value: float) -> str:
    """Three digits, with the minus sign of print.

    >>> number(0.00001234)
    '1.23e−5'
    """
    text = f"{value:.3g}".replace("-", "−")
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return mantissa
    sign = "−" if exponent[0] == "−" else ""
    return f"{mantissa}e{sign}{exponent.lstrip('+−').lstrip('0')}"


def _more(n: int) -> str:
    return f", … {n} in all" if n > MOST_SHOWN else ""
