"""Checks of histograms."""

from __future__ import annotations

from typing import Any


def check_non_negative(X: Any, owner: str, name: str) -> Any:
    """Return a table of which no entry is negative."""
    values = X.data if hasattr(X, "tocsr") else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"{owner} needs histograms, without negative entries, got {values.min():.3g} in "
            f"{name}; choose columns of counts or shares, or another kernel."
        )
    return X
