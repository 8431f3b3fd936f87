"""How a command fails."""

from __future__ import annotations

from typing import NoReturn

import typer

__all__ = ["BAD_USAGE", "NO_RESULT", "fail"]

NO_RESULT = 1
BAD_USAGE = 2


def fail(message: str, code: int) -> NoReturn:
    """Print one sentence to standard error and leave with the code."""
    typer.echo(f"kernlearn: {message}", err=True)
    raise typer.Exit(code)
