"""Tables as they come: reading them, telling what their columns are, writing predictions."""

from kernlearn.tables.describe import describe_columns
from kernlearn.tables.formats import TableError
from kernlearn.tables.reading import CompactTable, read_chunks, read_compact, read_table
from kernlearn.tables.target import Target, read_target
from kernlearn.tables.typed import Column, columns_used, typed_columns, typed_frame

__all__ = [
    "Column",
    "CompactTable",
    "TableError",
    "Target",
    "columns_used",
    "describe_columns",
    "read_chunks",
    "read_compact",
    "read_table",
    "read_target",
    "typed_columns",
    "typed_frame",
]
