"""`kernlearn info`: what is installed."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, metadata, version

import typer

from kernlearn import __version__

__all__ = ["info"]

CORE = ("numpy", "scipy", "scikit-learn", "piqp", "threadpoolctl")
EXTRAS = {
    "cli": ("typer", "rich"),
    "plot": ("matplotlib",),
    "reference": ("cvxpy",),
    "io": ("pandas", "pyarrow", "skops"),
    "gpu": ("torch", "array-api-compat"),
    "dask": ("dask", "distributed"),
}


def info() -> None:
    """Print the versions in use, the optional extras present, and the number of cores."""
    typer.echo(f"kernlearn {__version__}")
    typer.echo(f"python {platform.python_version()} on {platform.system()} {platform.machine()}")
    typer.echo(f"cores {os.cpu_count()}")
    for package in CORE:
        typer.echo(f"{package} {installed_version(package) or 'missing'}")
    declared = metadata("kernlearn").get_all("Provides-Extra") or []
    for extra, packages in EXTRAS.items():
        if extra in declared:
            typer.echo(f"extra {extra}: {_describe(extra, packages)}")


def installed_version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _describe(extra: str, packages: tuple[str, ...]) -> str:
    versions = {package: installed_version(package) for package in packages}
    missing = [package for package, found in versions.items() if found is None]
    if missing:
        return f'missing {", ".join(missing)} (pip install "kernlearn[{extra}]")'
    return ", ".join(f"{package} {found}" for package, found in versions.items())
