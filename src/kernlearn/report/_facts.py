"""Reading of facts that may be missing: a fact of an unexpected form reads as missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


class Facts:
    """The facts of a bundle, by type.

    >>> facts = Facts({"seed": 3, "notes": ["one", 2]})
    >>> facts.number("seed"), facts.words("notes"), facts.text("task")
    (3.0, ['one', '2'], '')
    """

    def __init__(self, values: object) -> None:
        self.values: Mapping[str, Any] = values if isinstance(values, Mapping) else {}

    def text(self, key: str) -> str:
        """The value as text; empty if there is none."""
        value = self.values.get(key)
        return "" if value is None or isinstance(value, dict | list) else str(value)

    def number(self, key: str) -> float | None:
        """A finite number, or None."""
        value = self.values.get(key)
        return float(value) if _is_finite(value) else None  # type: ignore[arg-type]

    def words(self, key: str) -> list[str]:
        """The entries of a list as text; empty if there is none."""
        value = self.values.get(key)
        return [str(entry) for entry in value] if isinstance(value, list | tuple) else []

    def rows(self, key: str, width: int) -> list[list[float]]:
        """The rows of a table of finite numbers, those of that width; none if there is none.

        >>> Facts({"points": [[1, 2.5], [1], ["a", 2]]}).rows("points", 2)
        [[1.0, 2.5]]
        """
        value = self.values.get(key)
        entries = value if isinstance(value, list | tuple) else []
        return [
            [float(cell) for cell in entry]
            for entry in entries
            if isinstance(entry, list | tuple)
            and len(entry) == width
            and all(_is_finite(cell) for cell in entry)
        ]

    def part(self, key: str) -> Facts:
        """The facts one level down; none if there is no such level."""
        return Facts(self.values.get(key))

    def parts(self, key: str) -> list[Facts]:
        """The facts of every entry of a list."""
        value = self.values.get(key)
        entries = value if isinstance(value, list | tuple) else []
        return [Facts(entry) for entry in entries if isinstance(entry, Mapping)]

    def __bool__(self) -> bool:
        return bool(self.values)


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value)
