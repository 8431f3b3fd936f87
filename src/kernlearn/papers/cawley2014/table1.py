"""Table 1: the fourteen sets."""

from __future__ import annotations

from kernlearn.papers.cawley2014.protocol import count_partitions, load_sets, partitions_note
from kernlearn.papers.cawley2014.published import TABLE_1, TABLE_1_COLUMNS
from kernlearn.papers.paper import Request
from kernlearn.papers.tables import ComparisonTable, Entry

__all__ = ["reproduce_table1"]

AT_HAND = "published partitions at hand"


def reproduce_table1(request: Request) -> ComparisonTable:
    """Load the sets and return their sizes beside the published ones."""
    sets = load_sets(request.data_dir)
    entries = []
    for name, data in sets.items():
        n_train, n_test = data.train.shape[1], data.test.shape[1]
        found = (n_train, n_test, count_partitions(name, request), data.X.shape[1])
        numbers = zip(TABLE_1_COLUMNS, TABLE_1[name], found, strict=True)
        entries += [
            Entry((name,), column, printed, [ours], ".0f") for column, printed, ours in numbers
        ]
        entries.append(Entry((name,), AT_HAND, None, [data.n_published], ".0f"))
    sources = tuple(f"{name}: {data.note}." for name, data in sets.items())
    return ComparisonTable(
        "Cawley and Talbot (2014), Table 1",
        ("data",),
        (*TABLE_1_COLUMNS, AT_HAND),
        tuple(entries),
        (partitions_note(sets, request), *sources),
    )
