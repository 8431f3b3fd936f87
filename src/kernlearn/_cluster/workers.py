"""The workers of the ambient client, if there is one."""

from __future__ import annotations

import sys

from kernlearn._cluster.scheduling import cluster_errors
from kernlearn.typing import DaskObject


def ambient_client() -> DaskObject:
    """The ``distributed.Client`` that tasks go to now, or None where threads run them."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


def room_on_workers(on_host: float) -> float:
    """Numbers that may be kept by all workers together: a quarter of their memory."""
    client = ambient_client()
    if client is None:
        return on_host
    with cluster_errors(OSError):
        workers = client.scheduler_info()["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    return sum(limits) / 32.0 if limits and all(limits) else on_host
