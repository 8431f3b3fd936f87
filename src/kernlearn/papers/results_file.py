"""A file of finished results that survives being killed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from kernlearn.typing import Json, JsonValue


class ResultsFileError(RuntimeError):
    """A results file cannot be continued; the message says why and what to do."""


def settings_hash(settings: Mapping[str, JsonValue]) -> str:
    """Return eight hexadecimal digits that tell one set of settings from another.

    >>> settings_hash({"a": 1, "b": 2}) == settings_hash({"b": 2, "a": 1})
    True
    """
    text = json.dumps(settings, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class ResultsFile:
    """Finished tasks, one JSON object a line, under a header that names the settings.

    A result counts as finished when its line, newline included, is on the disk. A last line
    without its newline is what a killed run leaves behind: it is removed, and its task is
    done again. Used as a context manager, which holds the file against a second writer.

    Parameters
    ----------
    directory : path
        Folder of the file; created if missing.
    stem : str
        First part of the file's name; the hash of the settings is the second, so that
        results made with other settings stay in a file of their own.
    settings : mapping
        Everything on which a task's result depends, JSON values only.
    """

    def __init__(
        self, directory: str | os.PathLike[str], stem: str, settings: Mapping[str, JsonValue]
    ) -> None:
        self.settings = dict(settings)
        self.path = Path(directory) / f"{stem}-{settings_hash(settings)}.jsonl"
        self._file: BinaryIO | None = None

    def __enter__(self) -> ResultsFile:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
        try:
            _lock(self._file, self.path)
            _drop_torn_line(self._file)
            if self._file.tell() == 0:
                self._write({"settings": self.settings})
            self._check_header()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def finished(self) -> Json:
        """Return the result of every finished task by its key."""
        return {line["key"]: line["result"] for line in self._lines()[1:]}

    def append(self, key: str, result: JsonValue) -> None:
        """Write one finished task and wait until it is on the disk."""
        self._write({"key": key, "result": result})

    def _write(self, record: Mapping[str, JsonValue]) -> None:
        if self._file is None:
            raise ResultsFileError(f"{self.path} is not open: use it in a with statement.")
        # Not-a-number has no spelling in JSON: a task must say None for what does not exist.
        self._file.write(json.dumps(record, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _check_header(self) -> None:
        header = self._lines()[0]
        if header.get("settings") != json.loads(json.dumps(self.settings)):
            raise ResultsFileError(
                f"{self.path} was made with other settings than this run's: "
                "move the file away or choose another output folder."
            )

    def _lines(self) -> list[Json]:
        lines = self.path.read_bytes().split(b"\n")[:-1]
        return [self._record(line, number) for number, line in enumerate(lines, start=1)]

    def _record(self, line: bytes, number: int) -> Json:
        """Record of one line: the settings in the first, a finished task in the others."""
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ResultsFileError(
                f"{self.path} should hold one JSON object a line, but one line is not "
                f"(line {number}: {error}): move the file away and run again."
            ) from error
        expected = {"settings"} if number == 1 else {"key", "result"}
        is_record = isinstance(record, dict) and set(record) == expected
        if not is_record or not isinstance(record.get("key", ""), str):
            raise ResultsFileError(
                f"{self.path} should hold {' and '.join(sorted(expected))} in line {number}, but "
                f"it holds {json.dumps(record)[:60]}: move the file away and run again."
            )
        return dict(record)


def _lock(file: BinaryIO, path: Path) -> None:
    """Refuse a second writer; the system lifts the lock when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; two writers there are the user's affair.
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ResultsFileError(
            f"{path} is being written by another run: wait for it or choose another output folder."
        ) from error


def _drop_torn_line(file: BinaryIO) -> None:
    """Cut the file after its last newline and go to its end."""
    file.seek(0)
    content = file.read()
    file.truncate(content.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)
