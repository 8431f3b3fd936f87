"""The one place where CVXPY is imported."""

from __future__ import annotations

import importlib
from typing import Any


def load_cvxpy() -> Any:
    """
    Return the ``cvxpy`` module.

    It is imported at the first call, not with the package: the reference programs are optional,
    and CVXPY takes about a second to import.

    Raises
    ------
    ImportError
        When CVXPY is not installed; the message names the extra that brings it.
    """
    try:
        return importlib.import_module("cvxpy")
    except ImportError as error:
        raise ImportError(
            "The reference programs expect the package cvxpy, which could not be imported; "
            'install it with: pip install "kernlearn[reference]".'
        ) from error
