"""Checks of paths before a command writes a file or a picture."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import typer

from kernlearn.cli.failure import BAD_USAGE, NO_RESULT, fail, system_message
from kernlearn.inspection._matplotlib import picture_formats, use_files_only
from kernlearn.inspection._text import plain
from kernlearn.runtime.atomic_files import is_replaceable, standard_stream


def check_outputs(outputs: Sequence[Path | None], inputs: Sequence[Path | None] = ()) -> None:
    """Refuse before the work what would fail after it, and what would destroy an input."""
    checked: list[Path] = []
    for path in outputs:
        if path is None:
            continue
        try:
            _check_output(path)
            for other in inputs:
                if other is not None and _is_same_file(path, other):
                    fail(
                        f"could not write {path}: it is {other}, which is read; choose another "
                        "name.",
                        BAD_USAGE,
                    )
            for other in checked:
                if is_replaceable(path) and _is_same_file(path, other):
                    fail(f"could not write two files into {path}: choose two names.", BAD_USAGE)
        except OSError as error:
            fail(f"could not write {path}: {system_message(error)}.", NO_RESULT)
        checked.append(path)


def _check_output(path: Path) -> None:
    if not is_replaceable(path):
        _check_as_it_is(path)
        return
    # The target of a link.
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        _fail_for_folder(path)
    if not os.access(folder, os.W_OK):
        fail(f"could not write {path}: the folder is read-only for you; choose another.", NO_RESULT)


def _check_as_it_is(path: Path) -> None:
    if standard_stream(path) is not None:
        return
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        _fail_for_folder(path)
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
        what = "a socket" if stat.S_ISSOCK(mode) else "a disk"
        fail(f"could not write {path}: it is {what}; choose the name of a file.", NO_RESULT)
    if not os.access(path, os.W_OK):
        fail(f"could not write {path}: it is read-only for you; choose another.", NO_RESULT)


def _fail_for_folder(path: Path) -> None:
    fail(
        f"could not write {path}: expected the name of a file in an existing folder; create the "
        "folder, or choose another name.",
        NO_RESULT,
    )


def _is_same_file(path: Path, other: Path) -> bool:
    """Whether two paths name one file, by links or other spellings too."""
    if standard_stream(path) is not None or standard_stream(other) is not None:
        return False
    if path.exists() and other.exists():
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def goes_to_stdout(*outputs: Path | None) -> bool:
    """Whether a file is written to standard output, where messages would be in its way."""
    return any(path is not None and standard_stream(path) == 1 for path in outputs)


def say(message: str, err: bool = False) -> None:
    """Print one line for a person; names in it are data, whatever codes they hold."""
    typer.echo(plain(message), err=err)


def check_picture(picture: Path, inputs: Sequence[Path] = ()) -> None:
    """Refuse before the work what would fail after it, and what would destroy an input."""
    if picture.is_dir() or not picture.parent.is_dir() or not picture.suffix:
        fail(
            f"could not draw {picture}: expected the name of a file in an existing folder, with an "
            "ending such as .png or .svg.",
            NO_RESULT,
        )
    check_outputs([picture], inputs)
    try:
        use_files_only()
    except ImportError as error:
        fail(f"could not draw {picture}: {error}", NO_RESULT)
    known = picture_formats()
    if picture.suffix.lower().lstrip(".") not in known:
        fail(
            f"could not draw {picture}: expected a name that ends in one of "
            f"{', '.join(f'.{ending}' for ending in known)}; .png is usual.",
            NO_RESULT,
        )
