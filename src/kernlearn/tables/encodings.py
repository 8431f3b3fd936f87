"""Encoding of a table of text."""

from __future__ import annotations

import codecs
import gzip
import io
from pathlib import Path
from typing import BinaryIO, cast

from kernlearn.tables.formats import TableError, table_format

UTF_8 = "utf-8-sig"
# The four-byte marks before the two-byte ones, which they begin with.
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Usual encodings of files that are not UTF-8. Some bytes mean nothing in the first of them.
_OLDER = ("cp1252", "latin-1")
_NAMES = {"cp1252": "Windows-1252, a superset of Latin-1", "latin-1": "Latin-1"}
_PIECE = 2**20


def found_encoding(path: Path) -> str:
    """The encoding of a table of text: by its mark, UTF-8 if all bytes are, else Windows-1252.

    Files that are no text, and pipes, which can be read only once, are taken for UTF-8.
    """
    if not path.is_file() or table_format(path).delimiter is None:
        return UTF_8
    form = table_format(path)
    try:
        with _opened(path, form.is_gzip) as file:
            start = file.read(4)
        for mark, encoding in _MARKS:
            if start.startswith(mark):
                return encoding
        fits = (name for name in (UTF_8, *_OLDER) if _can_be(path, form.is_gzip, name))
        return next(fits, UTF_8)
    except (gzip.BadGzipFile, EOFError):  # reading it raises the error
        return UTF_8


def checked_encoding(name: str) -> str:
    """The encoding of that name, if Python has one for text."""
    try:
        known = codecs.lookup(name)
        "".encode(name)
    except LookupError:
        raise TableError(
            f"expected the name of an encoding of text, got {name!r}; utf-8, latin-1, cp1252 and "
            "utf-16 are some"
        ) from None
    return UTF_8 if known.name == "utf-8" else known.name


def encoding_note(path: Path, encoding: str) -> str | None:
    """A note for users about a guessed encoding; None if it is known."""
    if encoding not in _OLDER:
        return None
    return (
        f"{path.name} is not text in UTF-8, so it was read as {_NAMES[encoding]}; if letters are "
        "wrong, pass --encoding, or save it in UTF-8"
    )


def first_line(path: Path, encoding: str) -> str:
    """The names of the columns of a table of text, as they are written; empty of other files."""
    if not path.is_file() or table_format(path).delimiter is None:
        return ""
    form = table_format(path)
    with (
        _opened(path, form.is_gzip) as file,
        io.TextIOWrapper(file, encoding, errors="replace") as text,
    ):
        return text.readline(_PIECE)


def _opened(path: Path, is_gzip: bool) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if is_gzip else path.open("rb")


def _can_be(path: Path, is_gzip: bool, encoding: str) -> bool:
    """Whether all bytes have a meaning in an encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with _opened(path, is_gzip) as file:
            while piece := file.read(_PIECE):
                if b"\0" in piece:
                    return False  # no text in any of them
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
