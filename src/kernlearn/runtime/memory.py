"""The memory that a computation needs, compared with the free memory before it starts.

A matrix of 40,000 rows takes 13 GB. A system that runs out of memory does not tell the program so:
it ends it, or grinds to a halt. So the public functions reckon up the large arrays that they are
about to make, and refuse with the numbers where these do not fit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

# Set by the user to a size such as 8GB: what may be used, instead of what there is.
ALLOWANCE = "KERNLEARN_MEMORY"
# Less than this is not worth a look at the system: interpreter and libraries take as much.
SMALL = 64_000_000
# Above this size an interior-point solution takes longer than a patient libsvm would.
INTERIOR_LIMIT = 4000
FLOAT = 8

_limit: ContextVar[int | None] = ContextVar("kernlearn_memory_limit", default=None)
_requested: ContextVar[list[float] | None] = ContextVar("kernlearn_memory_asked", default=None)

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", re.IGNORECASE)


def require(needed: float, what: str, cure: str) -> None:
    """Refuse what does not fit, with both numbers and the cure.

    `needed` are bytes, at least as many as the largest arrays that exist together will take; `what`
    needs them, after "for"; `cure` is what would need less.
    """
    requested = _requested.get()
    if requested is not None:
        requested.append(needed)
    if needed <= SMALL and allowed() is None:
        return
    there = available()
    if there is not None and needed > there:
        more = f"set the environment variable {ALLOWANCE} if there is more"
        more = more if _limit.get() is None else "allow more of it"
        raise MemoryError(
            f"expected {in_words(needed)} of free memory for {what}, got {in_words(there)}; "
            f"{cure}, or {more}"
        )


@contextmanager
def limited_to(size: int) -> Iterator[None]:
    """Let everything within keep the whole process below `size` bytes.

    Refusals of larger sizes, and choices by available memory, such as a rank, go by the bytes that
    the process has not taken yet.
    """
    token = _limit.set(size)
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def recorded_requirements() -> Iterator[list[float]]:
    """Collect the bytes that all code within requires, granted or not.

    >>> with recorded_requirements() as requested:
    ...     require(matrices(2, 100), "two matrices", "use one")
    >>> requested
    [160000.0]
    """
    requested: list[float] = []
    token = _requested.set(requested)
    try:
        yield requested
    finally:
        _requested.reset(token)


def matrices(count: float, n_rows: int, n_columns: int | None = None) -> float:
    """Bytes of `count` matrices of floats, square ones if the columns are not given."""
    return float(count) * FLOAT * n_rows * (n_rows if n_columns is None else n_columns)


def require_matrices(count: int, n_rows: int, n_columns: int) -> None:
    """Refuse kernel matrices that do not fit."""
    what = "a kernel matrix" if count == 1 else f"{count} kernel matrices"
    require(
        matrices(count, n_rows, n_columns),
        f"{what} of {n_rows} x {n_columns} numbers",
        "take fewer rows, or pass a rank= to the estimator",
    )


def combination_bytes(
    n_kernels: int, n_points: int, n_machines: int, n_recombined: int = 0
) -> float:
    """Most bytes that learning the weights of the matrices takes, those matrices included.

    Beside the matrices there are K(w), what a kernel makes on the way to its matrix, for each
    machine the systems of its free points with their factors, and the interior-point method of a
    hard one (measured). Weights of both signs may ask for as many combinations of the matrices as
    there are matrices, ``n_recombined``.
    """
    interior = matrices(8, n_points) if n_points <= INTERIOR_LIMIT else 0.0
    return matrices(n_kernels + n_recombined + 2 + 5 * n_machines, n_points) + interior


def allowed() -> int | None:
    """Bytes that the user allows to be taken from now on; None without a limit.

    That is what :func:`limited_to` leaves, or else the environment variable.
    """
    limit = _limit.get()
    if limit is not None:
        return max(0, limit - resident())
    setting = os.environ.get(ALLOWANCE)
    return None if setting is None else parse_size(setting)


def available() -> int | None:
    """Bytes that can be taken without harm to others, or None if the system does not report it.

    The bytes that the user allows; else the least of the machine's free memory, the rest of the
    limits of the control groups that this process is in (those of containers), and the rest of its
    own limit (``ulimit -v``).
    """
    granted = allowed()
    if granted is not None:
        return granted
    limits = [
        size for size in (_of_machine(), *left_in_groups(), _of_process()) if size is not None
    ]
    return max(0, min(limits)) if limits else None


def resident() -> int:
    """Bytes that this process has in memory; zero if the system does not report it."""
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def parse_size(text: str, name: str = ALLOWANCE) -> int:
    """A size as people write it.

    >>> parse_size("1.5GB"), parse_size("2 GiB"), parse_size("500000")
    (1500000000, 2147483648, 500000)
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"expected {name} to be a size such as 8GB or 500MB, got {text!r}; set it to one, or "
            "leave it out"
        )
    number, unit, binary = match.groups()
    factor = _UNITS[unit.upper()]
    if binary:
        factor = 1024 ** ("KMGT".index(unit.upper()) + 1) if unit else 1
    return int(float(number) * factor)


def in_words(size: float) -> str:
    """A size as people read it.

    >>> in_words(24.3e9), in_words(812e6), in_words(3e13)
    ('24 GB', '0.81 GB', '30,000 GB')
    """
    gigabytes = size / 1e9
    return f"{gigabytes:,.0f} GB" if gigabytes >= 10 else f"{gigabytes:.2g} GB"


def _of_machine() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    # Not all of it is free, but no more than it can be had.
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def left_in_groups(
    root: Path = Path("/sys/fs/cgroup"), process: str = "/proc/self/cgroup"
) -> list[int]:
    """The free part of the limit of each control group, from this process's up to the root."""
    left = []
    with suppress(OSError):
        for line in Path(process).read_text().splitlines():
            _, controllers, place = line.split(":", 2)
            if controllers == "":  # the second version
                left += list(_left(root, place, "memory.max", "memory.current"))
            elif "memory" in controllers.split(","):
                names = "memory.limit_in_bytes", "memory.usage_in_bytes"
                left += list(_left(root / "memory", place, *names))
    return left


def _left(root: Path, place: str, limit: str, used: str) -> Iterator[int]:
    folder = root / place.lstrip("/")
    for group in (folder, *folder.parents):
        # The word "max" is no number: no limit.
        with suppress(OSError, ValueError):
            largest = int((group / limit).read_text())
            # Cached files of a group count as used, but are freed when needed.
            yield largest - int((group / used).read_text()) + _file_pages(group)
        if group == root:
            return


def _file_pages(group: Path) -> int:
    with suppress(OSError, ValueError, IndexError):
        for line in (group / "memory.stat").read_text().splitlines():
            if line.startswith(("inactive_file ", "total_inactive_file ")):
                return int(line.split()[1])
    return 0


def _of_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    with suppress(OSError, ValueError, IndexError):
        used = int(Path("/proc/self/statm").read_text().split()[0])
        return int(limit) - used * os.sysconf("SC_PAGE_SIZE")
    return int(limit)
