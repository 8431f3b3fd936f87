"""What is wrong with a table."""

from __future__ import annotations

__all__ = ["TableError"]


class TableError(ValueError):
    """A table cannot be used; the message says why and what to do."""
