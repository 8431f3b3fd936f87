"""Tables as Parquet."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kernlearn.runtime.memory import require
from kernlearn.runtime.optional import load_arrow
from kernlearn.tables.errors import TableError, check_names_differ
from kernlearn.tables.formats import FileFormat
from kernlearn.typing import PandasFrame

PIECE = 2**24


def parquet_chunks(path: Path, form: FileFormat, n_rows: int) -> Iterator[PandasFrame]:
    """Read a table of Parquet in pieces of `n_rows`, with the types of the file.

    A named index of pandas is a column like any other.
    """
    arrow = load_arrow("reading Parquet")
    # The index of a Parquet file is at its end, so it has to be unpacked first.
    source = _unpacked(path) if form.is_gzip else path
    try:
        with path.open("rb"):  # for the system's own message if it cannot be read
            table = arrow.parquet.ParquetFile(source)
        _check_columns(arrow, table.schema_arrow, path)
        batch = None
        for batch in table.iter_batches(batch_size=n_rows):
            yield _frame(batch)
        if batch is None:
            yield _frame(table.schema_arrow.empty_table())
    except TableError:
        raise
    except (arrow.ArrowException, ValueError, TypeError, OverflowError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's; pyarrow calls damage an OSError too, but without a number
        raise TableError(
            f"{path.name} is no Parquet file that can be read ({error}); save it again, or as CSV"
        ) from error


def _unpacked(path: Path) -> io.BytesIO:
    unpacked = io.BytesIO()
    with gzip.open(path, "rb") as file:
        while piece := file.read(PIECE):
            unpacked.write(piece)
            require(2 * unpacked.tell(), f"what {path.name} unpacks to", "use a smaller table")
    return unpacked


def _check_columns(arrow: Any, schema: Any, path: Path) -> None:
    check_names_differ(schema.names, path.name)
    for field in schema:
        if arrow.types.is_nested(field.type):
            raise TableError(
                f"expected one value in every cell of {path.name}, got column {field.name!r} of "
                f"type {str(field.type)[:60]}; give every part of it a column of its own"
            )


def _frame(batch: Any) -> PandasFrame:
    frame = batch.to_pandas()
    is_named = any(name is not None for name in frame.index.names)
    return frame.reset_index(drop=not is_named)
