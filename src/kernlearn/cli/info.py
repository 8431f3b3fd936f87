"""`kernlearn info`: what is installed, and what there is to work on."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, metadata, version

import typer
from threadpoolctl import threadpool_info

from kernlearn import __version__
from kernlearn._device import HOST, cuda_devices, libraries
from kernlearn.cli.options import AsJson
from kernlearn.runtime.memory import available, in_words
from kernlearn.typing import Json

CORE = ("numpy", "scipy", "scikit-learn", "piqp", "threadpoolctl")
EXTRAS = {
    "cli": ("typer", "rich"),
    "plot": ("matplotlib",),
    "reference": ("cvxpy",),
    "io": ("pandas", "pyarrow", "skops"),
    "gpu": ("torch", "array-api-compat"),
    "dask": ("dask", "distributed"),
}


def info(as_json: AsJson = False) -> None:
    """Print versions, extras, cores, memory and the devices that --device can name."""
    facts = installation_facts()
    if as_json:
        typer.echo(json.dumps(facts))
        return
    typer.echo(f"kernlearn {facts['kernlearn']}")
    typer.echo(f"python {facts['python']} on {facts['system']} {facts['machine']}")
    memory = facts["memory"]
    free = "unknown" if memory is None else in_words(memory)
    typer.echo(f"cores {facts['cores']}, free memory {free}, BLAS {', '.join(facts['blas'])}")
    for gpu in facts["gpus"]:
        size = in_words(gpu["memory"])
        typer.echo(f"device {gpu['device']}: {gpu['name']}, {size}, by {gpu['by']}")
    if not facts["gpus"]:
        typer.echo(f"device {HOST} alone: {_no_gpu()}")
    for package, found in facts["packages"].items():
        typer.echo(f"{package} {found or 'missing'}")
    for extra, packages in facts["extras"].items():
        typer.echo(f"extra {extra}: {described_extra(extra, packages)}")


def installation_facts(extras: Mapping[str, tuple[str, ...]] = EXTRAS) -> Json:
    """Installed packages, devices, and packages that the optional parts lack."""
    gpus = cuda_devices()
    declared = metadata("kernlearn").get_all("Provides-Extra") or []
    return {
        "kernlearn": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "memory": available(),
        "blas": _blas(),
        "devices": [HOST, *(gpu["device"] for gpu in gpus)],
        "gpus": gpus,
        "packages": _versions(CORE),
        "extras": {
            name: _versions(packages) for name, packages in extras.items() if name in declared
        },
    }


def _blas() -> list[str]:
    """Linear algebra libraries, with their threads."""
    found = (part for part in threadpool_info() if part["user_api"] == "blas")
    described = (
        f"{part['internal_api']} {part['version']} ({part['num_threads']} threads)"
        for part in found
    )
    return list(dict.fromkeys(described))


def _no_gpu() -> str:
    """Reason why there is no other device."""
    found = [f"{library} {number}" for library, _, number in libraries()]
    if found:
        return f"{' and '.join(found)} find no CUDA device"
    return 'a GPU needs PyTorch or CuPy (pip install "kernlearn[gpu]")'


def _versions(packages: tuple[str, ...]) -> dict[str, str | None]:
    return {package: installed_version(package) for package in packages}


def installed_version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def described_extra(extra: str, versions: dict[str, str | None]) -> str:
    """The packages of an extra with their versions, or how to get those that are missing."""
    missing = [package for package, found in versions.items() if found is None]
    if missing:
        return f'missing {", ".join(missing)} (pip install "kernlearn[{extra}]")'
    return ", ".join(f"{package} {found}" for package, found in versions.items())
