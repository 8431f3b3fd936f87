"""The one place where optional packages are imported, other than those that draw or compute.

They are pandas and pyarrow, of the extra io, networkx, and Dask.
"""

from __future__ import annotations

import importlib
from typing import Any


def load_pandas(purpose: str) -> Any:
    """Return the ``pandas`` module; where it is missing, say what needs it and how to get it."""
    return _load("pandas", purpose)


def load_arrow(purpose: str) -> Any:
    """Return the ``pyarrow`` module with its ``parquet``, as :func:`load_pandas` does."""
    _load("pyarrow.parquet", purpose)
    return _load("pyarrow", purpose)


def load_networkx(purpose: str) -> Any:
    """Return the ``networkx`` module, as :func:`load_pandas` does."""
    return _load("networkx", purpose, extra="graphs")


def load_dask(purpose: str) -> Any:
    """Return the ``dask`` module, as :func:`load_pandas` does."""
    return _load("dask", purpose, extra="dask")


def load_dask_array(purpose: str) -> Any:
    """Return the ``dask.array`` module, as :func:`load_pandas` does."""
    return _load("dask.array", purpose, extra="dask")


def load_cloudpickle(purpose: str) -> Any:
    """Return the ``cloudpickle`` module, which comes with Dask, as :func:`load_pandas` does."""
    return _load("cloudpickle", purpose, extra="dask")


def load_distributed(purpose: str) -> Any:
    """Return the ``distributed`` module, as :func:`load_pandas` does."""
    return _load("distributed", purpose, extra="dask")


def _load(module: str, purpose: str, extra: str = "io") -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{purpose} needs the package {package}, which is not installed: run "
            f'pip install "kernlearn[{extra}]"'
        ) from error
