"""Files that are there whole, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["atomic_file"]


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name only once it is complete and on the disk.

    It is written under another name in the same folder and renamed at the end. If anything goes
    wrong on the way, an interruption included, it is removed, and a file that had the name before
    is still there as it was.

    Parameters
    ----------
    path : path
        Name of the file.

    Yields
    ------
    file
        Open for writing bytes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"done")
    ...     (Path(folder) / "a.txt").read_text()
    'done'
    """
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    unfinished = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.unfinished")
    # Not tempfile: its files are closed to everybody else, where a user's own are not.
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
