"""The one place where skops is imported."""

from __future__ import annotations

import importlib
from typing import Any


def load_skops() -> Any:
    """Return the module ``skops.io``, imported at the first call.

    Raises
    ------
    ImportError
        When skops is not installed; the message names the extra that brings it.
    """
    try:
        return importlib.import_module("skops.io")
    except ImportError as error:
        raise ImportError(
            "model files need the package skops, which is not installed: run "
            'pip install "kernlearn[io]"'
        ) from error
