"""How Cawley and Talbot (2014) ran Section 3: data sets, partitions, standardisation."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping

import numpy as np
from sklearn.preprocessing import StandardScaler

from kernlearn.datasets import PartitionedSet, load_ida, load_ripley
from kernlearn.papers.cawley2014.published import TABLE_1
from kernlearn.papers.paper import Request
from kernlearn.papers.splits import Split

__all__ = ["count_partitions", "divide", "fingerprint", "load_sets", "partitions_note"]

SYNTHETIC = "synthetic"
REPLICATES = dict(zip(TABLE_1, (row[2] for row in TABLE_1.values()), strict=True))


def load_sets(data_dir: str | os.PathLike[str] | None) -> dict[str, PartitionedSet]:
    """Load the fourteen sets of Table 1 by the paper's names."""
    return {
        name: load_ripley(data_dir)
        if name == SYNTHETIC
        else load_ida(name.replace(" ", "_"), data_dir)
        for name in REPLICATES
    }


def count_partitions(name: str, request: Request) -> int:
    """Return how many partitions of a set are run: as many as printed, or fewer if asked."""
    return min(REPLICATES[name], request.repetitions or REPLICATES[name])


def divide(data: PartitionedSet, index: int, seed: int) -> Split:
    """Return partition number `index`, with every input standardised.

    The paper says that attributes are standardised and not by what. The published sets already
    are, by all their points; here each partition is once more, by the mean and the standard
    deviation of its training part alone, so that nothing of the test part is known in training.

    Parameters
    ----------
    data : PartitionedSet
        What is divided.
    index : int
        Number of the partition.
    seed : int
        Seed of the partitions that were not published.

    Returns
    -------
    Split
    """
    train, test = data.rows(index, seed)
    scaler = StandardScaler().fit(data.X[train])
    X = scaler.transform(data.X[np.concatenate([train, test])])
    return Split(X, data.y[train], data.y[test])


def fingerprint(data: PartitionedSet) -> int:
    """Return a number that tells these points and divisions from any others."""
    value = 0
    for part in (data.X, data.y, data.train, data.test):
        value = zlib.crc32(np.ascontiguousarray(part).tobytes(), value)
    return value


def partitions_note(sets: Mapping[str, PartitionedSet], request: Request) -> str:
    """Say of each set how many of its partitions are published ones."""
    counts = []
    for name, data in sets.items():
        n = count_partitions(name, request)
        published = min(n, data.n_published)
        counts.append(f"{name} {published} + {n - published}")
    return (
        "Partitions, published + random of the published sizes: "
        f"{', '.join(counts)} (seed {request.seed}; the published one of {SYNTHETIC} is Ripley's "
        "own division). Inputs standardised by the training part of each."
    )
