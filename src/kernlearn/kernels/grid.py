"""Families of kernels on columns, too many to hold: the i-th one is made when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from numbers import Integral
from typing import Any, overload

import numpy as np
from sklearn.base import BaseEstimator

from kernlearn.kernels._validation import check_rows, is_frame
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.columns import ColumnChoice, Columns
from kernlearn.runtime.memory import require
from kernlearn.typing import Indices, Table


class Grid(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no type information
    r"""Every one of several kernels on every subset of columns of given sizes.

    For ``kernels=`` of :class:`kernlearn.MKLClassifier`, :class:`kernlearn.MKLRegressor` and
    :class:`kernlearn.MKLNoveltyDetector`, in place of a list. Kernels are made when they are looked
    at and never stored, so there may be hundreds of thousands.

    Parameters
    ----------
    kernels : Kernel or list of Kernel
        Kernels on every subset, for example Gaussians of several widths.
    size : int or list of int, default=1
        Number of columns of a subset: 1 for single columns, 2 for all pairs, ``[1, 2]`` for both.
    columns : int, str, slice, or list of ints or strs, optional
        The columns to choose from, as in :class:`Columns`; by default all.
    subsets : list of lists of ints or strs, optional
        The subsets themselves, in place of `size` and `columns`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.kernels import Gaussian, Grid
    >>> family = Grid([Gaussian(0.1), Gaussian(1.0)], size=[1, 2]).bind(np.zeros((5, 30)))
    >>> len(family), family[0]
    (930, Columns(columns=[0], kernel=Gaussian(gamma=0.1)))
    >>> family[60]
    Columns(columns=[0, 1], kernel=Gaussian(gamma=0.1))
    """

    def __init__(
        self,
        kernels: Kernel | Sequence[Kernel],
        size: int | Sequence[int] = 1,
        columns: ColumnChoice | None = None,
        subsets: Sequence[ColumnChoice] | None = None,
    ) -> None:
        self.kernels = kernels
        self.size = size
        self.columns = columns
        self.subsets = subsets

    @property
    def takes_things(self) -> bool:
        """Whether a kernel takes other rows than numbers."""
        return any(getattr(kernel, "takes_things", False) for kernel in _as_list(self.kernels))

    @property
    def takes_sparse(self) -> bool:
        """Whether all kernels take sparse tables."""
        return all(getattr(kernel, "takes_sparse", False) for kernel in _as_list(self.kernels))

    def bind(self, X: Table) -> GridKernels:
        """The sequence of kernels for tables with the columns of `X`.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            A table; only its columns matter.

        Returns
        -------
        kernels : sequence of Kernel
            With a length, and the i-th kernel on demand.
        """
        name = type(self).__name__
        table = check_rows(X, "X")
        if table.ndim != 2:
            raise ValueError(
                f"{name} needs a table with columns, got one thing in each row; pass a data frame "
                "or an array, or a list of kernels."
            )
        kernels = self._checked_kernels(name)
        labels = [str(label) for label in table.columns] if is_frame(table) else None
        if self.subsets is not None:
            if self.columns is not None or self.size != 1:
                raise ValueError(
                    f"{name} takes either subsets or size and columns, got both; leave one out."
                )
            subsets = [list(Columns(s, kernels[0]).positions(table)) for s in self._given(name)]
            return GridKernels(kernels, labels, [], [], subsets)
        every = slice(None) if self.columns is None else self.columns
        columns = list(dict.fromkeys(Columns(every, kernels[0]).positions(table)))
        return GridKernels(kernels, labels, columns, self._checked_sizes(name, len(columns)), None)

    def _checked_kernels(self, name: str) -> list[Kernel]:
        kernels = _as_list(self.kernels)
        for kernel in kernels:
            if not isinstance(kernel, Kernel):
                raise ValueError(
                    f"{name} must be given a kernel or a list of kernels, got {kernel!r}; pass for "
                    "example [Gaussian(0.1), Gaussian(1.0)]."
                )
        if not kernels:
            raise ValueError(
                f"{name} must be given at least one kernel, got an empty list; pass for example "
                "Gaussian()."
            )
        return kernels

    def _given(self, name: str) -> list[ColumnChoice]:
        if not isinstance(self.subsets, list | tuple) or not self.subsets:
            raise ValueError(
                f"{name} must be given a list of subsets of columns, got {self.subsets!r}; pass "
                "for example [[0], [0, 2]]."
            )
        return list(self.subsets)

    def _checked_sizes(self, name: str, n_columns: int) -> list[int]:
        sizes: list[Any] = list(self.size) if isinstance(self.size, list | tuple) else [self.size]
        for size in sizes:
            whole = isinstance(size, Integral) and not isinstance(size, bool)
            if not whole or not 1 <= size <= n_columns:
                raise ValueError(
                    f"{name} chooses subsets of 1 to {n_columns} columns, as many as there are, "
                    f"got size={self.size!r}; choose whole numbers in that range."
                )
        if not sizes or len(set(sizes)) < len(sizes):
            raise ValueError(
                f"{name} takes each size once, got size={self.size!r}; pass for example [1, 2]."
            )
        return [int(size) for size in sizes]


class PerColumn(Grid):
    """Every one of several kernels on every single column; a :class:`Grid` of size one.

    Parameters
    ----------
    kernels : Kernel or list of Kernel
        Kernels on every column.
    columns : int, str, slice, or list of ints or strs, optional
        The columns, as in :class:`Columns`; by default all.

    Examples
    --------
    >>> import numpy as np
    >>> from kernlearn.kernels import Gaussian, PerColumn
    >>> PerColumn(Gaussian(0.5)).bind(np.zeros((5, 30)))[29]
    Columns(columns=[29], kernel=Gaussian(gamma=0.5))
    """

    size = 1
    subsets = None

    def __init__(
        self, kernels: Kernel | Sequence[Kernel], columns: ColumnChoice | None = None
    ) -> None:
        self.kernels = kernels
        self.columns = columns


class GridKernels(Sequence[Kernel]):
    """A :class:`Grid` for tables of known columns: the kernels of the first subset come first.

    Subsets have given `sizes` and are chosen from `columns`, or are given themselves.
    """

    def __init__(
        self,
        kernels: list[Kernel],
        labels: list[str] | None,
        columns: list[int],
        sizes: list[int],
        subsets: list[list[int]] | None,
    ) -> None:
        self.kernels, self.labels = kernels, labels
        self.columns, self.sizes, self.subsets = columns, sizes, subsets

    @property
    def n_subsets(self) -> int:
        """Number of subsets."""
        if self.subsets is not None:
            return len(self.subsets)
        return sum(comb(len(self.columns), size) for size in self.sizes)

    def __len__(self) -> int:
        return self.n_subsets * len(self.kernels)

    @overload
    def __getitem__(self, i: int) -> Kernel: ...

    @overload
    def __getitem__(self, i: slice) -> list[Kernel]: ...

    def __getitem__(self, i: int | slice) -> Kernel | list[Kernel]:
        if isinstance(i, slice):
            return [self[j] for j in range(len(self))[i]]
        subset, kernel = divmod(range(len(self))[i], len(self.kernels))
        chosen = self.subset(subset)
        name = None if self.labels is None else ", ".join(self.labels[c] for c in chosen)
        return Columns(chosen, self.kernels[kernel], name)

    def subset(self, i: int) -> list[int]:
        """The columns of the i-th subset."""
        if self.subsets is not None:
            return list(self.subsets[i])
        for size in self.sizes:
            count = comb(len(self.columns), size)
            if i < count:
                return [self.columns[p] for p in _unranked(i, len(self.columns), size)]
            i -= count
        raise IndexError(i)

    def groups(self) -> Iterator[tuple[Indices, Indices]]:
        """Numbers of the subsets of one size, of shape (s,), and their columns, (s, size)."""
        if self.subsets is not None:
            lengths = np.array([len(subset) for subset in self.subsets])
            for size in np.unique(lengths):
                numbers = np.flatnonzero(lengths == size)
                yield numbers, np.array([self.subsets[i] for i in numbers], dtype=np.intp)
            return
        columns, first = np.array(self.columns, dtype=np.intp), 0
        for size in self.sizes:
            count = comb(len(columns), size)
            require(
                8.0 * count * (size + 4),
                f"the list of {count:,} subsets of {size} columns",
                "choose fewer columns, or smaller subsets",
            )
            flat = (p for chosen in combinations(range(len(columns)), size) for p in chosen)
            places = np.fromiter(flat, np.intp, count * size).reshape(count, size)
            yield np.arange(first, first + count), columns[places]
            first += count


def _unranked(i: int, n: int, size: int) -> list[int]:
    """The i-th of the subsets of range(n) in the order of ``itertools.combinations``.

    >>> [_unranked(i, 4, 2) for i in range(6)] == [list(c) for c in combinations(range(4), 2)]
    True
    """
    chosen: list[int] = []
    for place in range(n):
        with_it = comb(n - place - 1, size - len(chosen) - 1)
        if i < with_it:
            chosen.append(place)
            if len(chosen) == size:
                return chosen
        else:
            i -= with_it
    raise IndexError(i)


def _as_list(kernels: Kernel | Sequence[Kernel]) -> list[Any]:
    return list(kernels) if isinstance(kernels, list | tuple) else [kernels]
