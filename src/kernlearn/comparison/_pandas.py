"""The one place where the comparison imports pandas."""

from __future__ import annotations

import importlib
from typing import Any


def load_pandas() -> Any:
    """Return the ``pandas`` module, imported at the first call.

    Raises
    ------
    ImportError
        When pandas is not installed; the message names the extra that brings it.
    """
    try:
        return importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "comparing methods needs the package pandas, which is not installed: run "
            'pip install "kernlearn[io]"'
        ) from error
