r"""Where arrays live: the one file that knows of PyTorch, CuPy and GPUs.

Work on rows follows the array that it is given. An array of NumPy stays on the host; one of another
library is *elsewhere*: whatever is computed from it is computed there, in float64, until `to_host`
brings the result back. Code for both is written once, against the array API; what differs between
the libraries is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.linalg.blas import dsyrk

HOST = "cpu"
# Other arrays either convert themselves to NumPy's, or are for nobody.
_LIBRARIES = ("torch", "cupy", "array_api_strict")
_CUDA = re.compile(r"cuda(:\d+)?")
# A table is kept on a device if it takes no more than this part of the memory that is free there.
_COMFORTABLE = 0.125
_CURE = "use device=None, which works on the host, or 'cpu'"


def is_elsewhere(array: Any) -> bool:
    """Whether an array is one of another library than NumPy, wherever its memory is."""
    return type(array).__module__.partition(".")[0] in _LIBRARIES


def namespace(array: Any) -> Any:
    """The functions that take such arrays, by the names of the array API."""
    return _compat().array_namespace(array) if is_elsewhere(array) else np


def to_host(array: Any) -> Any:
    """An array of NumPy from any that is elsewhere; all else as it is."""
    if isinstance(array, Placed):
        return array.table
    if not is_elsewhere(array):
        return array
    if hasattr(array, "detach"):
        return array.detach().cpu().numpy()
    return array.get() if hasattr(array, "get") else np.asarray(array)


@dataclass(frozen=True)
class Place:
    """A library, and the device on which it works.

    Attributes
    ----------
    library : str
        "torch", "cupy" or "array_api_strict".
    device : str
        As the library names it: "cuda:0" in words of PyTorch.
    """

    library: str
    device: str

    def __str__(self) -> str:
        return f"{self.library}:{self.device}"

    @classmethod
    def named(cls, name: str) -> Place:
        """The place of that name."""
        library, _, device = name.partition(":")
        return cls(library, device)

    @classmethod
    def of(cls, array: Any) -> Place:
        """Where an array is that is elsewhere."""
        library = type(array).__module__.partition(".")[0]
        if library == "cupy":
            return cls(library, f"cuda:{array.device.id}")
        return cls(library, str(array.device) if library == "torch" else HOST)

    def put(self, array: Any, kind: Any = np.float64) -> Any:
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

    Parameters
    ----------
    table : ndarray of shape (n, d)
        The rows.
    place : Place
        Where to.
    """

    def __init__(self, table: Any, place: Place) -> None:
        self.table, self.place, self.shape = table, place, table.shape
        free = place.free_bytes()
        fits = free is not None and 8.0 * table.size <= _COMFORTABLE * free
        self._there = place.put(table) if fits else None

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: Any) -> Any:
        """Some rows, elsewhere."""
        if self._there is None:
            return self.place.put(self.table[rows])
        return self._there[rows] if isinstance(rows, slice) else take(self._there, rows)


def placed(rows: Any, place: Place | None) -> Any:
    """A checked table as a source of rows that are worked on at a place; itself for the host."""
    if place is None:
        return rows
    try:
        table = rows if isinstance(rows, np.ndarray) else np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "expected a table of numbers for a device, got columns of other things; "
            f"encode them, or {_CURE}"
        ) from None
    return Placed(table, place)


def all_rows(source: Any) -> Any:
    """A source of rows as one array, where it is worked on."""
    return source[:] if isinstance(source, Placed) else source


def place_of(device: Any, X: Any) -> Place | None:
    """Where work on the rows of X is to be done: None for NumPy on the host.

    Parameters
    ----------
    device : None, "cpu", "cuda" or "cuda:1"
        What was asked for; None follows X.
    X : object
        The table as the user passed it.

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
            f"{_CURE}"
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
        f"{' and '.join(counts)}; {_CURE}"
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


def cuda_devices() -> list[dict[str, Any]]:
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


def _count(module: Any) -> int:
    """CUDA devices that a library can use."""
    try:
        if module.__name__ == "torch":
            return int(module.cuda.device_count())
        return int(module.cuda.runtime.getDeviceCount())
    except Exception:  # without a driver, each library has an error of its own
        return 0


def room_beside(source: Any, on_host: float) -> float:
    """Numbers that may be kept where a source of rows is worked on: so many on the host."""
    free = source.place.free_bytes() if isinstance(source, Placed) else None
    return on_host if free is None else free / 32.0


def beside(array: Any, other: Any) -> Any:
    """An array of the host where another one is; itself if that is on the host too."""
    if not is_elsewhere(other):
        return array
    array = all_rows(array)
    return array if is_elsewhere(array) else Place.of(other).put(np.asarray(array))


def take(array: Any, rows: Any) -> Any:
    """Some rows of an array, by a slice or by the positions of the host."""
    if not is_elsewhere(array) or isinstance(rows, slice):
        return array[rows]
    positions = Place.of(array).put(np.asarray(rows), np.int64)
    return namespace(array).take(array, positions, axis=0)


def take_columns(array: Any, columns: Any) -> Any:
    """Some columns of a matrix, by the positions of the host."""
    return take(array.T, columns).T if is_elsewhere(array) else array[:, columns]


def empty_beside(shape: tuple[int, ...], other: Any) -> Any:
    """Room for numbers where another array is."""
    if not is_elsewhere(other):
        return np.empty(shape)
    xp = namespace(other)
    return xp.empty(shape, dtype=xp.float64, device=_compat().device(other))


def eye_beside(n_rows: int, n_columns: int, other: Any) -> Any:
    """Ones on the diagonal of a matrix where another array is."""
    if not is_elsewhere(other):
        return np.eye(n_rows, n_columns)
    xp = namespace(other)
    return xp.eye(n_rows, n_columns, dtype=xp.float64, device=_compat().device(other))


def copied(array: Any) -> Any:
    """A new array of the same numbers."""
    return 1.0 * array if is_elsewhere(array) else array.copy()


def column_dots(A: Any, B: Any) -> Any:
    """The inner products of the columns of two matrices."""
    return namespace(A).sum(A * B, axis=0) if is_elsewhere(A) else np.einsum("ij,ij->j", A, B)


def row_dots(A: Any, B: Any) -> Any:
    """The inner products of the rows of two matrices."""
    return namespace(A).sum(A * B, axis=1) if is_elsewhere(A) else np.einsum("ij,ij->i", A, B)


def lower_products(Z: Any, total: Any = None) -> Any:
    """ZᵀZ, added to a total, which may be overwritten; the host makes only the lower triangle.

    There are zeros above it.
    """
    if is_elsewhere(Z):
        return Z.T @ Z if total is None else total + Z.T @ Z
    if Z.shape[1] == 0:
        return np.zeros((0, 0))
    # The transpose of a C-contiguous block is how BLAS sees it.
    if total is None:
        return dsyrk(1.0, Z.T, lower=1)
    return dsyrk(1.0, Z.T, beta=1.0, c=total, lower=1, overwrite_c=1)


def add_to_diagonal(A: Any, values: Any) -> Any:
    """A square matrix in C order with a number, or numbers, added to its diagonal in place."""
    if not is_elsewhere(A):
        A[np.diag_indices(len(A))] += values
    elif hasattr(A, "diagonal"):
        diagonal = A.diagonal()  # a view
        diagonal += values
    else:
        A += namespace(A).eye(A.shape[0]) * values
    return A


def lower_triangle(A: Any) -> Any:
    """What `lower_products` has found, on the host, with zeros above the diagonal."""
    return np.tril(to_host(A)) if is_elsewhere(A) else A


def lower_factor(A: Any) -> Any:
    """The lower Cholesky factor, `LinAlgError` where there is none; what is above is undefined.

    On the host a matrix in C order is overwritten.
    """
    if not is_elsewhere(A):
        # LAPACK reads columns. The transpose of a symmetric matrix is the matrix itself in that
        # order, so that nothing need be copied.
        return cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)[0]
    library = Place.of(A).library
    if library == "torch":
        factor, info = import_module("torch").linalg.cholesky_ex(A)
        if int(info) == 0:
            return factor
    elif library == "cupy":
        factor = import_module("cupy").linalg.cholesky(A)  # NaN where it breaks down
        if bool(namespace(A).all(namespace(A).isfinite(factor))):
            return factor
    else:
        return beside(lower_factor(to_host(A).copy()), A)
    raise LinAlgError("the matrix is not positive definite")


def solve_lower(L: Any, B: Any, transposed: bool = False) -> Any:
    """L⁻¹B, or L⁻ᵀB, for a lower triangular L."""
    if not is_elsewhere(L):
        return solve_triangular(L, B, lower=True, trans=int(transposed), check_finite=False)
    library = Place.of(L).library
    if library == "torch":
        solve = import_module("torch").linalg.solve_triangular
        return solve(L.T, B, upper=True) if transposed else solve(L, B, upper=False)
    if library == "cupy":
        solve = import_module("cupyx.scipy.linalg").solve_triangular
        return solve(L, B, lower=True, trans=int(transposed))
    return beside(solve_lower(to_host(L), to_host(B), transposed), L)


def solve_factored(L: Any, B: Any) -> Any:
    """(LLᵀ)⁻¹B."""
    if not is_elsewhere(L):
        return cho_solve((L, True), B, check_finite=False)
    return solve_lower(L, solve_lower(L, B), transposed=True)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that the memory of a device is used up; the host's is another."""
    by_name = type(error).__name__ == "OutOfMemoryError"
    return by_name or (isinstance(error, RuntimeError) and "out of memory" in str(error).lower())


def give_back(array: Any) -> None:
    """Return memory that the library of an array keeps for later."""
    library = Place.of(array).library
    if library == "torch":
        import_module("torch").cuda.empty_cache()
    elif library == "cupy":
        import_module("cupy").get_default_memory_pool().free_all_blocks()


@contextmanager
def telling_of_memory() -> Iterator[None]:
    """Turn what a library says when a device is full into a sentence with the cure."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise MemoryError(
            "expected more free memory on the device, got less than this fit needs; choose a "
            f"smaller rank, end what else uses it, or {_CURE}"
        ) from error


def _compat() -> Any:
    try:
        return import_module("array_api_compat")
    except ImportError as error:
        raise ImportError(
            "arrays of PyTorch and CuPy need the package array-api-compat, which is not "
            'installed: run pip install "kernlearn[gpu]"'
        ) from error
