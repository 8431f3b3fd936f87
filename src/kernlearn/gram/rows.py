"""Sums over the rows of a table that is seen block by block: the only place that knows of blocks.

A source is anything with a length whose rows can be taken: an array, a memory map, a data frame;
or anything with a length and a method ``blocks(n_rows)`` that yields its rows in order, a file for
example. Nothing else of the library needs to know where rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from kernlearn._device import give_back, is_elsewhere, is_out_of_memory, namespace, to_host
from kernlearn.kernels._validation import is_frame, take_rows

Part = TypeVar("Part")

# Numbers in a block: 64 megabytes, beside which the memory of the sums is what counts.
_BLOCK_NUMBERS = 2**23
_FEWEST_ROWS = 256


def rows_per_block(n_columns: int) -> int:
    """How many rows are worked on together where each becomes `n_columns` numbers."""
    return max(_FEWEST_ROWS, _BLOCK_NUMBERS // max(n_columns, 1))


def reduce_rows(
    source: Any,
    block_function: Callable[[Any, slice], Part],
    add: Callable[[Part, Part], Part],
    n_columns: int,
) -> Part:
    """Add up what a function makes of each block of rows.

    Parameters
    ----------
    source : array, memory map, data frame, or object with ``__len__`` and ``blocks``
        The rows.
    block_function : callable
        ``block_function(block, rows)`` for the table of some rows and the slice that they are.
    add : callable
        Adds two results; may change the first.
    n_columns : int
        Numbers that `block_function` makes of each row, which decides how large a block is.

    Returns
    -------
    total
        The sum of all results.

    Examples
    --------
    >>> import numpy as np
    >>> from operator import add
    >>> from kernlearn.gram.rows import reduce_rows
    >>> reduce_rows(np.arange(6.0).reshape(3, 2), lambda block, rows: block.T @ block, add, 2)
    array([[20., 26.],
           [26., 35.]])
    """
    total: Part | None = None
    start = 0
    for block in _blocks(source, rows_per_block(n_columns)):
        rows = slice(start, start + block.shape[0])
        _check_block(block, rows, len(source))
        part = _part(block, rows, block_function, add)
        total = part if total is None else add(total, part)
        start = rows.stop
    if total is None or start != len(source):
        raise ValueError(
            f"The source of rows must hold the {len(source)} rows that it announced, got {start}; "
            "read it again once nothing else writes to it."
        )
    return total


def _blocks(source: Any, size: int) -> Iterator[Any]:
    if hasattr(source, "blocks"):
        yield from source.blocks(size)
        return
    for start in range(0, len(source), size):
        yield take_rows(source, slice(start, start + size))


def _part(
    block: Any,
    rows: slice,
    function: Callable[[Any, slice], Part],
    add: Callable[[Part, Part], Part],
) -> Part:
    """What the function makes of a block, in halves where a device has no room for the whole."""
    try:
        return function(block, rows)
    except Exception as error:
        if block.shape[0] <= _FEWEST_ROWS or not (is_elsewhere(block) and is_out_of_memory(error)):
            raise
    give_back(block)
    half = block.shape[0] // 2
    middle = rows.start + half
    first = _part(block[:half, :], slice(rows.start, middle), function, add)
    return add(first, _part(block[half:, :], slice(middle, rows.stop), function, add))


def _check_block(block: Any, rows: slice, n_rows: int) -> None:
    """Refuse rows that are too many, or no numbers, by their place in the whole."""
    if rows.stop > n_rows:
        raise ValueError(
            f"The source of rows must hold the {n_rows} rows that it announced, got more; read it "
            "again once nothing else writes to it."
        )
    xp = namespace(block)
    if is_frame(block) or (xp is np and np.asarray(block).dtype.kind != "f"):
        return  # the kernels look at the columns that they read
    finite = to_host(xp.all(xp.isfinite(block), axis=1))
    if not finite.all():
        row = rows.start + int(np.argmin(finite))
        raise ValueError(
            f"X must hold finite numbers only, got NaN or infinity in row {row}; remove or impute "
            "such entries, for example with sklearn.impute.SimpleImputer."
        )
