"""What the letters of a formula mean, said once behind it."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import Any

import numpy as np

from kernlearn.formulas._text import vector

_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


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

    def vector(self, letter: str, values: Any) -> str:
        """The letter for these numbers, of which the first few are shown."""
        numbers = np.asarray(values, dtype=float)
        return self.name(letter, vector(numbers), tuple(np.ravel(numbers).tolist()))

    def __str__(self) -> str:
        return f", where {'; '.join(self._sentences)}" if self._sentences else ""
