r"""Rows on many machines: the one folder that imports Dask.

A Dask collection is a table in chunks that lie, or are yet to be read, anywhere. `Chunked` is such
a table as a source of rows: what is done with a chunk is a task that runs where the chunk is, and
only its result travels. Tasks run on the ambient ``distributed.Client``, or on threads of this
process where there is none.
"""

from kernlearn._cluster.chunked import Chunked
from kernlearn._cluster.collections import is_lazy, on_this_machine, refuse_collection
from kernlearn._cluster.lazy import lazily
from kernlearn._cluster.scheduling import ClusterLost, connected
from kernlearn._cluster.tasks import ordered_results, results_as_completed, shared_argument, spread

__all__ = [
    "Chunked",
    "ClusterLost",
    "connected",
    "is_lazy",
    "lazily",
    "on_this_machine",
    "ordered_results",
    "refuse_collection",
    "results_as_completed",
    "shared_argument",
    "spread",
]
