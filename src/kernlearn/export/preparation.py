"""Preparation of rows for the kernels of a mixture, as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernlearn.estimators.mixture.preparation.column_kinds import CATEGORY, DATE, ColumnKinds
from kernlearn.estimators.mixture.preparation.columns import CategoryColumn, NumberColumn
from kernlearn.estimators.mixture.preparation.source_parts import SparsePart, TablePart
from kernlearn.estimators.mixture.preparation.sources import (
    SOURCES,
    NamedPart,
    SourcesPreparation,
    is_source_table,
)
from kernlearn.estimators.mixture.preparation.sparse_columns import SparsePreparation
from kernlearn.estimators.mixture.preparation.table import (
    ENCODED,
    RANKED,
    STANDARD,
    AnyPreparation,
    Preparation,
)
from kernlearn.export.expression import (
    Node,
    as_float,
    filled,
    interpolated,
    is_missing,
    joined,
    take,
    total,
    where,
)
from kernlearn.export.numpy_template import ISO_DATES
from kernlearn.export.refusal import refused
from kernlearn.export.tables import FrameTable, NumberTable, RowTable
from kernlearn.typing import Array, Mask

Prepared = Callable[[str], Node]

# Zeros for the empty level and for all others, if no column has information.
_ZEROS = np.zeros((2, 1))
# Kinds of numbers that an array may hold; earlier files have none.
_OF_ARRAYS = (None, "numbers")


def prepared_tables(preparation: AnyPreparation, names: Sequence[str] | None) -> Prepared:
    """The prepared tables of rows as a user gives them, each by its name.

    `names` are those of the columns of a data frame, None of an array.
    """
    if isinstance(preparation, SourcesPreparation):
        return _source_tables(preparation, has_names=names is not None)
    width = len(preparation.names)
    table: RowTable
    if names is not None:
        table = FrameTable.from_input(names)
    elif isinstance(preparation, Preparation) and not _may_be_array(preparation):
        table = FrameTable.from_input(preparation.names).at(range(width))
    else:
        table = NumberTable.from_input("X", width)
    if isinstance(preparation, SparsePreparation):
        scaled = table.numbers(range(width)) * preparation.factors
        return lambda name: scaled
    assert isinstance(preparation, Preparation)
    return lambda name: _prepared(preparation, table, name)


def _may_be_array(preparation: Preparation) -> bool:
    """Whether an array of numbers may hold the rows."""
    return all(
        column.has_numbers if isinstance(column, CategoryColumn) else column.kind in _OF_ARRAYS
        for column in preparation.columns
    )


def _source_tables(preparation: SourcesPreparation, has_names: bool) -> Prepared:
    def table(name: str) -> Node:
        parts = preparation.parts
        if name in (STANDARD, RANKED):
            tables = [one for one in parts if isinstance(one.part, TablePart)]
            return joined([_part(one, name, has_names) for one in tables], 1)
        if name == SOURCES:
            return joined([_part(one, STANDARD, has_names) for one in parts], 1)
        assert is_source_table(name)
        only = next(one for one in parts if name.endswith(f" {one.name}"))
        return _part(only, STANDARD, has_names)

    return table


def _part(one: NamedPart, table: str, has_names: bool) -> Node:
    """One part of several, prepared."""
    if isinstance(one.part, SparsePart):
        width = one.part.widths[0]
        return (
            NumberTable.from_input(one.name, width, (one.name,)).node * one.part.preparation.factors
        )
    if not isinstance(one.part, TablePart):
        raise refused(
            f"a member that reads {one.name!r}, which is no table of numbers and categories",
            f"fit again with columns={{{one.name!r}: 'ignore'}}, or save the model by "
            "kernlearn.save",
        )
    kinds, preparation = one.part.kinds, one.part.preparation
    rows = _rows_of_part(one, kinds, has_names)
    prepared = _prepared(preparation, rows, table)
    if not one.part.may_lack:
        return prepared
    there = _are_there(rows, kinds)
    return where(there, prepared, prepared * 0.0)


def _rows_of_part(one: NamedPart, kinds: ColumnKinds, has_names: bool) -> RowTable:
    names = [kinds.columns[j].name for j in kinds.places]
    is_array = one.source is not None and names == [f"x{j}" for j in range(len(names))]
    if is_array and not any(kinds.are_categories):
        return NumberTable.from_input(str(one.source), len(names), (str(one.source),))
    found = FrameTable.from_input(names, one.source, [_notation(kinds, j) for j in kinds.places])
    return found if has_names or one.source is not None else found.at(kinds.places)


def _notation(kinds: ColumnKinds, place: int) -> str | None:
    """How rows write the numbers or dates of a column; None if they are none of text."""
    column = kinds.columns[place]
    if place not in kinds.written:
        return None
    return column.notation or (ISO_DATES if column.kind == DATE else None)


def _are_there(rows: RowTable, kinds: ColumnKinds) -> Node:
    """Whether a row has any cell of a source, of shape (n, 1)."""
    found = []
    for j in range(rows.width):
        if kinds.columns[kinds.places[j]].kind == CATEGORY:
            found.append(rows.rows_of_levels(j, [""], np.array([[0.0], [1.0]])))
        else:
            found.append(as_float(is_missing(rows.numbers([j]))) * -1.0 + 1.0)
    return total(joined(found, 1), 1, keep=True) > 0.5


def _prepared(preparation: Preparation, rows: RowTable, table: str) -> Node:
    """One prepared table of a single one."""
    parts: list[Node] = []
    means = iter(preparation.level_means)
    numbers = [j for j, one in enumerate(preparation.columns) if isinstance(one, NumberColumn)]
    places: list[list[int]] = [[] for _ in preparation.columns]
    width = 0
    if numbers:
        columns = [one for one in preparation.columns if isinstance(one, NumberColumn)]
        of_numbers, kept = _number_columns(columns, rows.numbers(numbers), table == RANKED)
        parts.append(of_numbers)
        for place, j in enumerate(numbers):
            own = [place, len(numbers) + place]
            places[j] = [at for at, is_kept in zip(own, kept[place], strict=True) if is_kept]
        width = len(numbers) * (2 if kept[:, 1].any() else 1)
    for j, column in enumerate(preparation.columns):
        if not isinstance(column, CategoryColumn):
            continue
        if table == ENCODED:
            known = next(means)
            levels, values = known.levels.tolist(), known.means
        else:
            levels, values = column.levels, _indicator_rows(column)
        if values.shape[1]:
            parts.append(rows.rows_of_levels(j, levels, values))
            places[j] = list(range(width, width + values.shape[1]))
            width += values.shape[1]
    order = [place for own in places for place in own]
    if not order:
        # Nothing varies: a column of zeros. Without numbers, the first column is a category.
        return filled(parts[0] if parts else rows.rows_of_levels(0, [""], _ZEROS), (1,), 0.0)
    stacked = joined(parts, 1)
    return stacked if order == list(range(width)) else take(stacked, np.array(order), 1)


def _number_columns(
    columns: Sequence[NumberColumn], cells: Node, ranked: bool
) -> tuple[Node, Mask]:
    """The scaled numbers, then which are missing if that counts; what counts, (columns, 2)."""
    centres = np.array([column.centres for column in columns])
    scales = np.array([column.scales for column in columns])
    kept = scales > 0
    scales = np.where(kept, scales, 1.0)
    gaps = is_missing(cells)
    full = where(gaps, np.array([column.fill for column in columns]), cells)
    if ranked:
        numbers = joined([_ranks(column, full, j) for j, column in enumerate(columns)], 1)
    else:
        numbers = (full - centres[:, 0]) / scales[:, 0]
    if not kept[:, 1].any():
        return numbers, kept
    lacking = (as_float(gaps) - centres[:, 1]) / scales[:, 1]
    return joined([numbers, lacking], 1), kept


def _ranks(column: NumberColumn, cells: Node, place: int) -> Node:
    """The normal scores of a column; those of a constant one do not count."""
    own = take(cells, np.array([place]), axis=1)
    return interpolated(own, column.values, column.scores) if len(column.values) > 1 else own


def _indicator_rows(column: CategoryColumn) -> Array:
    """Prepared row of each level, and after these the row of every other level."""
    n = len(column.levels)
    codes = np.eye(n + 1)[:, : n + column.others]
    if column.scale == 0.0:
        return codes[:, :0]
    return np.asarray((codes - column.centres) / column.scale)
