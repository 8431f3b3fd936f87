"""The one place where optional packages are imported, other than those that draw or compute.

They are pandas, pyarrow and skops, of the extra io, openpyxl, networkx, Dask, CVXPY, onnx and
GPyTorch.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, TypeAlias

Module: TypeAlias = Any  # of a package that has no types


def _load(module: str, purpose: str, extra: str = "io") -> Module:
    """The module; if it is missing, the error names the extra that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"{purpose} needs the package {package}, which is not installed: run "
            f'pip install "kernlearn[{extra}]"'
        ) from error


def load_arrow(purpose: str) -> Module:
    """The ``pyarrow`` module with its ``parquet``."""
    _load("pyarrow.parquet", purpose)
    return _load("pyarrow", purpose)


load_pandas = partial(_load, "pandas")
load_skops = partial(_load, "skops.io")
load_openpyxl = partial(_load, "openpyxl", extra="excel")
load_networkx = partial(_load, "networkx", extra="graphs")
load_dask = partial(_load, "dask", extra="dask")
load_dask_array = partial(_load, "dask.array", extra="dask")
load_distributed = partial(_load, "distributed", extra="dask")
load_cloudpickle = partial(_load, "cloudpickle", extra="dask")  # it comes with Dask
load_cvxpy = partial(_load, "cvxpy", extra="reference")
load_onnx = partial(_load, "onnx", extra="onnx")
load_gpytorch = partial(_load, "gpytorch", extra="gpytorch")
load_torch = partial(_load, "torch", extra="gpytorch")
