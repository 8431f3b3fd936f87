"""Several sources on the same rows, as one object that indexes by row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from kernlearn._cluster import on_this_machine
from kernlearn._device import to_host
from kernlearn.estimators.inputs.cells import check_unique_names
from kernlearn.kernels._validation import as_pandas_frame, check_things, is_frame, take_rows
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Rows


@dataclass(frozen=True, eq=False)
class KernelRows:
    """Some rows of a kernel matrix over all points.

    The matrix stays whole, and `rows` says which of its rows are meant: a fit reads the columns of
    its own rows, and a prediction those of the training rows.
    """

    K: Array  # of shape (N, N)
    rows: Indices  # of shape (n,)

    @property
    def shape(self) -> tuple[int, int]:
        """One row number for every row."""
        return len(self.rows), 1

    def __getitem__(self, chosen: Rows) -> KernelRows:
        return KernelRows(self.K, self.rows[chosen])

    def values_with(self, rows: Indices) -> Array:
        """Kernel values with other rows of the matrix."""
        return np.asarray(self.K[np.ix_(self.rows, rows)], dtype=float)


class Sources:
    """Several sources that describe the same rows, with an index over the rows.

    A dictionary of tables cannot be split into training and test rows. This object can:
    scikit-learn takes rows of it in ``train_test_split``, ``cross_val_score`` and
    ``GridSearchCV``. Every estimator that takes a dictionary of
    sources takes this object, too.

    Parameters
    ----------
    sources : mapping from str to array-like
        One entry for each source, all with the same rows in the same order: an array or a data
        frame of numbers and categories, a sparse matrix, a list of texts, sequences or graphs, or a
        kernel matrix. A row lacks a source if its cells are all missing, or if its text,
        sequence or graph is None.
    precomputed : collection of str, default=()
        The names of those sources that are kernel matrices over all rows. Their columns follow the
        rows: a fit on some rows reads their columns alone, and a prediction reads the columns of
        the training rows.

    Attributes
    ----------
    names : list of str
        Names of the sources.
    shape : tuple of int
        The number of rows, and of the columns of all sources together.

    See Also
    --------
    kernlearn.KernelClassifier : Learns from several sources.
    kernlearn.MKLClassifier : Combines kernels of several sources.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn import Sources
    >>> genes = np.arange(12.0).reshape(4, 3)
    >>> sources = Sources({"genes": genes, "note": ["well", "ill", None, "well again"]})
    >>> sources
    Sources of 4 rows: genes (3 columns), note
    >>> sources[[0, 3]]["note"].tolist()
    ['well', 'well again']
    """

    def __init__(self, sources: Mapping[str, Rows], precomputed: Collection[str] = ()) -> None:
        if not hasattr(sources, "items") or issparse(sources) or is_frame(sources):
            raise ValueError(
                "expected a mapping from names to sources, got "
                f"{type(sources).__name__}; pass a dictionary such as {{'genes': table}}"
            )
        if not sources:
            raise ValueError("expected one source at least, got none; add a table")
        parts = {str(name): part for name, part in sources.items()}
        unknown = [name for name in precomputed if name not in parts]
        if isinstance(precomputed, str) or unknown:
            raise ValueError(
                f"expected precomputed to hold names among {', '.join(parts)}, got "
                f"{precomputed!r}; name the sources that are kernel matrices"
            )
        self._parts = {
            name: _kernel_rows(part, name) if name in precomputed else _rows(part, name)
            for name, part in parts.items()
        }
        _check_lengths(self._parts)

    @property
    def names(self) -> list[str]:
        """Names of the sources."""
        return list(self._parts)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns of all sources together."""
        n_rows = next(iter(self._parts.values())).shape[0]
        return n_rows, sum(_n_columns(part) for part in self._parts.values())

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, chosen: Rows) -> Any:
        """A source by its name, or some rows of all sources."""
        if isinstance(chosen, str):
            return self._parts[chosen]
        if isinstance(chosen, tuple) and chosen[1:] == (Ellipsis,):
            chosen = chosen[0]  # so writes scikit-learn
        if not isinstance(chosen, slice):
            chosen = np.atleast_1d(np.asarray(chosen))
        some = object.__new__(Sources)
        some._parts = {name: take_rows(part, chosen) for name, part in self._parts.items()}
        return some

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def keys(self) -> list[str]:
        """Names of the sources, as of a dictionary."""
        return self.names

    def __repr__(self) -> str:
        parts = [
            f"{name} ({counted(_n_columns(part), 'column')})" if len(part.shape) == 2 else name
            for name, part in self._parts.items()
        ]
        return f"Sources of {counted(len(self), 'row')}: {', '.join(parts)}"


def _n_columns(part: Rows) -> int:
    return int(part.shape[1]) if len(part.shape) == 2 else 1


def _rows(part: Rows, name: str) -> Any:
    """A table with rows and columns, or an array of one thing in each row."""
    if isinstance(part, KernelRows):
        return part
    part = as_pandas_frame(to_host(on_this_machine(part)))
    if issparse(part):
        return csr_array(part)
    if is_frame(part):
        check_unique_names(part, f"source {name!r}")
        return part
    cells = np.asarray(part) if isinstance(part, np.ndarray) else part
    if isinstance(cells, np.ndarray) and cells.ndim == 2:
        return cells
    if getattr(getattr(part, "dtype", None), "kind", "") in "biufmM" and hasattr(part, "dtype"):
        return part.to_frame(name) if hasattr(part, "to_frame") else cells.reshape(-1, 1)
    if not isinstance(part, list | tuple) and not hasattr(part, "iloc") and np.ndim(part) != 1:
        raise ValueError(
            f"expected source {name!r} to be a table, a sparse matrix or a list with one thing in "
            f"each row, got {type(part).__name__}; put its rows into one of these"
        )
    if _holds_numbers(part):
        table = np.asarray(part, dtype=float)
        return table.reshape(len(table), -1)
    return check_things(part, f"source {name!r}")


def _holds_numbers(part: Rows) -> bool:
    """Whether a list holds numbers, or rows of numbers of one length."""
    if not isinstance(part, list | tuple) or not part:
        return False
    # Graphs of networkx, for example, would be unpacked into the numbers of their nodes.
    if not all(isinstance(row, list | tuple | np.ndarray | np.generic | Real) for row in part):
        return False
    try:
        cells = np.asarray(part)
    except ValueError:
        return False
    return bool(cells.dtype.kind in "biuf" and cells.ndim in (1, 2))


def _kernel_rows(part: Rows, name: str) -> KernelRows:
    """All rows of a kernel matrix."""
    K = np.asarray(to_host(on_this_machine(part)))
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.dtype.kind not in "biuf":
        raise ValueError(
            f"expected the precomputed source {name!r} to be a square matrix of numbers, got shape "
            f"{K.shape}; pass the kernel of all rows with all rows"
        )
    return KernelRows(K, np.arange(len(K)))


def _check_lengths(parts: Mapping[str, Rows]) -> None:
    (first, rows), *others = ((name, part.shape[0]) for name, part in parts.items())
    for name, n_rows in others:
        if n_rows != rows:
            raise ValueError(
                f"expected as many rows in every source, got {rows} in {first!r} and {n_rows} in "
                f"{name!r}; pass the same rows, in the same order, for all"
            )
