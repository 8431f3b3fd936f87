"""From several sources, or a table with free text, to the numbers that kernels take.

Every source is a prepared table of its own, "in genes" for example. The columns of numbers and
categories of all sources side by side are the table that single tables have, and a last one has
all sources side by side, for kernels that combine them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from kernlearn.estimators.inputs.sources import KernelRows, Sources
from kernlearn.estimators.mixture.preparation.column_kinds import (
    CATEGORY,
    GRAPH,
    KERNEL,
    LEFT_OUT,
    NUMBER,
    SEQUENCE,
    SOURCE_KINDS,
    TEXT,
    ColumnKinds,
    checked_kinds,
    described,
)
from kernlearn.estimators.mixture.preparation.source_parts import (
    KernelPart,
    SourcePart,
    SparsePart,
    TablePart,
    TextPart,
    ThingPart,
)
from kernlearn.estimators.mixture.preparation.sparse_columns import SparsePreparation
from kernlearn.estimators.mixture.preparation.table import (
    RANKED,
    STANDARD,
    AnyPreparation,
    NumericRows,
    Preparation,
)
from kernlearn.estimators.mkl.thing_kernels import kernels_of_graphs, kernels_of_sequences
from kernlearn.kernels._validation import is_frame, is_missing
from kernlearn.runtime.optional import load_pandas
from kernlearn.runtime.phrases import counted
from kernlearn.tables.describe import describe_cells
from kernlearn.typing import Array, Indices, Rows, Things

SOURCES = "all sources"
# Prefix of the name of a source's table.
_IN = "in "
_OTHERS = "other columns"
# Strings without blanks are sequences: least mean length, and most different letters.
_LENGTH, _LETTERS = 8, 30


@dataclass(frozen=True, eq=False, repr=False)
class NamedPart:
    """One part of the rows: the place of its cells, and their preparation."""

    name: str  # in reports
    source: str | None  # which source its cells are in; None for the table itself
    place: int | None  # which column of that; None for all columns
    part: SourcePart

    def cells(self, rows: Rows) -> Rows:
        """The cells that the part reads."""
        table = rows if self.source is None else rows[self.source]
        if isinstance(self.part, TablePart):
            return _as_table(table, self.name)
        return table if self.place is None else table.iloc[:, self.place]


@dataclass(frozen=True, eq=False, repr=False)
class SourcesPreparation:
    """The preparation of every source as numbers."""

    parts: list[NamedPart]
    kinds: dict[str, str]  # kinds of columns and sources, in words

    def __repr__(self) -> str:
        is_table = all(one.source is None for one in self.parts)
        what = counted(len(self.kinds), "column" if is_table else "source")
        return f"Preparation of {what}:\n{described(self.kinds)}"

    @property
    def names(self) -> list[str]:
        """Names for relevance: sources, and the columns of a table with free text."""
        return [name for part in self.parts for name in self._units(part)]

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables to try."""
        tables = [STANDARD]
        if any(isinstance(one.part, TablePart) and one.part.is_bent for one in self.parts):
            tables.append(RANKED)
        if len(self.parts) > 1:
            return (*tables, *(_IN + one.name for one in self.parts), SOURCES)
        only = self.parts[0].part
        return (
            tuple(tables) if isinstance(only, TablePart) else (STANDARD, _IN + self.parts[0].name)
        )

    @property
    def blocks(self) -> list[SourceBlock]:
        """The columns of the table of all sources that belong together."""
        found, start = [], 0
        for number, one in enumerate(self.parts):
            for width in one.part.widths:
                stop = start + width
                scales = one.part.scales if isinstance(one.part, TablePart) else None
                place = slice(start, stop)
                found.append(SourceBlock(number, place, one.part.are_features, scales))
                start = stop
        return found

    @property
    def has_columns(self) -> bool:
        """Whether any source has columns of numbers or categories."""
        return any(isinstance(one.part, TablePart) for one in self.parts)

    @property
    def origins(self) -> Indices:
        """For every standardised column, the number of the name that it comes from."""
        return self.origins_of(STANDARD)

    def origins_of(self, table: str) -> Indices:
        """For every column of a prepared table, the number of the name that it comes from."""
        found: list[Indices] = []
        start = 0
        for one in self.parts:
            is_table = isinstance(one.part, TablePart)
            if is_table if table in (STANDARD, RANKED) else table in (SOURCES, _IN + one.name):
                found.append(start + self._origins_within(one))
            start += len(self._units(one))
        return np.concatenate(found) if found else np.zeros(1, dtype=np.intp)

    def apply(self, rows: Rows, table: str) -> NumericRows:
        """One prepared table."""
        return self.apply_all(rows, (table,))[table]

    def apply_all(self, rows: Rows, tables: Collection[str]) -> dict[str, NumericRows]:
        """Several prepared tables; the cells of a source are read once."""
        made: dict[int, NumericRows] = {}

        def part(number: int) -> NumericRows:
            if number not in made:
                one = self.parts[number]
                made[number] = one.part.apply(one.cells(rows))
            return made[number]

        return {table: self._table(rows, table, part) for table in tables}

    def _table(self, rows: Rows, table: str, part: Callable[[int], NumericRows]) -> NumericRows:
        all_parts = range(len(self.parts))
        if table == SOURCES:
            return _stacked_columns([part(number) for number in all_parts])
        if table not in (STANDARD, RANKED):
            return part(next(i for i in all_parts if _IN + self.parts[i].name == table))
        found = []
        for number, one in enumerate(self.parts):
            if isinstance(one.part, TablePart):
                ranked = table == RANKED
                found.append(one.part.apply(one.cells(rows), RANKED) if ranked else part(number))
        return np.hstack(found) if found else np.zeros((rows.shape[0], 1))

    def _units(self, one: NamedPart) -> list[str]:
        """A source, or the columns of a table beside free text."""
        if one.source is None and isinstance(one.part, TablePart):
            return list(one.part.preparation.names)
        return [one.name]

    def _origins_within(self, one: NamedPart) -> Indices:
        width = sum(one.part.widths)
        if len(self._units(one)) > 1 and isinstance(one.part, TablePart):
            return one.part.preparation.origins
        return np.zeros(width, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class SourceBlock:
    """Columns of the table of all sources, of which kernels are made."""

    source: int  # number of the source
    place: slice
    are_features: bool  # whether inner products are the only kernel
    scales: Array | None = None  # factors that bring standardised columns back to one unit


def is_source_table(table: str) -> bool:
    """Whether a prepared table is that of one source."""
    return table.startswith(_IN)


def _stacked_columns(parts: Sequence[NumericRows]) -> NumericRows:
    if any(issparse(part) for part in parts):
        return csr_array(hstack([csr_array(part) for part in parts], format="csr"))
    return np.hstack(parts)


def prepare(X: Rows, names: Sequence[str], scale: bool, columns: object) -> AnyPreparation:
    """Learn how rows become numbers, from training rows.

    `columns` are the kinds that the user asks for, by the names of columns or sources.
    """
    if isinstance(X, Sources):
        return prepare_sources(X, scale, columns)
    requested = checked_kinds(columns, names)
    if issparse(X):
        if any(kind != NUMBER for kind in requested.values()):
            raise ValueError(
                f"expected columns=None with a sparse matrix, got {columns!r}; encode these "
                "columns, or pass a dense table"
            )
        return SparsePreparation.fit(X, names, scale)
    kinds = ColumnKinds.of(X, names, requested)
    if not kinds.are_plain:
        return prepare_text(X, kinds, scale)
    plain = Preparation.fit(X, names, scale, kinds.are_categories)
    return replace(plain, kinds=kinds.descriptions())


def prepare_sources(sources: Sources, scale: bool, columns: object) -> SourcesPreparation:
    """Learn how sources become numbers, from training rows."""
    frames = {name: sources[name] for name in sources if is_frame(sources[name])}
    inner = [
        f"{name}: {column}" for name, frame in frames.items() for column in map(str, frame.columns)
    ]
    known = [*sources.names, *inner]
    requested = checked_kinds(columns, known, SOURCE_KINDS)
    parts: list[NamedPart] = []
    descriptions: dict[str, str] = {}
    for name in sources:
        kind = _kind(sources[name], requested.get(name), name)
        if kind in LEFT_OUT:
            descriptions[name] = "left out"
            continue
        found, words = _prepared_source(sources[name], name, kind, scale, requested)
        parts += found
        descriptions |= words
    if not parts:
        raise ValueError(
            "expected a source to learn from, got none that is not left out; ask for another kind "
            "by columns"
        )
    return SourcesPreparation(parts, descriptions)


def prepare_text(
    X: Rows, kinds: ColumnKinds, scale: bool, source: str | None = None
) -> SourcesPreparation:
    """Learn how a data frame with free text becomes numbers, from training rows."""
    parts: list[NamedPart] = []
    prefix = "" if source is None else f"{source}: "
    descriptions = {f"{prefix}{name}": words for name, words in kinds.descriptions().items()}
    if kinds.places:
        table = TablePart.fit(X, kinds, scale, may_lack=source is not None)
        parts.append(NamedPart(source or _OTHERS, source, None, table))
    for j in kinds.texts:
        name = f"{prefix}{kinds.columns[j].name}"
        part = TextPart.fit(X.iloc[:, j], name)
        parts.append(NamedPart(name, source, j, part))
        descriptions |= part.descriptions(name)
    if not parts:
        shown = ", ".join(f"{name}: {words}" for name, words in list(descriptions.items())[:5])
        raise ValueError(
            f"expected a column to learn from, got none that is not left out ({shown}); ask for "
            "another kind by columns, for example 'category'"
        )
    return SourcesPreparation(parts, descriptions)


def _prepared_source(
    cells: Rows, name: str, kind: str, scale: bool, requested: Mapping[str, str]
) -> tuple[list[NamedPart], dict[str, str]]:
    """The parts of one source, and their kinds in words."""
    part: SourcePart
    if kind == KERNEL:
        part = KernelPart.fit(cells, name)
    elif kind == "sparse":
        part = SparsePart.fit(cells, scale)
    elif kind == TEXT:
        part = TextPart.fit(_one_column(cells), name)
    elif kind in (SEQUENCE, GRAPH):
        kernels = kernels_of_sequences() if kind == SEQUENCE else kernels_of_graphs()
        part = ThingPart.fit(_one_column(cells), kind, kernels)
    else:
        return _prepared_table(cells, name, kind, scale, requested)
    return [NamedPart(name, name, None, part)], part.descriptions(name)


def _prepared_table(
    cells: Rows, name: str, kind: str, scale: bool, requested: Mapping[str, str]
) -> tuple[list[NamedPart], dict[str, str]]:
    """A source of columns; a column of free text within is a part of its own."""
    cells = _as_table(cells, name)
    if is_frame(cells):
        names = [str(column) for column in cells.columns]
        within = {
            column: requested.get(f"{name}: {column}", requested.get(name)) for column in names
        }
        kinds = ColumnKinds.of(cells, names, {k: v for k, v in within.items() if v is not None})
        found = prepare_text(cells, kinds, scale, name)
        only = {name: found.kinds[f"{name}: {names[0]}"]} if len(names) == 1 else {}
        return found.parts, only or found.kinds
    names = [f"x{j}" for j in range(cells.shape[1])]
    every = dict.fromkeys(names, kind) if kind == CATEGORY else {}
    part = TablePart.fit(cells, ColumnKinds.of(cells, names, every), scale, may_lack=True)
    words = f"{counted(len(names), 'column')} of {'categories' if every else 'numbers'}"
    return [NamedPart(name, name, None, part)], {name: words}


def _kind(cells: Rows, requested: str | None, name: str) -> str:
    """The kind of a source."""
    if requested in LEFT_OUT:
        return requested
    if isinstance(cells, KernelRows) or requested == KERNEL:
        if not isinstance(cells, KernelRows) or requested not in (None, KERNEL):
            raise ValueError(
                f"expected source {name!r} to be a square matrix where it is a kernel, and a "
                f"kernel where it is one, got {requested!r} for {type(cells).__name__}; correct "
                "columns"
            )
        return KERNEL
    if requested in (SEQUENCE, GRAPH, TEXT):
        return requested
    if issparse(cells):
        return "sparse"
    if is_frame(cells):
        return requested or "table"
    if cells.ndim == 2:
        return requested or NUMBER
    return _kind_of_things(cells, name)


def _kind_of_things(things: Things, name: str) -> str:
    present = [thing for thing in things if not is_missing(thing)]
    if not all(isinstance(thing, str) for thing in present):
        return GRAPH
    letters = set("".join(present))
    lengths = sum(map(len, present)) / max(len(present), 1)
    if lengths >= _LENGTH and len(letters) <= _LETTERS and all(map(str.isalpha, letters)):
        return SEQUENCE
    kind = describe_cells(name, load_pandas("reading text").Series(things, dtype=object)).kind
    return CATEGORY if kind == CATEGORY else TEXT


def _as_table(cells: Rows, name: str) -> Any:
    """Categories, and arrays of any things, as a data frame; other tables as they are."""
    if is_frame(cells) or cells.dtype.kind in "biuf":
        return cells
    pd = load_pandas("reading categories")
    names = [name] if cells.ndim == 1 else [f"x{j}" for j in range(cells.shape[1])]
    return pd.DataFrame(cells.reshape(len(cells), -1), columns=names).infer_objects()


def _one_column(cells: Rows) -> Things:
    """The things of a source, one in each row."""
    if is_frame(cells):
        return np.asarray(cells.iloc[:, 0].to_numpy(dtype=object))
    return np.asarray(cells[:, 0].astype(object) if cells.ndim == 2 else cells)
