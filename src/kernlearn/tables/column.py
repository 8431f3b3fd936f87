"""One column of a table, and what is done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

THINGS = ("sequence", "sparse row", "graph", "words")
USED = ("number", "category", "date", "row number", *THINGS)


@dataclass(frozen=True)
class Column:
    """A column as it was understood.

    Attributes
    ----------
    name : str
        As in the table.
    kind : str
        "number", "category", "date" and "row number" are used, and with views "sequence",
        "sparse row", "graph" and "words"; "constant", "identifier", "empty", "text", "dropped" and
        "group" are not.
    action : str
        What was done with it, in words.
    notation : str
        How its numbers or dates are written (:mod:`kernlearn.tables.notation`); empty for plain
        numbers and for dates like 2024-01-31.
    """

    name: str
    kind: str
    action: str
    notation: str = ""

    @property
    def is_used(self) -> bool:
        """Whether the model sees it."""
        return self.kind in USED


def columns_used(columns: Sequence[Column], *kinds: str) -> list[str]:
    """Names of the columns that the model sees, or of those of some kinds.

    >>> columns_used([Column("a", "number", ""), Column("b", "constant", "")])
    ['a']
    """
    return [c.name for c in columns if c.is_used and (not kinds or c.kind in kinds)]
