"""Protocol of Cawley and Talbot (2014), Section 3: data sets, splits, standardisation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sklearn.preprocessing import StandardScaler

from kernlearn.datasets import PartitionedSet, load_ida, load_ripley
from kernlearn.papers.cawley2014.published import TABLE_1
from kernlearn.papers.exhibits import RunOptions
from kernlearn.papers.splits import TrainTestSplit

SYNTHETIC = "synthetic"


def replicates() -> dict[str, int]:
    """Return how many splits of each set Table 1 prints."""
    printed = "number of replicates"
    return {name: int(row[printed].number or 0) for (name,), row in TABLE_1.items()}


def load_sets(data_dir: Path | None) -> dict[str, PartitionedSet]:
    """Load the fourteen sets of Table 1 by the paper's names."""
    return {
        name: load_ripley(data_dir)
        if name == SYNTHETIC
        else load_ida(name.replace(" ", "_"), data_dir)
        for name in replicates()
    }


def count_splits(name: str, options: RunOptions) -> int:
    """Return how many splits of a set are run: as many as printed, or fewer if asked."""
    printed = replicates()[name]
    return min(printed, options.splits or printed)


def split_set(data: PartitionedSet, index: int, seed: int) -> TrainTestSplit:
    """Return split number `index`, with every input standardised.

    The paper says that attributes are standardised and not by what. The published sets already
    are, by all their points; here each split is once more, by the mean and the standard deviation
    of its training rows alone, so that training does not depend on the test rows.
    """
    train, test = data.rows(index, seed)
    scaler = StandardScaler().fit(data.X[train])
    parts = scaler.transform(data.X[train]), scaler.transform(data.X[test])
    return TrainTestSplit(parts[0], data.y[train], parts[1], data.y[test])


def splits_note(sets: Mapping[str, PartitionedSet], options: RunOptions) -> str:
    """Say of each set how many of its splits are published ones."""
    counts = []
    for name, data in sets.items():
        n = count_splits(name, options)
        published = min(n, data.n_published)
        counts.append(f"{name} {published} + {n - published}")
    return (
        "Splits, published + random of the published sizes: "
        f"{', '.join(counts)} (seed {options.seed}; the published one of {SYNTHETIC} is Ripley's "
        "own). Inputs standardised by the training rows of each."
    )
