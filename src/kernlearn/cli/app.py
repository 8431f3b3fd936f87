"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from kernlearn import __version__
from kernlearn.cli.bench import bench
from kernlearn.cli.compare import compare
from kernlearn.cli.demo import demo
from kernlearn.cli.fit import fit
from kernlearn.cli.info import info
from kernlearn.cli.predict import predict
from kernlearn.cli.report import report
from kernlearn.cli.reproduce import reproduce

__all__ = ["app"]

app = typer.Typer(
    help="Learn the kernel from the data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(fit)
app.command()(predict)
app.command()(report)
app.command()(compare)
app.command()(reproduce)
app.command()(bench)
app.command()(info)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"kernlearn {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    pass
