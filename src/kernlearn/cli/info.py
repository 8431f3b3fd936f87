"""`kernlearn info`: what is installed."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, metadata, version
from typing import Annotated, Any

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


def info(
    as_json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Print the versions in use, the optional extras present, cores and devices."""
    facts = _facts()
    if as_json:
        typer.echo(json.dumps(facts))
        return
    typer.echo(f"kernlearn {facts['kernlearn']}")
    typer.echo(f"python {facts['python']} on {facts['system']} {facts['machine']}")
    typer.echo(f"cores {facts['cores']}")
    typer.echo("devices: the processor; kernlearn uses no other")
    for package, found in facts["packages"].items():
        typer.echo(f"{package} {found or 'missing'}")
    for extra, packages in facts["extras"].items():
        typer.echo(f"extra {extra}: {_describe(extra, packages)}")


def _facts() -> dict[str, Any]:
    declared = metadata("kernlearn").get_all("Provides-Extra") or []
    return {
        "kernlearn": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "devices": ["cpu"],
        "packages": _versions(CORE),
        "extras": {name: _versions(wanted) for name, wanted in EXTRAS.items() if name in declared},
    }


def _versions(packages: tuple[str, ...]) -> dict[str, str | None]:
    return {package: installed_version(package) for package in packages}


def installed_version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _describe(extra: str, versions: dict[str, str | None]) -> str:
    missing = [package for package, found in versions.items() if found is None]
    if missing:
        return f'missing {", ".join(missing)} (pip install "kernlearn[{extra}]")'
    return ", ".join(f"{package} {found}" for package, found in versions.items())
