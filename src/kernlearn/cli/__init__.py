"""The command line."""

from __future__ import annotations

import sys

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

    app()
