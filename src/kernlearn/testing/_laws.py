"""How a broken law is told: which one, and by how much."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from kernlearn.typing import Array


@dataclass(frozen=True)
class Laws:
    """Requirements in the name of one kind of object.

    Parameters
    ----------
    kind : str
        What the messages call it, for example "Kernel".
    relative : float
        What different orders of summation may differ by, relative to the largest entry.
    """

    kind: str
    relative: float = 1e-8

    def require(self, holds: bool, sentence: str) -> None:
        """Raise an AssertionError with this sentence unless it holds."""
        # Not an assert statement: those vanish under ``python -O``.
        if not holds:
            raise AssertionError(f"{self.kind} law: {sentence}.")

    def require_close(self, left: Any, right: Array, law: str, K: Array) -> None:
        """Two arrays must agree up to rounding in entries of the size of K's."""
        shape = np.shape(left)
        self.require(shape == right.shape, f"{law}: the shapes are {shape}, {right.shape}")
        gap = float(np.abs(np.asarray(left) - right).max())
        allowed = self.relative * float(np.abs(K).max())
        sentence = f"{law}: broken by {gap:.3g}, with {allowed:.3g} allowed for rounding"
        self.require(gap <= allowed, sentence)

    def require_equal_copies(self, thing: Any, argument: Any, square: Array) -> None:
        """Clones, pickled and deep copies must give the same matrix to the last digit."""
        for word, copied in (
            ("a clone", clone(thing)),
            ("a pickled copy", pickle.loads(pickle.dumps(thing))),
            ("a deep copy", copy.deepcopy(thing)),
        ):
            gap = float(np.abs(copied(argument) - square).max())
            same = f"{word} must give the same matrix, but it differs by {gap:.3g}"
            self.require(gap == 0.0, same)
