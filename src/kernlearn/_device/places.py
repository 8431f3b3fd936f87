"""Libraries of arrays and their devices, and tables whose rows are worked on there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from kernlearn.typing import DeviceArray, Rows

HOST = "cpu"
CURE = "use device=None, which works on the host, or 'cpu'"
# Other arrays either convert themselves to NumPy's, or are for nobody.
_LIBRARIES = ("torch", "cupy", "array_api_strict")
# A table is kept on a device if it takes no more than this part of the memory that is free there.
_COMFORTABLE = 0.125


def is_elsewhere(array: object) -> bool:
    """Whether an array is one of another library than NumPy, wherever its memory is."""
    return type(array).__module__.partition(".")[0] in _LIBRARIES


@dataclass(frozen=True)
class Place:
    """A library, and the device on which it works."""

    library: str  # "torch", "cupy" or "array_api_strict"
    device: str  # as the library names it: "cuda:0" in words of PyTorch

    def __str__(self) -> str:
        return f"{self.library}:{self.device}"

    @classmethod
    def named(cls, name: str) -> Place:
        """The place of that name."""
        library, _, device = name.partition(":")
        return cls(library, device)

    @classmethod
    def of(cls, array: DeviceArray) -> Place:
        """The place of an array that is elsewhere."""
        library = type(array).__module__.partition(".")[0]
        if library == "cupy":
            return cls(library, f"cuda:{array.device.id}")
        return cls(library, str(array.device) if library == "torch" else HOST)

    def put(self, array: DeviceArray, kind: type[np.generic] = np.float64) -> DeviceArray:
        """The same numbers there; on the host they may be in the same memory."""
        # PyTorch has no strides below zero, and warns of arrays that it must not write to.
        numbers = np.require(array, dtype=kind, requirements=["C", "W"])
        if self.library == "torch":
            return import_module("torch").as_tensor(numbers, device=self.device)
        xp = import_module(self.library)
        if self.library == "cupy":
            with xp.cuda.Device(int(self.device.partition(":")[2])):
                return xp.asarray(numbers)
        return xp.asarray(numbers)

    def free_bytes(self) -> float | None:
        """Memory that is free there; None where it is the host's."""
        if self.library == "torch" and self.device.startswith("cuda"):
            torch = import_module("torch")
            unused = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(
                self.device
            )
            return float(torch.cuda.mem_get_info(self.device)[0] + unused)
        if self.library == "cupy":
            cupy = import_module("cupy")
            with cupy.cuda.Device(int(self.device.partition(":")[2])):
                unused = cupy.get_default_memory_pool().free_bytes()
                return float(cupy.cuda.runtime.memGetInfo()[0] + unused)
        return None


class Placed:
    """A table on the host whose rows are worked on elsewhere.

    Taking rows moves them there; the whole table is moved once if it is small beside the memory.
    """

    def __init__(self, table: Rows, place: Place) -> None:
        self.table, self.place, self.shape = table, place, table.shape
        free = place.free_bytes()
        fits = free is not None and 8.0 * table.size <= _COMFORTABLE * free
        self._there = place.put(table) if fits else None

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: Rows) -> DeviceArray:
        """Some rows, elsewhere."""
        if self._there is None:
            return self.place.put(self.table[rows])
        return self._there[rows] if isinstance(rows, slice) else take(self._there, rows)


def rows_on_host(rows: Rows) -> int:
    """How many rows the host itself works on: none of a table that is worked on elsewhere.

    Threads of the host's linear algebra would wait for those of the device's library.
    """
    return 0 if isinstance(rows, Placed) or is_elsewhere(rows) else len(rows)


def on_place(rows: Rows, place: Place | None) -> DeviceArray:
    """A checked table as a source of rows that are worked on at a place; itself for the host."""
    if place is None:
        return rows
    try:
        table = rows if isinstance(rows, np.ndarray) else np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "expected a table of numbers for a device, got columns of other things; "
            f"encode them, or {CURE}"
        ) from None
    return Placed(table, place)


def all_rows(source: Rows) -> DeviceArray:
    """A source of rows as one array, where it is worked on."""
    return source[:] if isinstance(source, Placed) else source


def to_host(array: DeviceArray) -> DeviceArray:
    """An array of NumPy from any that is elsewhere; all else as it is."""
    if isinstance(array, Placed):
        return array.table
    if not is_elsewhere(array):
        return array
    if hasattr(array, "detach"):
        return array.detach().cpu().numpy()
    return array.get() if hasattr(array, "get") else np.asarray(array)


def room_beside(source: Rows, on_host: float) -> float:
    """Numbers that may be kept beside a source of rows: `on_host` of them on the host."""
    free = source.place.free_bytes() if isinstance(source, Placed) else None
    return on_host if free is None else free / 32.0


def namespace(array: DeviceArray) -> Any:
    """The functions that take such arrays, by the names of the array API."""
    return compat().array_namespace(array) if is_elsewhere(array) else np


def beside(array: DeviceArray, other: DeviceArray) -> DeviceArray:
    """An array of the host where another one is; itself if that is on the host too."""
    if not is_elsewhere(other):
        return array
    array = all_rows(array)
    return array if is_elsewhere(array) else Place.of(other).put(np.asarray(array))


def take(array: DeviceArray, rows: Rows) -> DeviceArray:
    """Some rows of an array, by a slice or by the positions of the host."""
    if not is_elsewhere(array) or isinstance(rows, slice):
        return array[rows]
    positions = Place.of(array).put(np.asarray(rows), np.int64)
    return namespace(array).take(array, positions, axis=0)


def compat() -> Any:
    """The package array_api_compat, or scikit-learn's copy of it, imported when it is needed."""
    for name in ("array_api_compat", "sklearn.externals.array_api_compat"):
        with suppress(ImportError):
            return import_module(name)
    raise ImportError(
        "arrays of PyTorch and CuPy need the package array-api-compat, which is not "
        'installed: run pip install "kernlearn[gpu]"'
    )
