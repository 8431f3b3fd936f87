"""Matrices that cannot fit into memory are refused before they are begun."""

from __future__ import annotations

import os


def check_fits(n_matrices: int, n_rows: int, n_columns: int) -> None:
    """Refuse kernel matrices that are larger than the memory of the machine."""
    size, memory = 8 * n_matrices * n_rows * n_columns, _physical_memory()
    if memory is not None and size > memory:
        matrices = "a matrix" if n_matrices == 1 else f"{n_matrices} matrices"
        raise ValueError(
            f"Kernel matrices must fit into memory ({memory / 2**30:.0f} GiB), got {matrices} of "
            f"{n_rows} x {n_columns} numbers ({size / 2**30:.0f} GiB); take fewer rows."
        )


def _physical_memory() -> int | None:
    """Bytes of memory, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
