"""Finding a file in the user's data folder."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DataNotFoundError", "find_file"]


class DataNotFoundError(FileNotFoundError):
    """A data file is not where it was looked for; the message says what to put where."""


def find_file(data_dir: str | os.PathLike[str], relative: str, content: str) -> Path:
    """Return the path of a file in the data folder.

    Parameters
    ----------
    data_dir : path
        The data folder.
    relative : str
        Path of the file inside the folder, with forward slashes.
    content : str
        What the file holds, for the message when it is missing.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DataNotFoundError
        If the folder or the file does not exist.
    """
    path = Path(data_dir) / relative
    if path.is_file():
        return path
    missing = "the file" if Path(data_dir).is_dir() else "the data folder itself"
    raise DataNotFoundError(
        f"expected {content} in {path}, but {missing} does not exist: "
        f"put {path.name} into {path.parent} or name another data folder."
    )
