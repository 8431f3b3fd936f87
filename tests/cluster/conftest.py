"""Dask collections: small tasks, and a small cluster."""

import pytest

from kernlearn._cluster.chunked import Chunked, TaskOptions


@pytest.fixture
def small_tasks(monkeypatch):
    """Let every chunk be a task of its own, however small."""
    monkeypatch.setattr(Chunked, "_options", TaskOptions(least_part=0.0))


@pytest.fixture(scope="module")
def in_process():
    """A cluster whose workers are threads of this process, which start at once."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster
