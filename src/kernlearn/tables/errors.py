"""What is wrong with a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


class TableError(ValueError):
    """A table cannot be used; the message says why and what to do."""


def check_names_differ(names: Sequence[str], table: str) -> None:
    """Refuse a table in which a name could mean two columns."""
    counts = Counter(names)
    repeated = [name for name in counts if counts[name] > 1]
    if repeated:
        raise TableError(
            f"expected columns with different names in {table}, got {repeated[0]!r} more than "
            "once; rename them"
        )
