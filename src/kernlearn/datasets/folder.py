"""Finding and reading a file in the user's data folder, or fetching it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch


class DataNotFoundError(FileNotFoundError):
    """A data file is not where it was looked for; the message says what to put where."""


def find_file(data_dir: str | os.PathLike[str] | None, relative: str, content: str) -> Path:
    """Return the path of a file in the data folder; `content` is what it holds, for the message."""
    if data_dir is None:
        raise DataNotFoundError(
            f"expected a data folder with {relative}, but none was given: name it with --data, "
            f"since {content} cannot be fetched in that form."
        )
    path = Path(data_dir) / relative
    if path.is_file():
        return path
    missing = "the file" if Path(data_dir).is_dir() else "the data folder itself"
    raise DataNotFoundError(
        f"expected {content} in {path}, but {missing} does not exist: "
        f"put {path.name} into {path.parent} or name another data folder."
    )


def load_arrays(path: Path, keys: tuple[str, ...], name: str) -> dict[str, NDArray[Any]]:
    """Return these arrays of a file written by :func:`numpy.savez`."""
    with np.load(path) as arrays:
        missing = [key for key in keys if key not in arrays.files]
        if missing:
            expected = f"{', '.join(keys[:-1])} and {keys[-1]}"
            raise ValueError(
                f"expected the arrays {expected} in {path}, got none named {', '.join(missing)}: "
                f"store {name} under these names."
            )
        return {key: arrays[key] for key in keys}


def fetch_or_explain(fetch: Callable[[], Bunch], content: str, relative: str) -> Bunch:
    """Return what `fetch` fetches; `relative` is the file that serves without a network.

    A broken connection is an OSError, an unknown or inactive table a ValueError.
    """
    try:
        return fetch()
    except (OSError, ValueError) as error:
        raise DataNotFoundError(
            f"expected {content}, but {'they' if content.endswith('s') else 'it'} could not be "
            f"fetched ({error}): give a data folder that holds {relative}."
        ) from error
