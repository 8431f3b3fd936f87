"""Report of a broken law: its name, and the size of the violation."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from kernlearn.typing import Array, Rows


@dataclass(frozen=True)
class Laws:
    """Requirements in the name of one kind of object, which the messages call `kind`.

    `relative` is what different orders of summation may differ by, relative to the largest entry.
    """

    kind: str
    relative: float = 1e-8

    def require(self, holds: bool, sentence: str) -> None:
        """Raise an AssertionError with this sentence unless it holds."""
        # Not an assert statement: those vanish under ``python -O``.
        if not holds:
            raise AssertionError(f"{self.kind} law: {sentence}.")

    def require_close(self, left: ArrayLike, right: Array, law: str, K: Array) -> None:
        """Two arrays must agree up to rounding in entries of the size of K's."""
        shape = np.shape(left)
        self.require(shape == right.shape, f"{law}: the shapes are {shape}, {right.shape}")
        gap = float(np.abs(np.asarray(left) - right).max())
        allowed = self.relative * float(np.abs(K).max())
        sentence = f"{law}: broken by {gap:.3g}, with {allowed:.3g} allowed for rounding"
        self.require(gap <= allowed, sentence)

    def require_semidefinite(self, K: Array, name: str = "the matrix") -> None:
        """A matrix must have no negative eigenvalue but for rounding."""
        smallest = float(np.linalg.eigvalsh((K + K.T) / 2)[0])
        allowed = self.relative * float(np.abs(np.diagonal(K)).sum())
        self.require(
            smallest >= -allowed,
            f"{name} must be positive semidefinite, but its smallest eigenvalue is {smallest:.3g}, "
            f"with {-allowed:.3g} allowed for rounding",
        )

    def require_symmetric(self, K: Array, what: str) -> None:
        """A matrix, or each of a stack, must be symmetric to the last digit."""
        gap = float(np.abs(K - np.swapaxes(K, -1, -2)).max())
        self.require(gap == 0.0, f"{what} so only up to {gap:.3g}")

    def require_equal_copies(
        self, thing: Callable[..., Array], argument: Rows, square: Array
    ) -> None:
        """Clones, pickled and deep copies must give the same matrix to the last digit."""
        for word, copied in (
            ("a clone", clone(thing)),
            ("a pickled copy", pickle.loads(pickle.dumps(thing))),
            ("a deep copy", copy.deepcopy(thing)),
        ):
            gap = float(np.abs(copied(argument) - square).max())
            same = f"{word} must give the same matrix, but it differs by {gap:.3g}"
            self.require(gap == 0.0, same)
