"""When the memory of a device is used up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from kernlearn._device.places import CURE, Place
from kernlearn.typing import DeviceArray


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the memory of a device is used up; the host's is another."""
    by_name = type(error).__name__ == "OutOfMemoryError"
    return by_name or (isinstance(error, RuntimeError) and "out of memory" in str(error).lower())


def give_back(array: DeviceArray) -> None:
    """Return memory that the library of an array keeps for later."""
    library = Place.of(array).library
    if library == "torch":
        import_module("torch").cuda.empty_cache()
    elif library == "cupy":
        import_module("cupy").get_default_memory_pool().free_all_blocks()


@contextmanager
def device_memory_errors() -> Iterator[None]:
    """Turn what a library says when a device is full into a sentence with the cure."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise MemoryError(
            "expected more free memory on the device, got less than this fit needs; choose a "
            f"rank, or a smaller rank, end what else uses it, or {CURE}"
        ) from error
