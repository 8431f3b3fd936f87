"""Types of arrays that the whole library shares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Array",
    "DataFrame",
    "Folds",
    "Indices",
    "Json",
    "JsonValue",
    "LongArray",
    "Mask",
    "PandasFrame",
    "PandasIndex",
    "PandasSeries",
    "Table",
    "Targets",
]

if TYPE_CHECKING:
    from pandas import DataFrame as PandasFrame
    from pandas import Index as PandasIndex
    from pandas import Series as PandasSeries
else:  # pandas is optional
    PandasFrame = PandasIndex = PandasSeries = Any

Array = NDArray[np.float64]
"""Numbers in double precision."""

Matrix = NDArray[np.float64]
"""A table of numbers: dense, sparse or on a device, with the operations of arrays."""

Indices = NDArray[np.intp]
"""Positions of rows, columns or kernels."""

Mask = NDArray[np.bool_]
"""True where a row, column or cell is chosen."""

LongArray = NDArray[np.longdouble]
"""Numbers in long double, as certificates use them."""

Things = NDArray[np.object_]
"""One thing of any kind in each row: a text, a graph, a set."""

RandomState = int | np.random.RandomState | None
"""A ``random_state`` as scikit-learn takes it."""

Targets = NDArray[Any]
"""Labels of any type, or numbers."""

Json = dict[str, Any]
"""Facts as JSON has them: None, bool, int, float, str, and lists and dicts of these."""

JsonValue: TypeAlias = Any
"""A value of JSON: a number, a text, None, or a list or dict of these."""

Folds = list[tuple[Indices, Indices]]
"""Training and held-out rows of each fold."""

AnyFloatArray = NDArray[Any]
"""Numbers in double precision or in long double."""

Scalar: TypeAlias = Any
"""A number in double precision or in long double."""

Rows: TypeAlias = Any
"""Rows of a table, wherever they are: an array, a data frame, a sparse matrix or things on this
machine, an array on a device, or chunks on a cluster. No type describes all of them."""

DaskObject: TypeAlias = Any
"""A collection, a task, its result or a client of Dask, which has no types."""

DeviceArray: TypeAlias = Any
"""An array of NumPy, PyTorch or CuPy: no type describes all of them."""


class Splitter(Protocol):
    """Divides rows into folds, as scikit-learn's splitters do."""

    def split(self, X: Rows, y: Targets) -> Iterable[tuple[Indices, Indices]]:
        """Training and held-out rows of each fold."""


FoldsLike: TypeAlias = int | Splitter | Iterable[tuple[Indices, Indices]]
"""A ``cv`` as scikit-learn takes it: a number of folds, a splitter, or the folds."""


class Table(Protocol):
    """Rows as kernels are called with them: of an array, a data frame or a sparse matrix."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns; of rows alone, where each is one thing."""

    @property
    def ndim(self) -> int:
        """Number of dimensions: two for a table, one for a list of things."""

    def __getitem__(self, key: Any, /) -> Any:
        """Some of its rows and columns."""


class DataFrame(Table, Protocol):
    """A table whose columns have names, as pandas has it."""

    iloc: Any
    columns: Any
    index: Any
    equals: Any
    isna: Any
    notna: Any
    dtypes: Any
    to_numpy: Any
