"""The devices of this machine, the choice of one, and errors of a full device memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from kernlearn._device.places import CURE, HOST, Place, is_elsewhere
from kernlearn.typing import DeviceArray, Rows

_CUDA = re.compile(r"cuda(:\d+)?")


def place_of(device: object, X: Rows) -> Place | None:
    """The place where the rows of X are processed: None for NumPy on the host.

    `device` is None, which follows X, "cpu", "cuda" or the like of "cuda:1"; X is the table as the
    user passed it.

    Raises
    ------
    ValueError, ImportError
        With the cure, if there is no such device, or no library for it.
    """
    if device is None:
        return Place.of(X) if is_elsewhere(X) else None
    if device == HOST:
        return None
    if not isinstance(device, str) or not _CUDA.fullmatch(device):
        raise ValueError(
            f"expected device to be None, 'cpu', 'cuda' or the like of 'cuda:1', got {device!r}; "
            f"{CURE}"
        )
    number = int(device.partition(":")[2] or 0)
    counts = {library: count for library, count, _ in libraries()}
    for library, count in counts.items():
        if number < count:
            return Place(library, f"cuda:{number}")
    if not counts:
        raise ImportError(
            f"device={device!r} needs PyTorch or CuPy, neither of which is installed: run "
            'pip install "kernlearn[gpu]"'
        )
    found = max(counts.values())
    raise ValueError(
        f"expected a CUDA device for device={device!r}, got {found} of them by "
        f"{' and '.join(counts)}; {CURE}"
    )


def libraries() -> list[tuple[str, int, str]]:
    """The GPU libraries that are installed: name, number of CUDA devices, version."""
    found = []
    for library in ("torch", "cupy"):
        try:
            module = import_module(library)
        except ImportError:
            continue
        found.append((library, _count(module), str(module.__version__)))
    return found


def cuda_devices() -> list[dict[str, object]]:
    """The CUDA devices found, with the library that finds them: name, title, bytes of memory."""
    found = []
    for library, count, _ in libraries():
        module = import_module(library)
        for number in range(count):
            if library == "torch":
                properties = module.cuda.get_device_properties(number)
                title, memory = properties.name, properties.total_memory
            else:
                facts = module.cuda.runtime.getDeviceProperties(number)
                title, memory = facts["name"].decode(), facts["totalGlobalMem"]
            found.append(
                {"device": f"cuda:{number}", "name": title, "memory": memory, "by": library}
            )
    return found


def _count(module: ModuleType) -> int:
    """CUDA devices that a library can use."""
    try:
        if module.__name__ == "torch":
            return int(module.cuda.device_count())
        return int(module.cuda.runtime.getDeviceCount())
    except Exception:  # without a driver, each library has an error of its own
        return 0


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error is raised by a full memory of a device, not of the host."""
    by_name = type(error).__name__ == "OutOfMemoryError"
    return by_name or (isinstance(error, RuntimeError) and "out of memory" in str(error).lower())


def free_cached_memory(array: DeviceArray) -> None:
    """Return memory that the library of an array keeps for later."""
    library = Place.of(array).library
    if library == "torch":
        import_module("torch").cuda.empty_cache()
    elif library == "cupy":
        import_module("cupy").get_default_memory_pool().free_all_blocks()


@contextmanager
def device_memory_errors() -> Iterator[None]:
    """Turn a library's error for a full device into a message with the cure."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise MemoryError(
            "expected more free memory on the device, got less than this fit needs; choose a "
            f"rank, or a smaller rank, end what else uses it, or {CURE}"
        ) from error
