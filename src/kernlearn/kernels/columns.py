"""Kernels on some of the columns, or on columns multiplied by numbers of their own."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from kernlearn._device import is_elsewhere, take_columns
from kernlearn.kernels._composite import _Wrapper, check_part, with_parts
from kernlearn.kernels._parameters import non_negative_vector, one_for_each_column
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import is_finite, is_frame
from kernlearn.kernels.base import Kernel
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Table

ColumnChoice: TypeAlias = int | str | slice | Sequence[int | str]
"""Columns by their positions or by their names."""


class Columns(_Wrapper):
    r"""A view: the kernel sees only the chosen columns S, :math:`k(x_S, z_S)`.

    Parameters
    ----------
    columns : int, str, slice, or list of ints or strs
        The columns that the kernel sees: positions, or names when called with data frames.
    kernel : Kernel
        The kernel k. One that reads text or other things finds them in a single column.
    name : str, optional
        Name of the columns in formulas and pictures; by default `columns` itself.

    Examples
    --------
    >>> from kernlearn.kernels import Columns, Linear
    >>> Columns([0, 2], Linear())([[1.0, 9.0, 2.0]])
    array([[5.]])
    """

    passes_arrays = True

    def __init__(self, columns: ColumnChoice, kernel: Kernel, name: str | None = None) -> None:
        self.columns = columns
        self.kernel = kernel
        self.name = name

    def _evaluate(self, X: Table, Y: Table) -> Array:
        selected = self.selected(X)
        return self.kernel(selected, selected if Y is X else self.selected(Y))

    def _diag(self, X: Table) -> Array:
        return self.kernel.diag(self.selected(X))

    def sparse_rows(self, X: Table) -> SparseRows | None:
        """Sparse features of the kernel on the chosen columns."""
        return self.kernel.sparse_rows(self.selected(X))

    def _fitted(self, X: Table) -> Kernel:
        part = self.kernel.fitted_to(self.selected(X))
        return self if part is self.kernel else with_parts(self, kernel=part)

    def selected(self, X: Table) -> Table:
        """The chosen columns of a table."""
        positions = list(self.positions(X))

        def take() -> Any:
            if is_frame(X):
                return X.iloc[:, positions]
            if is_elsewhere(X):
                return take_columns(X, positions)
            # A slice of an array is a view, not a copy.
            return X[:, self.columns if isinstance(self.columns, slice) else positions]

        table: Table = shared(("columns", *positions), take, X)
        return table

    def positions(self, X: Table) -> tuple[int, ...]:
        """Positions of the chosen columns in a table."""
        if X.ndim != 2:
            raise ValueError(
                f"Columns need a table with columns, got one thing in each row for "
                f"{self.columns!r}; pass a data frame, or leave Columns out."
            )
        if isinstance(self.columns, slice):
            positions = list(range(X.shape[1]))[self.columns]
        else:
            chosen = self._chosen()
            by_name = isinstance(chosen[0], str)
            positions = _named(chosen, X) if by_name else _numbered(chosen, X.shape[1])
        if not positions:
            raise ValueError(
                f"Columns must choose at least one column, got {self.columns!r} for a table of "
                f"{counted(X.shape[1], 'column')}; choose columns that exist."
            )
        return tuple(positions)

    def _chosen(self) -> list[Any]:
        columns: Any = self.columns
        chosen = [columns] if isinstance(columns, (str, Integral)) else list(np.atleast_1d(columns))
        for kind in (str, Integral):
            if chosen and all(isinstance(c, kind) and not isinstance(c, bool) for c in chosen):
                return chosen
        raise ValueError(
            "Columns must be given as positions or as names, got "
            f"{columns!r}; pass a slice, a list of ints, or a list of strs."
        )


def _named(names: list[str], X: Table) -> list[int]:
    """Return the positions of the columns of the data frame `X` that have these names."""
    if not is_frame(X):
        raise ValueError(
            f"Columns chosen by name need a data frame, got {type(X).__name__} for {names}; pass a "
            "data frame, or choose the columns by position."
        )
    available = list(X.columns)
    missing = [str(name) for name in names if name not in available]
    if missing:
        raise ValueError(
            f"Columns must name columns of the data frame, got {missing}, which it does not have; "
            f"choose from {available}."
        )
    return [available.index(name) for name in names]


def _numbered(positions: list[int], n_columns: int) -> list[int]:
    outside = [int(p) for p in positions if not -n_columns <= p < n_columns]
    if outside:
        raise ValueError(
            f"Columns must be positions in a table of {counted(n_columns, 'column')}, got "
            f"{outside}; choose from 0 to {n_columns - 1}."
        )
    return [int(p) % n_columns for p in positions]


class Stretched(Kernel):
    r"""A kernel of stretched columns, :math:`k(s \circ x,\, s \circ z)`.

    It is to any kernel what the ARD Gaussian is to the Gaussian: the more a column is stretched,
    the more it counts, and not at all with a factor of zero.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    scales : array-like of shape (d,)
        The factors s, not negative.

    Examples
    --------
    >>> from kernlearn.kernels import Laplacian, Stretched
    >>> Stretched(Laplacian(1.0), [1.0, 0.0])([[0.0, 5.0], [1.0, 7.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    def __init__(self, kernel: Kernel, scales: ArrayLike) -> None:
        self.kernel = kernel
        self.scales = scales

    def _check_parameters(self) -> None:
        check_part(self.kernel, "Stretched")
        non_negative_vector(self.scales, "Stretched's scales")

    def _evaluate(self, X: Array, Y: Array) -> Array:
        stretched = self._stretched(X)
        return self.kernel(stretched, None if Y is X else self._stretched(Y))

    def _diag(self, X: Array) -> Array:
        return self.kernel.diag(self._stretched(X))

    def _stretched(self, X: Array) -> Array:
        stretched = X * one_for_each_column(self.scales, X.shape[1], "Stretched's scales")
        if not is_finite(stretched):
            raise NumericalError(self._overflow())
        return stretched
