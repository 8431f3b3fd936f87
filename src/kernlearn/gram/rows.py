"""Sums over the rows of a table, block by block: the only file that makes blocks.

A source is anything with a length whose rows can be taken: an array, a memory map, a data frame;
or anything with a length and a method ``blocks(n_rows)`` that yields its rows in order, a file for
example; or a Dask collection, whose blocks are worked on where they are. Nothing else of the
library needs to know where rows come from.

A function of a block is called as ``function(block, rows, *parts)`` with the slice that its rows
are, and with the parts of those arrays that go *along* the rows, targets or weights. It and what it
holds may travel to another machine, so that it says all it has to say by what it returns.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kernlearn._cluster import Chunked
from kernlearn._device import (
    empty_beside,
    free_cached_memory,
    is_elsewhere,
    is_out_of_memory,
    namespace,
    take,
    to_host,
)
from kernlearn.kernels._validation import is_frame, take_rows
from kernlearn.typing import Indices, Rows

Part = TypeVar("Part")
Function = Callable[..., Part]
Add = Callable[[Part, Part], Part]

# Numbers in a block: 64 megabytes, beside which the memory of the sums is what counts.
_BLOCK_NUMBERS = 2**23
_FEWEST_ROWS = 256


def rows_per_block(n_columns: int) -> int:
    """Number of rows of a block, if each row becomes `n_columns` numbers."""
    return max(_FEWEST_ROWS, _BLOCK_NUMBERS // max(n_columns, 1))


def reduce_rows(
    source: Rows,  # or an object with ``__len__`` and ``blocks``
    # ``block_function(block, rows, *parts)`` for the table of some rows, the slice that they are,
    # and their parts of `along`.
    block_function: Function[Part],
    add: Add[Part],  # adds two results, and changes neither
    n_columns: int,  # numbers that are made of each row, which decides how large a block is
    along: Sequence[Any] = (),  # arrays with an entry for every row that counts
    # The rows that count, increasing; by default all. Slices are then positions among these.
    rows: Indices | None = None,
    checked: bool = False,  # whether rows are known to be numbers
    light: bool = False,  # whether results are small: those of a cluster are then added here
    # ``onto(total, block, rows, *parts)`` is the total with the result of a block added, for those
    # so large that room for another one is worth saving; the total may be used up. Only blocks of
    # this machine's memory are added so.
    onto: Function[Part] | None = None,
) -> Part:
    """Add up what a function makes of each block of rows, in an order that the blocks decide.

    >>> from operator import add
    >>> reduce_rows(np.arange(6.0).reshape(3, 2), lambda block, rows: block.T @ block, add, 2)
    array([[20., 26.],
           [26., 35.]])
    """
    if isinstance(source, Chunked):
        work = partial(_sum, block_function, add, n_columns)
        total: Part = source.reduce(
            work, add, along, rows, source.worth_a_task(rows_per_block(n_columns)), light
        )
        return total
    pieces = _pieces(source, n_columns, along, rows, checked)
    total = _part(*next(pieces), block_function, add)
    for block, place, parts in pieces:
        if onto is None or is_elsewhere(block):
            total = add(total, _part(block, place, parts, block_function, add))
        else:
            total = onto(total, block, place, *parts)
    return total


def map_rows(
    source: Rows,
    block_function: Function[Any],
    n_columns: int,
    along: Sequence[Any] = (),
    rows: Indices | None = None,
    checked: bool = False,
) -> NDArray[Any]:
    """Results of a function for each row, in their order, on the host.

    ``block_function(block, rows, *parts)`` is an array of the host with a row for each; all else is
    as in `reduce_rows`.
    """
    function, add = partial(_listed, block_function), operator.add
    if isinstance(source, Chunked):
        work = partial(_sum, function, add, n_columns)
        found = source.parts(work, along, rows, source.worth_a_task(rows_per_block(n_columns)))
        return np.concatenate([block for blocks in found for block in blocks])
    values: NDArray[Any] | None = None
    n, start = _count(source if rows is None else rows), 0
    for blocks in _parts(source, function, add, n_columns, along, rows, checked):
        for block in blocks:
            if values is None:
                values = np.empty((n, *block.shape[1:]), dtype=block.dtype)
            values[start : start + len(block)] = block
            start += len(block)
    assert values is not None
    return values


def keep_rows(source: Rows, function: Callable[[Any], Any], n_columns: int) -> Any:
    """Results of a function for each row, `n_columns` numbers, kept where the rows are processed.

    ``function(block)`` is a matrix beside the block; rows are known to be numbers.
    """
    if isinstance(source, Chunked):
        return source.kept(
            partial(_kept, function, n_columns),
            n_columns,
            source.worth_a_task(rows_per_block(n_columns)),
        )
    kept = empty_beside((len(source), n_columns), take_rows(source, slice(0)))

    def fill(block: Rows, rows: slice) -> int:
        kept[rows, :] = function(block)
        return 1

    reduce_rows(source, fill, int.__add__, n_columns, checked=True)
    return kept


# Partials of these functions are sent to other machines.


def _sum(
    function: Function[Any], add: Add[Any], n_columns: int, table: Rows, first: int, *parts: Any
) -> Any:
    """The sum over a task's rows, block by block."""
    # The chunks were looked over when they became this table.
    return reduce(add, _parts(table, function, add, n_columns, parts, None, True, first))


def _kept(function: Callable[[Any], Any], n_columns: int, table: Rows, first: int) -> Any:
    """The results for a task's rows, to be kept."""
    return keep_rows(table, function, n_columns)


def _listed(function: Function[Any], block: Rows, rows: slice, *parts: Any) -> list[Any]:
    """The result of a block as a list, to be put beside others."""
    return [function(block, rows, *parts)]


def _parts(
    source: Rows,
    function: Function[Part],
    add: Add[Part],
    n_columns: int,
    along: Sequence[Any],
    rows: Indices | None,
    checked: bool,
    first: int = 0,
) -> Iterator[Part]:
    """Results of a function for each block, in their order; the rows count from ``first``."""
    for block, place, parts in _pieces(source, n_columns, along, rows, checked, first):
        yield _part(block, place, parts, function, add)


def _pieces(
    source: Rows,
    n_columns: int,
    along: Sequence[Any],
    rows: Indices | None,
    checked: bool,
    first: int = 0,
) -> Iterator[tuple[Any, slice, list[Any]]]:
    """The blocks, the rows that they are, and their parts of what goes along; one at least."""
    n, start = _count(source if rows is None else rows), 0
    for block in _blocks(source, rows_per_block(n_columns), rows):
        stop = start + block.shape[0]
        if stop > n:
            raise ValueError(_not_as_announced(n, "more"))
        if not checked:
            check_finite_rows(block, start)
        yield block, slice(first + start, first + stop), [each[start:stop] for each in along]
        start = stop
    if start != n or n == 0:
        raise ValueError(_not_as_announced(n, str(start)))


def _blocks(source: Rows, size: int, rows: Indices | None) -> Iterator[Any]:
    if rows is not None:
        for start in range(0, len(rows), size):
            yield taken_rows(source, rows[start : start + size])
    elif hasattr(source, "blocks"):
        yield from source.blocks(size)
    else:
        n = _count(source)
        if is_frame(source) and n <= size:
            yield source  # a slice of a data frame takes longer than a row of a model
            return
        for start in range(0, n, size):
            part = slice(start, min(start + size, n))
            yield source[part, :] if is_elsewhere(source) else take_rows(source, part)


def taken_rows(table: Rows, rows: Indices) -> Any:
    """Some rows of a table, where it is."""
    return take(table, rows) if is_elsewhere(table) else take_rows(table, rows)


def _count(source: Rows) -> int:
    """Rows; sparse matrices and arrays of other libraries need not have a length."""
    return int(source.shape[0]) if hasattr(source, "shape") else len(source)


def _part(
    block: Rows, rows: slice, parts: list[Any], function: Function[Part], add: Add[Part]
) -> Part:
    """The result of the function for a block, in halves if the device's memory is too small."""
    try:
        return function(block, rows, *parts)
    except Exception as error:
        if block.shape[0] <= _FEWEST_ROWS or not (is_elsewhere(block) and is_out_of_memory(error)):
            raise
    free_cached_memory(block)
    half = block.shape[0] // 2
    middle = rows.start + half
    upper, lower = [part[:half] for part in parts], [part[half:] for part in parts]
    first = _part(block[:half, :], slice(rows.start, middle), upper, function, add)
    return add(first, _part(block[half:, :], slice(middle, rows.stop), lower, function, add))


def check_finite_rows(block: Rows, start: int) -> None:
    """Refuse numbers that are none, by the place of their row; ``start`` is that of the first."""
    xp = namespace(block)
    if is_frame(block) or (xp is np and np.asarray(block).dtype.kind != "f"):
        return  # the kernels look at the columns that they read
    finite = to_host(xp.all(xp.isfinite(block), axis=1))
    if not finite.all():
        row = start + int(np.argmin(finite))
        raise ValueError(
            f"X must hold finite numbers only, got NaN or infinity in row {row}; remove or impute "
            "such entries, for example with sklearn.impute.SimpleImputer."
        )


def _not_as_announced(announced: int, got: str) -> str:
    return (
        f"The source of rows must hold the {announced} rows that it announced, got {got}; read it "
        "again once nothing else writes to it."
    )
