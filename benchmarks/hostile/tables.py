"""Hostile tables: CSV and Parquet, kernel matrices, views, scores and results."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.hostile.mutations import Random, mutated_bytes, mutated_json, one_of
from kernlearn.methods.matrices import read_matrices
from kernlearn.methods.views import read_views
from kernlearn.papers.results_file import ResultsFile, ResultsFileError
from kernlearn.runtime.optional import load_arrow
from kernlearn.tables import (
    Column,
    TableError,
    describe_columns,
    read_table,
    read_target,
    typed_columns,
)
from kernlearn.typing import JsonValue

if TYPE_CHECKING:
    import pandas as pd

CELLS = (
    "1", "-2.5", "", "?", "NA", "1e200", "1e400", "-inf", "nan", "9" * 400, "0x10", "1_000", "1,5",
    "yes", "=cmd|x", "@x", "+1", "-1", " 3 ", '"', '""', "a\tb", "\x1b[31m", "\u202e", "2024-01-31",
    "2024-13-45", "99999-01-01", "24:00", "é", "\ufeff", "x" * 5000, "True", "1e-300", "None", "\\",
)  # fmt: skip
NAMES = ("a", "b", "a", "", " ", "y", "y ", "=a", "\x1b]0;x\x07", "x" * 300, "1", "ü", "a,b", "a.b")
VALUES = (
    1, -1.5, None, True, "x", "", "\0", b"\xff", 2**62, 1e300, float("inf"), float("nan"),
    datetime.date(2024, 1, 31), datetime.timedelta(days=3), datetime.time(3), [1], {"a": 1},
    datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31),
)  # fmt: skip


def table_case(rng: Random, folder: Path) -> None:
    """A table of text: read as it is written, or refused."""
    delimiter = one_of(rng, (",", ",", ";", "\t"))
    columns = int(rng.integers(1, 5))
    names = _names(rng, columns)
    usual = [one_of(rng, CELLS) for _ in range(columns)]
    rows = [
        [one_of(rng, CELLS) if rng.random() < 0.2 else cell for cell in usual]
        for _ in range(int(rng.integers(0, 30)))
    ]
    if rng.random() < 0.3:
        rows = [row + [one_of(rng, CELLS)] * int(rng.integers(0, 2)) for row in rows]
    quoted = rng.random() < 0.6
    content = _text([names, *rows], delimiter, quoted).encode()
    if rng.random() < 0.4:
        content = mutated_bytes(rng, content)
    name = one_of(rng, ("t.csv", "t.tsv", "t.txt", "t.csv.gz"))
    written = gzip.compress(content) if name.endswith(".gz") and rng.random() < 0.7 else content
    (folder / name).write_bytes(written)
    frame = _look_at(read_table(folder / name, delimiter))
    if quoted and written is content and content == _text([names, *rows], delimiter, True).encode():
        kept = [row for row in rows if row not in ([], [""])]
        assert [len(row) for row in kept] == [len(names)] * len(frame), "cells were moved or lost"


def parquet_case(rng: Random, folder: Path) -> None:
    """A table of Parquet: every type that a cell may have."""
    arrow = load_arrow("hostile tables")
    columns = int(rng.integers(1, 4))
    arrays = []
    for _ in range(columns):
        usual = one_of(rng, VALUES)
        values = [usual if rng.random() < 0.9 else None for _ in range(25)]
        arrays.append(arrow.array(values))
    table = arrow.table(arrays, names=_names(rng, columns))
    buffer = io.BytesIO()
    try:
        arrow.parquet.write_table(table, buffer)
    except (arrow.ArrowException, ValueError):
        raise TableError("this one cannot even be written") from None
    content = buffer.getvalue()
    if rng.random() < 0.3:
        content = mutated_bytes(rng, content)
    (folder / "t.parquet").write_bytes(content)
    _look_at(read_table(folder / "t.parquet"))


def _look_at(frame: pd.DataFrame) -> pd.DataFrame:
    frame.columns = [str(name) for name in frame.columns]
    names = list(frame.columns)
    for name in names:
        try:
            read_target(frame[name], name)
        except TableError:
            continue
    columns = describe_columns(frame, names)
    typed = typed_columns(frame, columns)
    numbers = typed.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any(), "a number of the table is infinite"
    return frame


def matrix_case(rng: Random, folder: Path) -> None:
    """A kernel matrix, stored or written."""
    K = np.eye(4) * one_of(rng, (1.0, 1e300, -1.0, 0.0, np.nan, 1j))
    kind = int(rng.integers(4))
    if kind == 0:
        np.savetxt(folder / "k.txt", K.real)
    elif kind == 1:
        np.savez(folder / "k", K=K)
        (folder / "k.npz").rename(folder / "k.npy")
    else:
        np.save(folder / "k.npy", K if kind == 2 else one_of(rng, (K.real[:3], K.real[0], "x")))
    path = folder / ("k.txt" if kind == 0 else "k.npy")
    if rng.random() < 0.6:
        path.write_bytes(mutated_bytes(rng, path.read_bytes()))
    (kernel,) = read_matrices([path], 4)
    assert np.isfinite(kernel(np.arange(4.0)[:, None])).all(), "a kernel that is not finite"


def views_case(rng: Random, folder: Path) -> None:
    """Groups of columns in TOML."""
    content = b'[views]\none = ["a", "b"]\n"two words" = ["a"]\n'
    if rng.random() < 0.2:
        content = b"x = " + one_of(rng, (b"[", b"{a = ")) * int(rng.integers(1, 5000))
    (folder / "v.toml").write_bytes(mutated_bytes(rng, content))
    columns = [Column(name, "number", "") for name in ("a", "b")]
    views = read_views(folder / "v.toml", columns)
    assert all(set(names) <= {"a", "b"} for names in views.values()), "a view of unknown columns"


def results_case(rng: Random, folder: Path) -> None:
    """A file of results that an earlier run has left."""
    settings = {"seed": 0, "data": {"x": [1, 2]}}
    records: list[JsonValue] = [{"settings": settings}, {"key": "a", "result": 1}]
    records[int(rng.integers(2))] = mutated_json(rng, one_of(rng, records))
    content = "".join(json.dumps(record) + "\n" for record in records).encode()
    file = ResultsFile(folder, "r", settings)
    file.path.write_bytes(mutated_bytes(rng, content) if rng.random() < 0.3 else content)
    try:
        with file:
            finished = file.finished()
    except ResultsFileError as error:
        raise TableError(str(error)) from error
    finally:
        file.path.unlink()
    assert all(isinstance(key, str) for key in finished), "a key that is no text"


def _names(rng: Random, count: int) -> list[str]:
    if rng.random() < 0.5:
        return [f"c{j}" for j in range(count)]
    return [one_of(rng, NAMES) for _ in range(count)]


def _text(rows: list[list[str]], delimiter: str, quoted: bool) -> str:
    if not quoted:
        return "\n".join(delimiter.join(row) for row in rows) + "\n"
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    return buffer.getvalue()
