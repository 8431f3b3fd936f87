"""Files that are there whole, or not at all; devices and pipes are written to as they are."""

from __future__ import annotations

import errno
import os
import re
import secrets
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, NoReturn

_STREAM = re.compile(r"/(?:dev/fd|proc/self/fd)/(\d+)")
# Signals that end a process without a word to it.
_ENDS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes that takes its name once it is complete and on the disk.

    After an error, a signal or a crash, what stood there before stands there as it was. A symbolic
    link stays one: the file that it points to is replaced. A device, a pipe or a stream such as
    ``/dev/stdout`` is written to as it is; a folder, a socket or a disk is refused.
    """
    with _replacing(path) if is_replaceable(path) else _as_it_is(path) as file:
        yield file


def is_replaceable(path: str | os.PathLike[str]) -> bool:
    """Whether a path names a file, or nothing yet, rather than a device, a pipe or a stream."""
    if standard_stream(path) is not None:
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


def standard_stream(path: str | os.PathLike[str]) -> int | None:
    """The number of the open stream that a path such as ``/dev/stdout`` names, or None.

    >>> standard_stream("/dev/fd/2"), standard_stream("stdout")
    (2, None)
    """
    place = os.path.abspath(path)
    for _ in range(40):  # as many links as Linux follows
        match = _STREAM.fullmatch(place.replace(f"/proc/{os.getpid()}/", "/proc/self/"))
        if match:
            return int(match[1])
        if not os.path.islink(place):
            return None
        place = os.path.normpath(os.path.join(os.path.dirname(place), os.readlink(place)))
    return None


@contextmanager
def _as_it_is(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    stream = standard_stream(path)
    if stream is not None:
        # Opened by its name, a file behind the stream would be cut to nothing.
        descriptor = os.dup(_printed_to(stream))
    else:
        mode = os.stat(path).st_mode
        for is_such, what in (
            (stat.S_ISDIR, "it is a folder"),
            (stat.S_ISSOCK, "it is a socket, to which no file can be written"),
            (stat.S_ISBLK, "it is a disk, which a file would destroy"),
        ):
            if is_such(mode):
                raise OSError(errno.EINVAL, what, os.fspath(path))
        descriptor = os.open(path, os.O_WRONLY)
    with os.fdopen(descriptor, "wb") as file:
        yield file


def _printed_to(stream: int) -> int:
    """The stream of standard output, which a program may have replaced, after a flush."""
    printed = {1: sys.stdout, 2: sys.stderr}.get(stream)
    try:
        if printed is not None:
            printed.flush()
            return printed.fileno()
    except (OSError, AttributeError, ValueError):  # replaced by something that is no stream
        pass
    return stream


@contextmanager
def _replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    # A long name is cut, so that the name of the unfinished file stays within the system's limit.
    unfinished = target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}.unfinished")
    with _ends_by_exception():
        descriptor = _opened(unfinished, path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, target)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


def _opened(unfinished: Path, path: str | os.PathLike[str]) -> int:
    """The new file; where there can be none, an error that names the requested path."""
    try:
        # Not tempfile: its files are closed to everybody else, where a user's own are not.
        return os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        reason = error.strerror
        if error.errno == errno.ENOENT and not unfinished.parent.exists():
            reason = f"{reason}: there is no folder {str(unfinished.parent)!r}; make it first"
        raise OSError(error.errno, reason, os.fspath(path)) from None


@contextmanager
def _ends_by_exception() -> Iterator[None]:
    """Turn signals that would end the process at once into exceptions, which clean up.

    A signal for which the program has a handler of its own is left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return
    before: dict[Any, Any] = {}
    try:
        for number in _ENDS:
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _exit)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
