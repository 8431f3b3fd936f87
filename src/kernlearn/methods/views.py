"""Groups of columns from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from kernlearn.tables import Column, TableError

__all__ = ["read_views"]

SHAPE = 'a table [views] with lines such as blood = ["iron", "sugar"]'


def read_views(path: Path, columns: Sequence[Column]) -> dict[str, list[str]]:
    """Read the views: names of groups and the columns of each.

    Parameters
    ----------
    path : Path
        A TOML file with a table ``[views]``.
    columns : sequence of Column
        The columns of the table; those that are left out may be named and are left out here too.

    Returns
    -------
    dict from str to list of str
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TableError(f"{path.name} is not TOML ({error}); expected {SHAPE}") from error
    views = content.get("views")
    if not isinstance(views, dict) or not views:
        raise TableError(f"expected {SHAPE} in {path.name}, got {sorted(content)[:8]}; add it")
    return {name: _checked(name, names, columns, path) for name, names in views.items()}


def _checked(view: str, names: object, columns: Sequence[Column], path: Path) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TableError(f"expected a list of column names for view {view!r}, got {names!r:.60}")
    if "__" in view or not view:
        raise TableError(f"expected names of views without '__', got {view!r}; rename it")
    known = {column.name: column for column in columns}
    for name in names:
        if name not in known:
            raise TableError(
                f"view {view!r} of {path.name} names the column {name!r}, which the table does "
                "not have (or which is the target); correct the name"
            )
    if not any(known[name].is_used for name in names):
        raise TableError(f"view {view!r} of {path.name} has no column that can be used; add one")
    return list(dict.fromkeys(names))
