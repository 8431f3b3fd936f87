"""Failure of a command: one sentence on standard error, and a code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import typer

from kernlearn._cluster import ClusterLost
from kernlearn.inspection._text import plain

NO_RESULT = 1
BAD_USAGE = 2
STOPPED = 130
_MEMORY = "it needs more memory than there is; use fewer rows, or a machine with more"


def fail(message: str, code: int) -> NoReturn:
    """Print one sentence to standard error and leave with the code.

    Names of files, columns and classes are data: codes in them that would steer a terminal are
    shown as replacement characters.
    """
    typer.echo(f"kernlearn: {plain(message)}", err=True)
    raise typer.Exit(code)


@contextmanager
def failures(
    doing: str,
    where: object = None,
    stopped: str = "stopped; nothing was written.",
    otherwise: str | None = None,
) -> Iterator[None]:
    """Turn what may go wrong in a command into its sentence.

    `doing` is what could not be done, after "could not"; `where` the file that an error of the
    system is about, if the system does not name it; `stopped` what Ctrl-C leaves behind; and
    `otherwise` what is at fault if anything else goes wrong, where that can be told.
    """
    try:
        yield
    except KeyboardInterrupt:
        fail(stopped, STOPPED)
    except ClusterLost as error:
        fail(f"could not {doing}: {error}.", NO_RESULT)
    except OSError as error:
        path = error.filename or where
        message = f"{system_message(error)}{_cure(error, Path(str(path)))}"
        fail(f"could not read or write {path}: {message}.", NO_RESULT)
    except MemoryError as error:
        # NumPy's own message names an internal array.
        reason = str(error) if str(error).startswith("expected") else _MEMORY
        fail(f"could not {doing}: {reason}.", NO_RESULT)
    except RecursionError:
        fail(f"could not {doing}: something in it is nested too deeply; flatten it.", NO_RESULT)
    except (ImportError, ValueError) as error:
        fail(f"could not {doing}: {error}", NO_RESULT)
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        if otherwise is None:
            raise
        fail(f"could not {doing}: {otherwise} ({type(error).__name__}: {error}).", NO_RESULT)


def system_message(error: OSError) -> str:
    """The system's message, without its number."""
    return error.strerror or str(error)


def _cure(error: OSError, path: Path) -> str:
    """Advice on an error of the system, if there is any; begins with a semicolon."""
    if isinstance(error, FileNotFoundError):
        if not path.parent.is_dir():
            return f"; there is no folder {path.parent}"
        near = get_close_matches(path.name, [each.name for each in path.parent.iterdir()], 1, 0.8)
        return f"; try {path.with_name(near[0])}" if near else "; check its name"
    if isinstance(error, IsADirectoryError):
        return "; name a file in this folder"
    return "; check whose file it is" if isinstance(error, PermissionError) else ""
