"""Numbers of things."""

from __future__ import annotations

__all__ = ["counted"]


def counted(n: int, thing: str) -> str:
    """So many of a thing whose plural ends in s.

    >>> counted(1, "column"), counted(2, "column"), counted(12345, "row"), counted(0, "row")
    ('1 column', '2 columns', '12,345 rows', '0 rows')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
