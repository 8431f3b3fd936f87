"""Data sets as a user has them: tables with a target, divided at random."""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernlearn.datasets import IDA_NAMES, UCI_REGRESSION_NAMES, PartitionedSet, load_ida
from kernlearn.datasets.folder import DataNotFoundError, find_file
from kernlearn.datasets.uci_regression import REGRESSION_FORMATS
from kernlearn.papers.contest import Division
from kernlearn.runtime.optional import load_pandas

__all__ = ["Table", "load_classes", "load_numbers"]

TRAINING_SHARE = 0.8


@dataclass(frozen=True, eq=False)
class Table:
    """A data frame and its target.

    Attributes
    ----------
    name : str
        Name of the set.
    X : DataFrame
        Inputs: numbers and text, some missing.
    y : ndarray
        Labels or numbers.
    partitions : PartitionedSet or None
        Published divisions, where there are any.
    """

    name: str
    X: Any
    y: Any
    partitions: PartitionedSet | None = None

    @property
    def fingerprint(self) -> int:
        """A number that tells these rows from any others."""
        text = self.X.to_csv(index=False).encode()
        return zlib.crc32(np.ascontiguousarray(self.y).tobytes(), zlib.crc32(text))

    def divide(self, index: int, seed: int) -> Division:
        """Division number `index`: published ones first, then of their sizes at random."""
        if self.partitions is not None:
            train, test = self.partitions.rows(index, seed)
        else:
            generator = np.random.default_rng([seed, zlib.crc32(self.name.encode()), index])
            order = generator.permutation(len(self.y))
            n_train = round(TRAINING_SHARE * len(self.y))
            train, test = order[:n_train], order[n_train:]
        return Division(self.X.iloc[train], self.y[train], self.X.iloc[test], self.y[test])


def load_classes(data_dir: str | os.PathLike[str] | None) -> dict[str, Table]:
    """The thirteen sets of Rätsch, Onoda and Müller."""
    pd = load_pandas("comparing methods")
    tables = {}
    for name in IDA_NAMES:
        data = load_ida(name, data_dir)
        frame = pd.DataFrame(data.X, columns=[f"x{j}" for j in range(data.X.shape[1])])
        tables[name] = Table(name, frame, data.y, data)
    return tables


def load_numbers(data_dir: str | os.PathLike[str] | None) -> dict[str, Table]:
    """Five tables of UCI with their categories and missing cells; rows without target dropped."""
    pd = load_pandas("comparing methods")
    if data_dir is None:
        raise DataNotFoundError(
            "expected a data folder with uci_reg/NAME.csv.gz, but none was given: name it with "
            "--data."
        )
    tables = {}
    for name in UCI_REGRESSION_NAMES:
        spelt = REGRESSION_FORMATS[name]
        path = find_file(data_dir, f"uci_reg/{name}.csv.gz", f"the table {name}")
        frame = pd.read_csv(path, na_values="?").dropna(subset=[spelt.target])
        y = frame[spelt.target].to_numpy(dtype=float)
        dropped = [column for column in (*spelt.dropped_columns, spelt.target) if column in frame]
        tables[name] = Table(name, frame.drop(columns=dropped).reset_index(drop=True), y)
    return tables
