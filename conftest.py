"""Tests and examples that need an optional package are skipped where it is not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from doctest import UnexpectedException
from importlib.util import find_spec
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"
# What the extras of pyproject.toml bring, by the names of the modules.
OPTIONAL = {
    "array_api_compat",
    "array_api_strict",
    "cloudpickle",
    "cvxpy",
    "dask",
    "distributed",
    "matplotlib",
    "gpytorch",
    "networkx",
    "onnx",
    "onnxruntime",
    "pandas",
    "pyarrow",
    "rich",
    "scikit_posthocs",
    "skops",
    "statsmodels",
    "typer",
}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        for failure in getattr(error, "failures", [error]):  # an example has several
            if isinstance(failure, UnexpectedException):
                yield from _causes(failure.exc_info[1])
        error = error.__cause__ or error.__context__


def _missing(error: BaseException) -> str | None:
    """Name the optional package that is not installed and that this error comes from."""
    for cause in _causes(error):
        name = (getattr(cause, "name", None) or "").partition(".")[0]
        if isinstance(cause, ImportError) and name in OPTIONAL and find_spec(name) is None:
            return name
    return None


def _skipped(
    report: pytest.CollectReport | pytest.TestReport, call: pytest.CallInfo, path: str
) -> None:
    package = None if call.excinfo is None else _missing(call.excinfo.value)
    if report.failed and package is not None:
        report.outcome = "skipped"
        report.longrepr = (path, 0, f"needs {package}, which is not installed")


def pytest_ignore_collect(collection_path):
    """Pass over the files of the package without an example, which are most of them.

    Those that make a package are kept: a name that it takes from a file of the same name is
    else that file's.
    """
    is_plain = collection_path.suffix == ".py" and collection_path.name != "__init__.py"
    if is_plain and SOURCE in collection_path.parents:
        return ">>>" not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Skip a file that cannot be imported."""
    report = yield
    path = str(collector.path)
    _skipped(report, report.call, path)
    if report.skipped:  # pytest leaves the half of the module that was imported
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) == path:
                del sys.modules[name]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Skip a test that imports the package itself, or a fixture of it."""
    report = yield
    _skipped(report, call, str(item.path))
    return report
