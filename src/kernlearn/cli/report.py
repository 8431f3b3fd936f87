"""`kernlearn report`: the report of a model file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from kernlearn.bundle import ModelBundle
from kernlearn.cli.bundles import DAMAGED, read_bundle
from kernlearn.cli.failure import failures
from kernlearn.cli.options import Quietly
from kernlearn.cli.output import check_outputs, goes_to_stdout, say
from kernlearn.cli.problem import CommandOptions


def report(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="Model file written by kernlearn fit.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the report into this file (HTML); by default named as the model, in the "
            "folder you are in."
        ),
    ] = None,
    quiet: Quietly = False,
) -> None:
    """Write the report of a model: one HTML file that needs nothing else."""
    out = Path(f"{model.stem}.html") if out is None else out
    check_outputs([out], [model])
    with failures(f"report on {model.name}", f"{model} or {out}", otherwise=DAMAGED):
        pictures = (context.obj or CommandOptions()).pictures
        write_html(read_bundle(model), out, pictures)
    if not quiet:
        say(f"written: {out}", err=goes_to_stdout(out))


def write_html(bundle: ModelBundle, path: Path, pictures: Collection[str] | None = None) -> None:
    """Write the report of a bundle."""
    # Pictures and templates take time to import, and few commands need them.
    from kernlearn.report import write_report

    write_report(bundle, path, pictures)
