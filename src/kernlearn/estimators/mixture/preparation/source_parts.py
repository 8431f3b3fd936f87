"""From one source to numbers: tables, sparse matrices, text, sequences, graphs, kernel matrices.

Every part becomes a table of numbers, dense or sparse, so that all candidates can read it. A row
that lacks a source has zeros in its part, where the others have their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer

from kernlearn.estimators.inputs.sources import KernelRows
from kernlearn.estimators.mixture.preparation.column_kinds import NUMBER, ColumnKinds
from kernlearn.estimators.mixture.preparation.columns import NumberColumn
from kernlearn.estimators.mixture.preparation.sparse_columns import SparsePreparation
from kernlearn.estimators.mixture.preparation.table import (
    RANKED,
    STANDARD,
    Preparation,
)
from kernlearn.estimators.mkl.thing_kernels import WORDS_OF_THINGS, vectorizer_of_text
from kernlearn.kernels import Kernel, Normalized
from kernlearn.kernels._sharing import sharing
from kernlearn.kernels._validation import is_frame, is_missing, take_rows
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Mask, Rows, Things

# Most training rows that sequences and graphs are compared with.
_LANDMARKS = 1000
# Most training rows of a kernel matrix, whose values need no computation.
_LANDMARKS_OF_MATRIX = 2000
# Directions of a kernel matrix whose variance is below this part of the largest are rounding.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class TablePart:
    """Columns of numbers, dates and categories, standardised."""

    kinds: ColumnKinds
    preparation: Preparation
    # Whether rows may lack all columns together, as those of a source; they have zeros then.
    may_lack: bool

    @classmethod
    def fit(cls, X: Rows, kinds: ColumnKinds, scale: bool, may_lack: bool) -> TablePart:
        """From training rows of a table with all of its columns."""
        plain, names = kinds.plain(X), [kinds.columns[j].name for j in kinds.places]
        there = _known(plain) if may_lack else np.ones(plain.shape[0], dtype=bool)
        if not there.any():
            raise ValueError(
                "expected some rows that have the source with the columns "
                f"{', '.join(names[:5])}, got none: all of its cells are missing; leave it out"
            )
        rows = plain if there.all() else take_rows(plain, np.flatnonzero(there))
        found = Preparation.fit(rows, names, scale, kinds.are_categories)
        return cls(kinds, found, may_lack)

    @property
    def is_bent(self) -> bool:
        """Whether ranks are to be tried."""
        return RANKED in self.preparation.tables

    @property
    def widths(self) -> list[int]:
        """The number of prepared columns, of which kernels of any kind can be made."""
        return [len(self.preparation.origins)]

    @property
    def are_features(self) -> bool:
        """Whether inner products of the columns are the kernel."""
        return False

    @property
    def scales(self) -> Array | None:
        """Factors that return the columns to one unit, of mean square one; None if units differ.

        The columns of a source of numbers alone may have one unit: spectra, counts of words and
        principal components lose by being standardised.
        """
        is_plain = self.may_lack and all(one.kind == NUMBER for one in self.kinds.columns)
        numbers = [one for one in self.preparation.columns if isinstance(one, NumberColumn)]
        if not is_plain or any(column.scales[1] > 0 for column in numbers):
            return None
        found = np.array([column.scales[0] for column in numbers if column.scales[0] > 0])
        if len(found) < 2:
            return None
        found = found / found.max()
        return np.asarray(found / np.sqrt(np.mean(found**2)))

    def apply(self, X: Rows, table: str = STANDARD) -> Array:
        """The standardised or ranked columns."""
        plain = self.kinds.plain(X)
        found = self.preparation.apply(plain, table)
        if self.may_lack:
            found = np.where(_known(plain)[:, None], found, 0.0)
        return found


@dataclass(frozen=True, eq=False)
class SparsePart:
    """A sparse matrix, its columns scaled."""

    preparation: SparsePreparation

    @classmethod
    def fit(cls, X: Rows, scale: bool) -> SparsePart:
        """From training rows."""
        names = [f"x{j}" for j in range(X.shape[1])]
        return cls(SparsePreparation.fit(csr_array(X, dtype=float), names, scale))

    @property
    def widths(self) -> list[int]:
        """The number of columns."""
        return [len(self.preparation.factors)]

    @property
    def are_features(self) -> bool:
        """False: kernels of any kind can be made of the columns."""
        return False

    def apply(self, X: Rows) -> csr_array:
        """The scaled columns."""
        return self.preparation.apply(X, STANDARD)

    def descriptions(self, name: str) -> dict[str, str]:
        """The kind of the source, in words."""
        return {name: f"sparse matrix of {counted(self.widths[0], 'column')}"}


@dataclass(frozen=True, eq=False)
class TextPart:
    """Free text as the TF-IDF of its words."""

    vectorizer: TfidfVectorizer

    @classmethod
    def fit(cls, cells: Rows, name: str) -> TextPart:
        """From the texts of training rows, None where missing."""
        texts = [text for text in _texts(cells) if text]
        try:
            return cls(vectorizer_of_text().fit(texts))
        except ValueError as error:
            raise ValueError(
                f"expected words in the text of {name!r}, got none that can be counted ({error}); "
                f"leave it out by columns={{{name!r}: 'ignore'}}, or take it for a category"
            ) from error

    @property
    def widths(self) -> list[int]:
        """The number of words."""
        return [len(self.vectorizer.vocabulary_)]

    @property
    def are_features(self) -> bool:
        """True: texts are compared by inner products."""
        return True

    def apply(self, cells: Rows) -> csr_array:
        """The TF-IDF of the words; zeros where a text is missing."""
        return csr_array(self.vectorizer.transform(_texts(cells)))

    def descriptions(self, name: str) -> dict[str, str]:
        """The kind of the source, in words."""
        return {name: f"text, by the TF-IDF of {counted(self.widths[0], 'word')}"}


@dataclass(frozen=True, eq=False)
class ThingPart:
    """Sequences or graphs, by features of kernels with some training rows."""

    kind: str
    kernels: list[Kernel]
    points: Things  # some training rows
    factors: list[Array]  # of each kernel, from its values with the points to features
    means: list[Array]  # of these features

    @classmethod
    def fit(cls, things: Things, kind: str, kernels: Sequence[Kernel]) -> ThingPart:
        """From training rows, None where missing."""
        there = _things_known(things)
        if len(there) == 0:
            raise ValueError(
                f"expected some rows with a {kind}, got none: all are missing; leave the source out"
            )
        chosen = there[np.unique(np.linspace(0, len(there) - 1, _LANDMARKS).astype(int))]
        points, parts = things[chosen], [Normalized(kernel) for kernel in kernels]
        with sharing():
            matrices = [kernel(points) for kernel in parts]
        factors = [_features_of(K) for K in matrices]
        means = [(K @ B).mean(axis=0) for K, B in zip(matrices, factors, strict=True)]
        return cls(kind, parts, points, factors, means)

    @property
    def widths(self) -> list[int]:
        """The number of features of every kernel."""
        return [factor.shape[1] for factor in self.factors]

    @property
    def are_features(self) -> bool:
        """True: inner products of the features are the kernels."""
        return True

    def apply(self, things: Things) -> Array:
        """The features of all kernels, around their means; zeros for rows without a thing."""
        there = _things_known(things)
        found = np.zeros((len(things), sum(self.widths)))
        if len(there):
            with sharing():
                parts = [
                    kernel(things[there], self.points) @ factor - mean
                    for kernel, factor, mean in zip(
                        self.kernels, self.factors, self.means, strict=True
                    )
                ]
            found[there] = np.hstack(parts)
        return found

    def descriptions(self, name: str) -> dict[str, str]:
        """The kind of the source, in words."""
        return {name: WORDS_OF_THINGS[self.kind]}


@dataclass(frozen=True, eq=False)
class KernelPart:
    """A kernel matrix, by features whose inner products it holds."""

    rows: Indices  # the training rows, as places in the matrix that was given
    factor: Array  # from kernel values with these rows to features

    @classmethod
    def fit(cls, matrix: KernelRows, name: str) -> KernelPart:
        """From the square matrix of the training rows, or of a part of them if they are many."""
        chosen = np.linspace(0, len(matrix.rows) - 1, _LANDMARKS_OF_MATRIX).astype(int)
        rows = matrix.rows[np.unique(chosen)]
        K = KernelRows(matrix.K, rows).values_with(rows)
        size = float(np.abs(K).max(initial=0.0))
        if not np.isfinite(size) or np.abs(K - K.T).max(initial=0.0) > 1e-8 * max(size, 1e-300):
            raise ValueError(
                f"expected the kernel matrix {name!r} to be symmetric and finite, got one that is "
                "not; symmetrise it by (K + K.T) / 2, and replace what is missing"
            )
        return cls(rows, _features_of(K))

    @property
    def widths(self) -> list[int]:
        """The number of features."""
        return [self.factor.shape[1]]

    @property
    def are_features(self) -> bool:
        """True: inner products of the features are the kernel."""
        return True

    def apply(self, rows: Rows) -> Array:
        """The features, from rows of the same matrix or from values with the training rows."""
        if isinstance(rows, KernelRows):
            return rows.values_with(self.rows) @ self.factor
        K = np.asarray(rows, dtype=float)
        if K.ndim != 2 or K.shape[1] <= self.rows.max():
            raise ValueError(
                "expected kernel values of every row with all training rows, got shape "
                f"{K.shape}; pass a matrix of {int(self.rows.max()) + 1} columns at least"
            )
        return K[:, self.rows] @ self.factor

    def descriptions(self, name: str) -> dict[str, str]:
        """The kind of the source, in words."""
        return {name: "precomputed kernel"}


SourcePart: TypeAlias = TablePart | SparsePart | TextPart | ThingPart | KernelPart


def _features_of(K: Array) -> Array:
    """B with K B Bᵀ K = K, from the eigenvectors of a kernel matrix."""
    values, vectors = eigh((K + K.T) / 2.0)
    kept = values > _ROUNDING * max(float(values[-1]), 1e-300)
    if not kept.any():
        return np.zeros((len(K), 1))
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def _known(plain: Rows) -> Mask:
    """Mask of the rows that have a cell at least."""
    if is_frame(plain):
        return np.asarray(plain.notna().any(axis=1))
    if plain.dtype.kind != "f":
        return np.ones(len(plain), dtype=bool)
    return np.asarray(~np.isnan(plain).all(axis=1))


def _things_known(things: Things) -> Indices:
    return np.flatnonzero([not is_missing(thing) for thing in things])


def _texts(cells: Rows) -> list[str]:
    """Texts, empty where one is missing."""
    column = cells.tolist() if hasattr(cells, "tolist") else list(cells)
    return ["" if is_missing(cell) else str(cell) for cell in column]
