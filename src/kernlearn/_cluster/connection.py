"""A client of a scheduler whose address the user has named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kernlearn._cluster.scheduling import ClusterLost
from kernlearn.runtime.optional import load_distributed
from kernlearn.typing import DaskObject

# Seconds: a scheduler that is there answers in a few hundredths.
TIMEOUT = 10.0


@contextmanager
def connected(address: str, timeout: float = TIMEOUT) -> Iterator[DaskObject]:
    """A ``distributed.Client`` of the scheduler at an address, to which all tasks go meanwhile.

    After `timeout` seconds a scheduler, or the first of its workers, is taken to be missing.

    Raises
    ------
    ClusterLost
        In a sentence with the cure, if there is no scheduler, or none of its workers comes.
    ImportError
        Where Dask is not installed.
    """
    distributed = load_distributed("--cluster")
    try:
        _check_address(address)
        client = distributed.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise ClusterLost(
            f"expected a Dask scheduler at {address!r}, got no answer within {timeout:g} s; start "
            "one with the command dask scheduler, and name the address that it prints"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=timeout)
        except TimeoutError as error:
            raise ClusterLost(
                f"expected a worker at the Dask scheduler {address!r}, got none within "
                f"{timeout:g} s; start some with the command dask worker {address}"
            ) from error
        yield client


def _check_address(address: str) -> None:
    """Refuse what has no port: of an empty name Dask would make a cluster of its own."""
    port = address.rpartition(":")[2]
    if not (port.isdigit() and int(port) < 2**16) and not address.startswith("inproc://"):
        raise ValueError(f"no port in {address!r}")
