"""Ways in which bytes and JSON values go wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from kernlearn.typing import JsonValue

Random = np.random.Generator
Choice = TypeVar("Choice")
JsonPath = tuple[str | int, ...]

STRANGE: tuple[JsonValue, ...] = (
    None, True, -1, 0, 2**70, 1e308, float("nan"), "", "\0", "a\0b", "\x1b]0;x\x07", "=1+1",
    "é" * 300, "\ud800", "../../x", "__class__", [], {}, [[]], {"a": None}, [None] * 3,
)  # fmt: skip


def one_of(rng: Random, choices: Sequence[Choice]) -> Choice:
    """One of the choices."""
    return choices[int(rng.integers(len(choices)))]


def mutated_bytes(rng: Random, content: bytes) -> bytes:
    """Bits turned, bytes removed, doubled or put in, or an end cut off."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(max(len(data), 1)))
        length = int(rng.integers(1, 40))
        kind = int(rng.integers(6))
        if kind == 0 and data:
            data[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del data[place : place + length]
        elif kind == 2:
            data[place:place] = data[place : place + length]
        elif kind == 3:
            data[place:place] = rng.integers(0, 256, length).astype(np.uint8).tobytes()
        elif kind == 4:
            del data[place:]
        else:
            data[place : place + length] = bytes(length)
    return bytes(data)


def mutated_json(rng: Random, value: JsonValue) -> JsonValue:
    """A copy with one part replaced, removed, doubled or nested."""
    paths = list(_paths(value))
    path = one_of(rng, paths)
    kind = int(rng.integers(5))
    if not path or kind == 0:
        return _with(value, path, one_of(rng, STRANGE)) if path else one_of(rng, STRANGE)
    if kind == 1:
        return _with(value, path, _REMOVED)
    other = one_of(rng, paths)
    found = _at(value, other)
    if kind == 2:
        return _with(value, path, found)  # a part of it at another place
    if kind == 3:
        return _with(value, path, [_at(value, path)])
    return _with(value, path, {"content": _at(value, path)})


_REMOVED = object()


def _paths(value: JsonValue, path: JsonPath = ()) -> Iterator[JsonPath]:
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _paths(value[key], (*path, key))


def _at(value: JsonValue, path: JsonPath) -> JsonValue:
    for key in path:
        value = value[key]
    return value


def _with(value: JsonValue, path: JsonPath, new: JsonValue) -> JsonValue:
    """A copy in which the part at a path is another, sharing all that is the same."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    part = _with(value[key], rest, new)
    items = value.items() if isinstance(value, dict) else enumerate(value)
    changed = [(name, part if name == key else old) for name, old in items]
    kept = [(name, entry) for name, entry in changed if entry is not _REMOVED]
    return dict(kept) if isinstance(value, dict) else [entry for _, entry in kept]
