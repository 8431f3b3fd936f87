"""Sources from a TOML file: groups of columns, and files joined by an id."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernlearn.methods.view_files import ViewFiles, read_view_file
from kernlearn.tables import Column, TableError, columns_used

__all__ = ["found_views", "read_view_files", "read_views", "with_words"]

SHAPE = 'a table [views] with lines such as blood = ["iron", "sugar"]'


def read_view_files(path: Path) -> ViewFiles:
    """Read the sources that are in files of their own.

    Parameters
    ----------
    path : Path
        A TOML file with a table ``[views]``; views that are files have entries such as
        ``dna = {file = "dna.fasta"}``, and ``id = "patient"`` above the table names the column
        by which they are joined.

    Returns
    -------
    ViewFiles
        Without a view, where all are groups of columns.
    """
    content = _content(path)
    entries = {name: entry for name, entry in _views(path).items() if isinstance(entry, dict)}
    if entries and not isinstance(content.get("id"), str):
        raise TableError(
            f'expected a line such as id = "patient" above [views] in {path.name}, naming the '
            f"column by which files are joined, got {content.get('id')!r:.40}; add it"
        )
    for name in entries:
        _check_name(name)
    files = {name: read_view_file(name, entry, path.parent) for name, entry in entries.items()}
    return ViewFiles(str(content.get("id", "")), files)


def read_views(path: Path, columns: Sequence[Column]) -> dict[str, list[str]]:
    """Read the views: names of groups and the columns of each; of a file, the joined column.

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
    return {
        name: [name] if isinstance(entry, dict) else _checked(name, entry, columns, path)
        for name, entry in _views(path).items()
    }


def with_words(columns: Sequence[Column], path: Path) -> list[Column]:
    """The columns, with free text that a view names to be read as words."""
    entries = [entry for entry in _views(path).values() if isinstance(entry, list)]
    named = {name for entry in entries for name in entry if isinstance(name, str)}
    return [_as_words(column) if column.name in named else column for column in columns]


def found_views(columns: Sequence[Column]) -> tuple[list[Column], dict[str, list[str]]]:
    """The sources of a table with free text: every column of it, the numbers, the categories.

    Parameters
    ----------
    columns : sequence of Column
        What the columns are.

    Returns
    -------
    columns : list of Column
        With free text to be read as words.
    views : dict from str to list of str
        Empty where no column is free text.

    Examples
    --------
    >>> kinds = {"review": "text", "age": "number", "size": "category", "when": "date"}
    >>> found_views([Column(name, kind, "") for name, kind in kinds.items()])[1]
    {'review': ['review'], 'numbers': ['age', 'when'], 'categories': ['size']}
    """
    texts = [column.name for column in columns if column.kind == "text"]
    if not texts:
        return list(columns), {}
    named = {name.replace("__", "_") or "text": [name] for name in texts}
    groups = {
        "numbers": columns_used(columns, "number", "date"),
        "categories": columns_used(columns, "category"),
    }
    for group, names in groups.items():
        if names:
            named[group if group not in named else f"all {group}"] = names
    return [_as_words(column) for column in columns], named


def _as_words(column: Column) -> Column:
    if column.kind != "text":
        return column
    return replace(column, kind="words", action="weighted by how rare its words are (TF-IDF)")


def _content(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TableError(f"{path.name} is not TOML ({error}); expected {SHAPE}") from error


def _views(path: Path) -> Mapping[str, Any]:
    content = _content(path)
    views = content.get("views")
    if not isinstance(views, dict) or not views:
        raise TableError(f"expected {SHAPE} in {path.name}, got {sorted(content)[:8]}; add it")
    return views


def _check_name(view: str) -> None:
    if "__" in view or not view:
        raise TableError(f"expected names of views without '__', got {view!r}; rename it")


def _checked(view: str, names: object, columns: Sequence[Column], path: Path) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise TableError(f"expected a list of column names for view {view!r}, got {names!r:.60}")
    _check_name(view)
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
