"""Format of a table, by the name of its file; and the error of a table that cannot be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


class TableError(ValueError):
    """A table cannot be used; the message says why and what to do."""


def check_names_differ(names: Sequence[str], table: str) -> None:
    """Refuse a table in which a name could mean two columns."""
    counts = Counter(names)
    repeated = [name for name in counts if counts[name] > 1]
    if repeated:
        raise TableError(
            f"expected columns with different names in {table}, got {repeated[0]!r} more than "
            "once; rename them"
        )


DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": ","}
PARQUET = (".parquet", ".pq")
LOOSE = ".data"
SPREADSHEET = ".xlsx"


@dataclass(frozen=True)
class ReadingOptions:
    """Sizes of the pieces in which a file is read."""

    rows_of_a_piece: int = 50_000  # read, converted and kept at once
    cells_of_a_piece: int = 2_000_000  # at most: each is an object of some sixty bytes
    longest_line: int = 10_000_000  # characters at most: what has no line breaks is not read whole


READING = ReadingOptions()


@dataclass(frozen=True)
class FileFormat:
    """Format of a stored table; no delimiter means Parquet, or a spreadsheet.

    A loose format may lack a line of names, and an empty delimiter is to be detected.
    """

    delimiter: str | None
    is_gzip: bool
    is_loose: bool = False
    is_spreadsheet: bool = False


def table_format(path: Path, delimiter: str | None = None) -> FileFormat:
    """Tell the format from the name, such as ``rows.csv.gz``.

    >>> table_format(Path("rows.csv.gz"))
    FileFormat(delimiter=',', is_gzip=True, is_loose=False, is_spreadsheet=False)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    is_gzip = suffixes[-1:] == [".gz"]
    ending = "".join((suffixes[:-1] if is_gzip else suffixes)[-1:])
    if ending in PARQUET:
        return FileFormat(None, is_gzip)
    if ending == SPREADSHEET and not is_gzip:
        return FileFormat(None, False, is_spreadsheet=True)
    if ending in DELIMITERS:
        return FileFormat(delimiter or DELIMITERS[ending], is_gzip)
    if ending == LOOSE:
        return FileFormat(delimiter or "", is_gzip, is_loose=True)
    raise TableError(
        f"expected a table whose name ends in .csv, .tsv, .txt, .data, .xlsx or .parquet, "
        f"or in .gz after one of these but .xlsx, got {path.name}; save it as CSV"
    )
