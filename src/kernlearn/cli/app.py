"""The commands, put together; the module of one is imported when it is called for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from kernlearn import __version__

# Every one is a function of this name, in a module of this name.
COMMANDS = (
    "demo",
    "fit",
    "predict",
    "evaluate",
    "export",
    "report",
    "compare",
    "reproduce",
    "bench",
    "info",
)


@cache
def _command(name: str) -> Any:
    """A command; its signature is read once, however often the command runs in one process."""
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name)(getattr(import_module(f"kernlearn.cli.{name}"), name))
    return get_command(alone)


class _Commands(TyperGroup):
    """Imports the module of a command when it runs: importing the experiments takes a while."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, or None if there is none of that name."""
        if cmd_name not in COMMANDS:
            for known in COMMANDS:  # so that the intended one can be named
                self.get_command(ctx, known)
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _command(cmd_name)
        return self.commands[cmd_name]


app = typer.Typer(
    cls=_Commands,
    help="Learn the kernel from the data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(requested: bool) -> None:
    if requested:
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
