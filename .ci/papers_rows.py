"""Change what each row of *The papers, line by line* names, and see that its test fails.

Numbers that a function returns are made 2 % larger, and so are those of the methods of a class.
What returns nothing is left out. A row *survives* if the tests that it names still pass: then they
do not look at it, or not closely enough. All rows take about six minutes of one core:

    python .ci/papers_rows.py [WORD ...]

runs those whose statement, file or name contains one of the words. It ends with 1 if any survives.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import importlib
import io
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "papers_line_by_line.md").read_text("utf-8")
ROWS = re.findall(r"^\| (.+?) \| `(\S+\.py)` \| `(\S+)` \| `(\S+\.py)` \|$", PAGE, re.MULTILINE)
UNCHANGED = {"__init__", "__post_init__", "__repr__", "__eq__", "__hash__", "__len__"}


def changed(value: Any, deep: bool = True) -> Any:
    """The value with other numbers; an error where it holds none that can be changed."""
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        return value * 1.02 + 0.01
    if isinstance(value, tuple | list) and value and deep:
        parts = [changed(value[0]), *value[1:]]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict) and value and deep:
        return {key: changed(part) for key, part in value.items()}
    if dataclasses.is_dataclass(value) and deep:
        other = copy.copy(value)
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            if isinstance(part, float | np.ndarray):
                with contextlib.suppress(RuntimeError):
                    object.__setattr__(other, field.name, changed(part, deep=False))
        if any(vars(other)[key] is not part for key, part in vars(value).items()):
            return other
    raise RuntimeError(f"a {type(value).__name__} is not to be had today")


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with other numbers, or without any effect if it returns nothing."""
    nothing = getattr(function, "__annotations__", {}).get("return") == "None"

    @functools.wraps(function)
    def other(*args: Any, **options: Any) -> Any:
        if nothing:
            return None
        found = function(*args, **options)
        return None if found is None else changed(found)

    return other


def change_function(function: types.FunctionType) -> None:
    """Change it in place, wherever it has been imported to."""
    code, names = function.__code__, function.__globals__
    original = types.FunctionType(code, names, function.__name__, function.__defaults__)
    original.__kwdefaults__, original.__annotations__ = (
        function.__kwdefaults__,
        function.__annotations__,
    )
    names["__other__"] = wrapped(original)
    made: dict[str, Any] = {}
    exec("def other(*args, **options): return __other__(*args, **options)", names, made)
    function.__defaults__ = function.__kwdefaults__ = None
    function.__code__ = made["other"].__code__


def change_class(kind: type, only: str | None) -> None:
    """Change one method of a class, or all of them."""
    for name, part in list(vars(kind).items()):
        if (only or name) != name or name in UNCHANGED:
            continue
        if isinstance(part, types.FunctionType):
            setattr(kind, name, wrapped(part))
        elif isinstance(part, classmethod | staticmethod):
            setattr(kind, name, type(part)(wrapped(part.__func__)))
        elif isinstance(part, property) and part.fget is not None:
            setattr(kind, name, property(wrapped(part.fget)))
        elif isinstance(part, functools.cached_property):
            part.func = wrapped(part.func)
        elif hasattr(part, "fn"):  # a method that only some models have
            part.fn = wrapped(part.fn)


def change(file: str, name: str) -> None:
    """Change what a row names."""
    module = importlib.import_module("kernlearn." + file[:-3].replace("/", "."))
    outer, _, method = name.partition(".")
    thing = getattr(module, outer)
    if isinstance(thing, type):
        change_class(thing, method or None)
    elif isinstance(thing, types.FunctionType):
        change_function(thing)
    else:  # a table of functions
        for key, entry in thing.items():
            thing[key] = dataclasses.replace(entry, function=wrapped(entry.function))


def survivors(words: list[str]) -> Iterator[str]:
    """The rows whose tests pass all the same; each is changed in a process of its own."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    for row in dict.fromkeys(ROWS):
        if words and not any(word in " ".join(row) for word in words):
            continue
        child = context.Process(target=tested, args=row)
        child.start()
        child.join()
        if child.exitcode == 0:
            yield " | ".join(row)


def tested(statement: str, file: str, name: str, test: str) -> None:
    """Change what the row names and run its test; exit with its status."""
    change(file, name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        options = ["-q", "-x", "-m", "not slow", "-p", "no:cacheprovider"]
        status = pytest.main([*options, str(ROOT / "tests" / test)])
    sys.exit(int(status))


if __name__ == "__main__":
    import kernlearn.estimators  # noqa: F401 (imported once, before the processes part)

    found = 0
    for line in survivors(sys.argv[1:]):
        print(line, flush=True)
        found += 1
    print(f"{found} of {len(dict.fromkeys(ROWS))} rows survive" if found else "every test fails")
    sys.exit(found > 0)
