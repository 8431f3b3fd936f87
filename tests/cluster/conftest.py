"""Dask collections: small tasks, and one cluster of processes for all tests that need it."""

import pytest

from kernlearn.gram import rows as rows_module


@pytest.fixture
def small_tasks(monkeypatch):
    """Let every chunk be a task of its own, however small."""
    monkeypatch.setattr(rows_module, "_WORTH_A_TASK", 0.0)


@pytest.fixture(scope="session")
def processes():
    """A cluster of two processes with one thread each."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1 GiB"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(processes):
    """The ambient client of that cluster."""
    from distributed import Client

    with Client(processes) as found:
        yield found
