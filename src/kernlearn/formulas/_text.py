"""Numbers, exponents and columns as formulas show them, and the legend of their letters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import count

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MOST_SHOWN = 4


class Legend:
    """The sentences after "where", each said once.

    A letter that means two things gets a number, so that no formula says r = 1 and r = 2:

    >>> legend = Legend()
    >>> legend.name("r", "‖x − z‖ / 1"), legend.name("r", "‖x − z‖ / 2")
    ('r', 'r₂')
    >>> legend.name("r", "‖x − z‖ / 1"), str(legend)
    ('r', ', where r = ‖x − z‖ / 1; r₂ = ‖x − z‖ / 2')
    """

    def __init__(self) -> None:
        self._meanings: dict[str, Hashable] = {}
        self._sentences: list[str] = []

    def say(self, sentence: str) -> None:
        """Add a sentence, unless it is there."""
        if sentence not in self._sentences:
            self._sentences.append(sentence)

    def name(self, letter: str, text: str, meaning: Hashable = None, verb: str = "=") -> str:
        """The letter for this meaning, numbered from its second meaning on.

        `meaning` is what tells two of them apart where the text is shortened.
        """
        meant = text if meaning is None else meaning
        names = (letter if i == 1 else letter + str(i).translate(_LOWERED) for i in count(1))
        name = next(name for name in names if self._meanings.get(name, meant) == meant)
        self._meanings[name] = meant
        self.say(f"{name} {verb} {text}")
        return name

    def vector(self, letter: str, values: ArrayLike) -> str:
        """The letter for these numbers, of which the first few are shown."""
        numbers = np.asarray(values, dtype=float)
        return self.name(letter, vector(numbers), tuple(np.ravel(numbers).tolist()))

    def __str__(self) -> str:
        return f", where {'; '.join(self._sentences)}" if self._sentences else ""


def columns(names: int | str | slice | Sequence[int | str]) -> str:
    """The columns of a view, the first few of them by name."""
    if isinstance(names, slice):
        ends = ["" if end is None else str(end) for end in (names.start, names.stop)]
        return ":".join(ends if names.step is None else [*ends, str(names.step)])
    chosen = np.atleast_1d(names)
    return ", ".join(str(name) for name in chosen[:MOST_SHOWN].tolist()) + _more(len(chosen))


def transformer_name(transformer: BaseEstimator) -> str:
    """The classes of a transformer and, of a pipeline, of its steps."""
    inner = getattr(transformer, "estimator", transformer)  # of a frozen one
    steps = getattr(inner, "steps", None)
    if steps:
        return ", ".join(transformer_name(step) for _, step in steps)
    return type(inner).__name__


def vector(values: ArrayLike) -> str:
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
