"""Train/test splits of the data sets, and fingerprints of the data."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets import DataSet, RegressionSet
from kernlearn.datasets.sets import random_order
from kernlearn.typing import Rows


@dataclass(frozen=True, eq=False)
class TrainTestSplit:
    """Inputs and targets of the training rows and of the test rows."""

    X_train: Rows
    y_train: NDArray[Any]
    X_test: Rows
    y_test: NDArray[Any]

    @property
    def n_train(self) -> int:
        """Number of training rows."""
        return len(self.y_train)

    @property
    def ratio(self) -> float:
        """Test rows for each training row."""
        return len(self.y_test) / len(self.y_train)

    @property
    def X(self) -> NDArray[np.float64]:
        """All inputs, the training rows first."""
        return np.concatenate([self.X_train, self.X_test])

    @property
    def y(self) -> NDArray[Any]:
        """All targets, the training rows first."""
        return np.concatenate([self.y_train, self.y_test])


def draw_split(
    data: DataSet | RegressionSet, index: int, seed: int, share: float
) -> TrainTestSplit:
    """Draw split number `index` with this share of training rows; it depends on name and seed."""
    order = random_order(data.name, len(data.y), index, seed)
    train, test = np.split(order, [round(share * len(order))])
    return TrainTestSplit(data.X[train], data.y[train], data.X[test], data.y[test])


def fingerprint(*parts: NDArray[Any] | str) -> int:
    """Return a number that identifies these arrays and texts, in this order."""
    value = 0
    for part in parts:
        content = part.encode() if isinstance(part, str) else np.ascontiguousarray(part).tobytes()
        value = zlib.crc32(content, value)
    return value
