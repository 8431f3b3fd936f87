"""Sources from a TOML file: groups of columns, and files joined to the rows by an id."""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, load_npz

from kernlearn.runtime.optional import load_networkx, load_pandas
from kernlearn.runtime.phrases import counted
from kernlearn.tables import Column, TableError, columns_used
from kernlearn.tables.typed import as_text
from kernlearn.typing import Json, PandasFrame

SHAPE = 'a table [views] with lines such as blood = ["iron", "sugar"]'


def read_view_files(path: Path) -> ViewFiles:
    """Read the sources that are in files of their own; there may be none.

    Views that are files have entries such as ``dna = {file = "dna.fasta"}`` in the table
    ``[views]``, and ``id = "patient"`` above it names the column by which they are joined.
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
    files = {name: _read_view_file(name, entry, path.parent) for name, entry in entries.items()}
    return ViewFiles(str(content.get("id", "")), files)


def read_views(path: Path, columns: Sequence[Column]) -> dict[str, list[str]]:
    """The columns of each group of the table ``[views]``; for a file, the joined column.

    Columns of the table that are left out may be named, and are left out here too.
    """
    return {
        name: [name] if isinstance(entry, dict) else _checked(name, entry, columns, path)
        for name, entry in _views(path).items()
    }


def with_words(columns: Sequence[Column], path: Path) -> list[Column]:
    """The columns, with free text that a view names to be read as words."""
    entries = [entry for entry in _views(path).values() if isinstance(entry, list)]
    named = {name for entry in entries for name in entry if isinstance(name, str)}
    return [as_words(column) if column.name in named else column for column in columns]


def found_views(columns: Sequence[Column]) -> tuple[list[Column], dict[str, list[str]]]:
    """The sources of a table with free text: every column of it, the numbers, the categories.

    Columns of free text are to be read as words; there are no views if no column is free text.

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
    return [as_words(column) for column in columns], named


def as_words(column: Column) -> Column:
    """The column, free text to be read as words."""
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


GRAPH_FILES = (".graphml", ".edges", ".edgelist", ".txt")
FILE_SHAPE = (
    '{file = "dna.fasta"}, {file = "terms.npz", ids = "terms.txt"} or {folder = "graphs"}, whose '
    "paths begin at the TOML file"
)


@dataclass(frozen=True, eq=False)
class FileView:
    """A source that was read."""

    kind: str
    """'sequence', 'sparse row' or 'graph'."""
    things: Mapping[str, Any]
    """By id: text, a sparse matrix of one row, or arrays of edges and labels."""
    origin: str
    """Name of the file or folder."""


@dataclass(frozen=True, eq=False)
class ViewFiles:
    """All sources in files, and the column of the table that holds their ids."""

    id_column: str
    views: Mapping[str, FileView]

    def columns(self) -> list[Column]:
        """Descriptions of the joined columns."""
        return [
            Column(name, view.kind, f"read from {view.origin}, by {self.id_column!r}")
            for name, view in self.views.items()
        ]

    def joined(self, frame: PandasFrame) -> PandasFrame:
        """The table with a column for every source, empty where a row's id has none."""
        if not self.views:
            return frame
        pd = load_pandas("reading a table")
        if self.id_column not in frame.columns:
            raise TableError(
                f"expected the column {self.id_column!r}, whose ids join the files of --views, in "
                "the table, got a table without it; add it"
            )
        ids = as_text(frame[self.id_column])
        added = {}
        for name, view in self.views.items():
            if name in frame.columns:
                raise TableError(
                    f"expected names of views other than those of columns, got {name!r} for both; "
                    "rename the view"
                )
            cells = [view.things.get(key) for key in ids]
            added[name] = pd.Series(cells, frame.index, dtype=object)
        return frame.assign(**added)

    def check_matches(self, frame: PandasFrame) -> None:
        """Refuse files that have nothing to say of any row of the table."""
        for name, view in self.views.items():
            if frame[name].isna().all():
                here, there = as_text(frame[self.id_column])[0], next(iter(view.things))
                raise TableError(
                    f"expected ids of the column {self.id_column!r} in {view.origin}, got none of "
                    f"them (the table has for example {here!r}, the file {there!r}); write both in "
                    "the same way"
                )


def _read_view_file(name: str, entry: Mapping[str, Any], folder: Path) -> FileView:
    """Read one source: ``file`` and, for a sparse matrix, ``ids``; or ``folder``."""
    if not all(isinstance(value, str) for value in entry.values()) or set(entry) not in (
        {"file"},
        {"file", "ids"},
        {"folder"},
    ):
        raise TableError(f"expected {FILE_SHAPE} for view {name!r}, got {dict(entry)!r:.80}")
    if "folder" in entry:
        return FileView("graph", _graphs(folder / entry["folder"]), entry["folder"])
    path = folder / entry["file"]
    if not path.is_file():
        raise TableError(f"view {name!r} reads {path}, which is no file; correct its name")
    if path.suffix.lower() == ".npz":
        if "ids" not in entry:
            raise TableError(
                f"view {name!r} expected ids beside the sparse matrix {path.name}, got none; name "
                'a text file with an id in each line: ids = "rows.txt"'
            )
        return FileView("sparse row", _sparse_rows(path, folder / entry["ids"]), path.name)
    return FileView("sequence", _sequences(path), path.name)


def _unique(pairs: Iterable[tuple[str, Any]], origin: str) -> Json:
    found: Json = {}
    for key, thing in pairs:
        if key in found:
            raise TableError(f"expected every id once in {origin}, got {key!r} twice; remove one")
        found[key] = thing
    if not found:
        raise TableError(f"expected entries with ids in {origin}, got none; correct the name")
    return found


def _text_lines(path: Path) -> list[str]:
    opened: Callable[..., Any] = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            return [line.strip() for line in file]
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise TableError(f"{path.name} is no text in UTF-8 ({error}); convert it") from error


def _sequences(path: Path) -> dict[str, str]:
    """FASTA: a line that begins with > and an id, then the letters in any number of lines."""
    found: list[tuple[str, list[str]]] = []
    for number, line in enumerate(_text_lines(path), start=1):
        if line.startswith(">"):
            found.append(((line[1:].split() or [""])[0], []))
        elif line and not found:
            raise TableError(
                f"expected FASTA in {path.name}, a line such as '>P12345' above every sequence, "
                f"got {line[:40]!r} in line {number}; for a sparse matrix, the name ends in .npz"
            )
        elif line:
            found[-1][1].append(line)
    return _unique(((key, "".join(parts)) for key, parts in found), path.name)


def _sparse_rows(path: Path, ids: Path) -> dict[str, csr_array]:
    try:
        matrix = csr_array(load_npz(path))
    except Exception as error:  # whatever numpy and scipy raise for other kinds of files
        raise TableError(
            f"{path.name} holds no matrix of scipy.sparse.save_npz ({error}); save it by that"
        ) from error
    if not ids.is_file():
        raise TableError(f"the ids of {path.name} should be in {ids}, which is no file")
    keys = [line for line in _text_lines(ids) if line]
    if len(keys) != matrix.shape[0]:
        raise TableError(
            f"expected an id in {ids.name} for each of the {matrix.shape[0]} rows of {path.name}, "
            f"got {counted(len(keys), 'id')}; write one in each line"
        )
    if matrix.dtype.kind not in "biuf" or not np.isfinite(matrix.data).all():
        raise TableError(f"expected finite numbers in {path.name}, got others; remove them")
    matrix.sum_duplicates()
    rows = (csr_array(matrix[[i]], dtype=float) for i in range(len(keys)))
    return _unique(zip(keys, rows, strict=True), ids.name)


def _graphs(folder: Path) -> Json:
    """One graph in each file, its name the id."""
    if not folder.is_dir():
        raise TableError(f"expected a folder of graphs, got {folder}, which is none; correct it")
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in GRAPH_FILES)
    if not paths:
        raise TableError(
            f"expected graphs in {folder.name}, files that end in {', '.join(GRAPH_FILES)}, got "
            "none; GraphML, or lists of edges with two nodes in each line, will do"
        )
    return _unique(((path.stem, _graph(path)) for path in paths), folder.name)


def _graph(path: Path) -> Json:
    networkx = load_networkx("reading graphs")
    try:
        if path.suffix.lower() == ".graphml":
            graph = networkx.read_graphml(path)
        else:
            graph = networkx.read_edgelist(path, data=False)
    except Exception as error:  # from XML, networkx or the encoding
        raise TableError(f"{path.name} holds no graph that networkx reads ({error})") from error
    if len(graph) == 0:
        raise TableError(f"expected a node at least in {path.name}, got none; remove the file")
    numbers = {node: i for i, node in enumerate(graph)}
    return {
        "edges": np.array([(numbers[a], numbers[b]) for a, b in graph.edges()]).reshape(-1, 2),
        "labels": np.array([str(label) for _, label in graph.nodes(data="label", default="")]),
    }
