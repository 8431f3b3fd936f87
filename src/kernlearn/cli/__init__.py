"""The command line."""

from __future__ import annotations

import io
import os
import sys
import warnings
from functools import partial
from typing import TextIO

__all__ = ["main"]


def main() -> None:
    """Run the command line; without its optional packages, say how to install them."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ModuleNotFoundError as error:
        print(
            f"kernlearn: the command line needs the package {error.name}, which is not installed: "
            'run pip install "kernlearn[cli]".',
            file=sys.stderr,
        )
        sys.exit(1)
    from kernlearn.cli.app import app

    sys.stdout = _stdout_of_our_own(sys.stdout)
    warnings.showwarning = partial(print_note, set())
    app()


def _stdout_of_our_own(stdout: TextIO) -> TextIO:
    """Standard output for what this program prints; compiled code that prints goes to stderr.

    Solvers of linear algebra print to the process's standard output, some of it when the process
    ends. In a file of predictions or in JSON that would be damage.
    """
    try:
        ours = os.dup(stdout.fileno())
        os.dup2(sys.stderr.fileno(), stdout.fileno())
    except (OSError, AttributeError, io.UnsupportedOperation):  # closed, or no real stream
        return stdout
    # A character that a terminal cannot show is shown as its code instead of ending the program.
    return io.TextIOWrapper(
        os.fdopen(ours, "wb"),
        encoding=stdout.encoding,
        errors="backslashreplace",
        line_buffering=bool(stdout.line_buffering),
    )


def print_note(printed: set[str], message: Warning | str, *details: object, **more: object) -> None:
    """A warning as one line, without the place in the source that gave it, once."""
    from kernlearn.inspection._text import plain

    text = f"kernlearn: note: {plain(message)}"
    if text not in printed:
        printed.add(text)
        print(text, file=sys.stderr)
