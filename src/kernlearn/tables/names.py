"""Names of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kernlearn.tables.errors import TableError

__all__ = ["check_names_differ"]


def check_names_differ(names: Sequence[str], path: Path) -> None:
    """Refuse a table in which a name could mean two columns."""
    counts = Counter(names)
    repeated = [name for name in counts if counts[name] > 1]
    if repeated:
        raise TableError(
            f"expected columns with different names in {path.name}, got {repeated[0]!r} more than "
            "once; rename them"
        )
