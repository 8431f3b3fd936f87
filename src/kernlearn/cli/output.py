"""What every command that writes a file checks first."""

from __future__ import annotations

import os
from pathlib import Path

from kernlearn.cli.failure import NO_RESULT, fail

__all__ = ["check_output", "system_message"]


def check_output(path: Path | None) -> None:
    """Refuse before the work what would fail after it."""
    if path is None:
        return
    if path.is_dir() or not path.parent.is_dir():
        fail(
            f"could not write {path}: expected the name of a file in an existing folder; create "
            "the folder, or choose another name.",
            NO_RESULT,
        )
    if not os.access(path.parent, os.W_OK):
        fail(f"could not write {path}: the folder is read-only for you; choose another.", NO_RESULT)


def system_message(error: OSError) -> str:
    """What the system said, without its number."""
    return error.strerror or str(error)
