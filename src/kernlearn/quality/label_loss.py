"""Several labels at once: each row may have any of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.quality.predictive import Link, LogLoss, PredictiveLoss
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class LabelLoss(LogLoss):
    """Cross-entropy of the labels, of which each has a probability of its own.

    >>> loss = LabelLoss(np.array([[1.0, 1.0], [-1.0, 1.0]]), np.ones(2))
    >>> loss.wrong(np.array([[2.0, -1.0], [-1.0, 1.0]])).tolist()
    [0.5, 0.0]
    """

    def wrong(self, predictions: Array) -> Array:
        """The share of the labels that signs predict wrongly."""
        return np.asarray(((predictions > 0) != (self.Y > 0)).mean(axis=1))

    def link(self, predictions: Array) -> Link | None:
        """Labels exclude none of the others."""
        return None

    def linked(self, predictions: Array) -> Array:
        """The predictions as they are."""
        return predictions

    @property
    def of_linked(self) -> PredictiveLoss:
        """The loss itself."""
        return self

    @property
    def other(self) -> PredictiveLoss | None:
        """None: labels have no order."""
        return None
