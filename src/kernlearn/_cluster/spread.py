"""A table of this machine, spread over the workers of a cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster.scheduling import cluster_errors
from kernlearn.runtime.optional import load_dask_array
from kernlearn.typing import DaskObject

# Chunks for each thread: who is slower has fewer of them to do.
_FOR_A_THREAD = 2


def spread(client: DaskObject, table: NDArray[np.float64]) -> DaskObject:
    """The rows as a Dask array that lies in the memory of the workers."""
    with cluster_errors(OSError):
        n_chunks = _FOR_A_THREAD * max(1, sum(client.nthreads().values()))
        rows = -(-len(table) // n_chunks)
        return client.persist(load_dask_array("--cluster").from_array(table, (rows, -1)))
