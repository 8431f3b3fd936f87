"""Data sets as a user has them: tables with a target, split at random."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.datasets import IDA_NAMES, UCI_REGRESSION_NAMES, PartitionedSet, load_ida
from kernlearn.datasets.folder import find_file
from kernlearn.datasets.sets import random_order
from kernlearn.datasets.uci import REGRESSION_FORMATS
from kernlearn.papers.splits import TrainTestSplit, fingerprint
from kernlearn.runtime.optional import load_pandas

if TYPE_CHECKING:
    import pandas as pd

TRAINING_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class TargetTable:
    """A data frame of numbers and text, some missing, and its target.

    `partitions` holds the published splits, where there are any.
    """

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    partitions: PartitionedSet | None = None

    @property
    def fingerprint(self) -> int:
        """A number that identifies these rows."""
        return fingerprint(self.X.to_csv(index=False), self.y)

    def split(self, index: int, seed: int) -> TrainTestSplit:
        """Split number `index`: published ones first, then of their sizes at random."""
        if self.partitions is not None:
            train, test = self.partitions.rows(index, seed)
        else:
            order = random_order(self.name, len(self.y), index, seed)
            train, test = np.split(order, [round(TRAINING_SHARE * len(order))])
        return TrainTestSplit(self.X.iloc[train], self.y[train], self.X.iloc[test], self.y[test])


def load_classes(data_dir: Path | None, names: Iterable[str] = IDA_NAMES) -> dict[str, TargetTable]:
    """The thirteen sets of Rätsch, Onoda and Müller."""
    pd = load_pandas("comparing methods")
    tables = {}
    for name in names:
        data = load_ida(name, data_dir)
        frame = pd.DataFrame(data.X, columns=[f"x{j}" for j in range(data.X.shape[1])])
        tables[name] = TargetTable(name, frame, data.y, data)
    return tables


def load_numbers(
    data_dir: Path | None, names: Iterable[str] = UCI_REGRESSION_NAMES
) -> dict[str, TargetTable]:
    """Five tables of UCI with their categories and missing cells; rows without target dropped."""
    pd = load_pandas("comparing methods")
    tables = {}
    for name in names:
        spelt = REGRESSION_FORMATS[name]
        path = find_file(data_dir, f"uci_reg/{name}.csv.gz", f"the table {name}")
        frame = pd.read_csv(path, na_values="?").dropna(subset=[spelt.target])
        y = frame[spelt.target].to_numpy(dtype=float)
        dropped = [column for column in (*spelt.dropped_columns, spelt.target) if column in frame]
        tables[name] = TargetTable(name, frame.drop(columns=dropped).reset_index(drop=True), y)
    return tables
