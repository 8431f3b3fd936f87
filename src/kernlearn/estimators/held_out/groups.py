r"""Rows that are held out together: the groups of the user, and copies of one row.

Rows of one patient resemble each other. If some of them train and others are held out, the
held-out score measures memory of the patient, not prediction of a new one. A
copy of a row does the same in every table, so copies form a group unless chance makes them: if
columns hold few values, equal rows are different observations. With :math:`c_j` the share of pairs
of rows that agree in column j, a row of independent columns has :math:`(n - 1) \prod_j c_j` twins
by chance. If that is one or more, equal rows do not count as copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, issparse
from scipy.sparse.csgraph import connected_components
from sklearn.utils import _safe_indexing

from kernlearn._cluster import on_this_machine
from kernlearn._device import to_host
from kernlearn.kernels._validation import is_frame
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Rows, Targets

Hashes = NDArray[np.uint64]

# Odd factors with bits all over, by which numbers of 64 bits are mixed.
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
# Expected twins by chance from which on equal rows do not count as copies.
_TWINS = 1.0
# Rows that estimate how often columns agree, and rows of one block.
_SAMPLE, _BLOCK = 5000, 2**16


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Groups of rows that are held out together."""

    codes: Indices  # numbers of the groups by their first rows; copies join theirs; (n,)
    user_codes: Indices | None = None  # the user's groups, numbered in label order; (n,)
    n_duplicates: int = 0  # rows that repeat an earlier one

    @classmethod
    def of(cls, rows: Rows, groups: Rows, n: int) -> RowGroups:
        """From n checked rows and the `groups` of a call of fit, which may be None.

        >>> RowGroups.of(np.array([[0.5], [0.7], [0.5], [0.9]]), None, 4).codes.tolist()
        [0, 1, 0, 2]
        """
        user_codes = None if groups is None else _checked(groups, n)
        copies = equal_rows(rows)
        if copies is None:
            return cls(
                np.arange(n) if user_codes is None else codes_by_first_row(user_codes), user_codes
            )
        n_duplicates = n - (int(copies.max()) + 1)
        codes = copies if user_codes is None else _joined(user_codes, copies)
        if user_codes is not None and codes.max() == 0:
            raise ValueError(
                f"expected two groups at least that share no row, got {user_codes.max() + 1} that "
                "are joined by equal rows: nothing could be held out; pass labels by which equal "
                "rows are of one group, or groups=None"
            )
        return cls(codes, user_codes, n_duplicates)

    def subset(self, rows: Indices) -> RowGroups:
        """The groups of some of the rows, in any order."""
        user_codes = None if self.user_codes is None else self.user_codes[rows]
        return RowGroups(codes_by_first_row(self.codes[rows]), user_codes, self.n_duplicates)

    def __len__(self) -> int:
        """Number of groups."""
        return int(self.codes.max()) + 1

    @cached_property
    def known(self) -> Indices | None:
        """The numbers of the groups; None if every row is a group of its own."""
        return self.codes if len(self) < len(self.codes) else None


def blocks_of(codes: Indices | None) -> list[Indices]:
    """The rows of every group that has several.

    >>> [rows.tolist() for rows in blocks_of(np.array([0, 1, 0, 2]))]
    [[0, 2]]
    """
    if codes is None:
        return []
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    return [part for part in parts if len(part) > 1]


def equal_rows(rows: Rows) -> Indices | None:
    """Numbers of rows, which equal rows share, in the order of their first occurrence.

    None if the rows are no table in memory. If chance makes rows equal, all numbers differ.
    """
    is_array = isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "biuf"
    is_sparse = issparse(rows) and rows.format == "csr"
    if not (is_array or is_sparse or is_frame(rows)):
        return None
    n = rows.shape[0]
    codes = codes_by_first_row(np.concatenate([_hashes(block) for block in _blocks(rows)]))
    if codes.max() == n - 1:
        return codes
    some = _safe_indexing(rows, np.linspace(0, n - 1, min(n, _SAMPLE)).astype(int))
    return np.arange(n) if (n - 1) * _agreement(some) >= _TWINS else codes


def _blocks(rows: Rows) -> Iterator[Rows]:
    """Rows of an array that may be a file, some at a time; frames have columns, and are whole."""
    if not isinstance(rows, np.ndarray):
        yield rows
        return
    for start in range(0, len(rows), _BLOCK):
        yield np.asarray(rows[start : start + _BLOCK], dtype=float)


def group_codes(groups: Rows, n: int) -> Indices:
    """Numbers of the user's groups, in the order of their labels."""
    labels = np.asarray(to_host(on_this_machine(groups)))
    if labels.shape not in ((n,), (n, 1)):
        raise ValueError(
            f"expected groups to hold one label for each of {counted(n, 'row')}, got an array of "
            f"shape {labels.shape}; pass the column that says which rows belong together"
        )
    labels = labels.reshape(n)
    missing = labels != labels if labels.dtype.kind != "O" else _missing(labels)
    if missing.any():
        raise ValueError(
            f"expected a label in groups for every row, got {counted(int(missing.sum()), 'row')} "
            "without one; give such a row a label of its own, or leave it out"
        )
    if labels.dtype.kind == "O":
        labels = labels.astype(str)
    return np.asarray(np.unique(labels, return_inverse=True)[1].reshape(-1))


def _checked(groups: Rows, n: int) -> Indices:
    """Numbers of groups of which some can be held out."""
    codes = group_codes(groups, n)
    if codes.max() == 0:
        label = np.asarray(to_host(on_this_machine(groups))).flat[0]
        raise ValueError(
            f"expected two groups at least, got one ({label}) for all rows: nothing could be "
            "held out; pass groups=None, or the labels of smaller groups"
        )
    return codes


def _missing(labels: Targets) -> NDArray[np.bool_]:
    gaps = ("None", "nan", "NaT", "<NA>")
    return np.array([not isinstance(label, str) and str(label) in gaps for label in labels])


def codes_by_first_row(labels: Targets) -> Indices:
    """Numbers of labels in the order of their first rows."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[codes.reshape(-1)])


def _joined(groups: Indices, copies: Indices) -> Indices:
    """Join groups that have a row in common."""
    n_groups, n_rows = int(groups.max()) + 1, int(copies.max()) + 1
    if n_rows == len(copies):
        return codes_by_first_row(groups)
    edges = coo_array(
        (np.ones(len(groups)), (groups, n_groups + copies)), shape=(n_groups + n_rows,) * 2
    )
    return codes_by_first_row(connected_components(edges, directed=False)[1][groups])


def _hashes(rows: Rows) -> Hashes:
    """A number for every row, which equal rows share."""
    if issparse(rows):
        parts, cells = _stored_cell_hashes(rows)
        sums = np.append(np.uint64(0), np.cumsum(parts, dtype=np.uint64))
        return np.asarray(sums[cells.indptr[1:]] - sums[cells.indptr[:-1]])
    total = np.zeros(rows.shape[0], dtype=np.uint64)
    for j in range(rows.shape[1]):
        total = _mixed_bits(total + _cell_hashes(rows, j))
    return total


def _agreement(rows: Rows) -> float:
    """The share of pairs of rows that would be equal if columns were independent."""
    n, n_columns = rows.shape
    if issparse(rows):
        parts, cells = _stored_cell_hashes(rows)
        _, first, counts = np.unique(parts, return_index=True, return_counts=True)
        zeros = n - np.bincount(cells.indices, minlength=n_columns).astype(float)
        pairs = zeros * (zeros - 1.0)
        pairs += np.bincount(cells.indices[first], counts * (counts - 1.0), minlength=n_columns)
    else:
        pairs = np.empty(n_columns)
        for j in range(n_columns):
            counts = np.unique(_cell_hashes(rows, j), return_counts=True)[1]
            pairs[j] = (counts * (counts - 1.0)).sum()
    return float(np.prod(pairs / max(n * (n - 1.0), 1.0)))


def _cell_hashes(rows: Rows, j: int) -> Hashes:
    """Hashes of the cells of a column: bits of numbers, or codes of texts."""
    if isinstance(rows, np.ndarray):
        return _bits(rows[:, j])
    column = rows.iloc[:, j]
    try:
        return _bits(np.asarray(column, dtype=float))
    except (TypeError, ValueError):
        return np.asarray(column.astype(str).factorize()[0].astype(np.uint64))


def _stored_cell_hashes(rows: Rows) -> tuple[Hashes, Rows]:
    """Hashes of the non-zero cells of a sparse matrix, and these cells."""
    cells = rows.copy()
    cells.sum_duplicates()
    cells.eliminate_zeros()
    return _mixed_bits(_mixed_bits(cells.indices.astype(np.uint64)) + _bits(cells.data)), cells


def _bits(numbers: Array) -> Hashes:
    """The bits of numbers, the same for both zeros and for all missing numbers."""
    column = np.asarray(numbers, dtype=float) + 0.0
    column[np.isnan(column)] = np.nan
    return np.ascontiguousarray(column).view(np.uint64)


def _mixed_bits(numbers: Hashes) -> Hashes:
    """Numbers that share no bits with their neighbours any more."""
    numbers = numbers * _FACTORS[0]
    numbers ^= numbers >> np.uint64(29)
    numbers = numbers * _FACTORS[1]
    return np.asarray(numbers ^ (numbers >> np.uint64(32)))
