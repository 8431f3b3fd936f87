"""Kernels of which each row is one thing: a sequence, a graph, a set, a series."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kernlearn.kernels._distances import squared_lengths
from kernlearn.kernels._sharing import shared
from kernlearn.kernels._validation import check_things
from kernlearn.kernels.base import Kernel
from kernlearn.typing import Array, Things

Codes = NDArray[np.int64]

# A pattern that occurs in more than this share of the things is cheaper in a dense product.
_OFTEN = 0.1
# Columns of a dense, and rows of a sparse product at a time.
_BLOCK = 2048
# Codes stay below this, so that the next letter can be appended without overflow.
LARGEST_CODE = 2**62


class _OnThings(Kernel):
    """Rows are things."""

    takes_things = True

    def _check_table(self, X: object, name: str) -> Things:
        return shared("things", lambda: check_things(X, name), X)


class _ParsedInputs(_OnThings):
    """A kernel that parses each thing into the input of its computation."""

    # Parameters that reading depends on; kernels that are alike in them read a thing once
    reading_parameters: tuple[str, ...] = ()

    def _check_data(self, X: Things, name: str) -> Things:
        def read() -> Things:
            things = np.empty(len(X), dtype=np.object_)
            for i, thing in enumerate(X):
                things[i] = self._read(thing, f"row {i} of {name}")
            return things

        key = (type(self)._read, *(getattr(self, each) for each in self.reading_parameters))
        return shared(key, read, X)

    @abstractmethod
    def _read(self, thing: object, where: str) -> object:
        """Return a thing as the kernel computes with it, or say what is wrong with it."""


class _Counts(_ParsedInputs):
    """A kernel on things by the patterns they hold; a subclass defines the patterns."""

    def _evaluate(self, X: Things, Y: Things) -> Array:
        if Y is X:
            counts = self._counts(X)
            return inner_products_of_counts(counts, counts)
        # Patterns of both are numbered together: none is unknown.
        counts = self._counts(np.concatenate([X, Y]))
        return inner_products_of_counts(counts[: len(X)], counts[len(X) :])

    def _diag(self, X: Things) -> Array:
        return squared_lengths(self._counts(X))

    @abstractmethod
    def _counts(self, things: Things) -> csr_array:
        """Return the weighted counts of shape (n, patterns); columns stand in any order."""


def count(rows: Codes, patterns: Codes, n_rows: int) -> csr_array:
    """Return how often each pattern occurs in each row; patterns get columns in order."""
    columns, n_columns = numbered(patterns)
    ones = np.ones(len(rows))
    return coo_array((ones, (rows, columns)), shape=(n_rows, n_columns)).tocsr()


def numbered(patterns: Codes) -> tuple[Codes, int]:
    """Return the codes as 0, 1, 2, ... in their order, and the number of different ones."""
    distinct, codes = np.unique(patterns, return_inverse=True)
    return codes.reshape(patterns.shape), len(distinct)


def appended(codes: Codes, letters: Codes, n_letters: int) -> Codes:
    """Return one code for each pair of a code and a letter, equal where both are equal."""
    if len(codes) and int(codes.max()) >= LARGEST_CODE // n_letters:
        codes = numbered(codes)[0]
    return codes * n_letters + letters


def inner_products_of_counts(A: csr_array, B: csr_array) -> Array:
    """Return A Bᵀ as a dense matrix: frequent patterns by dense products, rare ones by sparse."""
    filled_A = np.bincount(A.indices, minlength=A.shape[1])
    filled_B = filled_A if B is A else np.bincount(B.indices, minlength=B.shape[1])
    frequent = filled_A * filled_B > _OFTEN**2 * A.shape[0] * B.shape[0]
    if not frequent.any():
        return _sparse_products(A, B)
    columns_A = A.tocsc()
    columns_B = columns_A if B is A else B.tocsc()
    rare_A = columns_A[:, ~frequent].tocsr()
    K = _sparse_products(rare_A, rare_A if B is A else columns_B[:, ~frequent].tocsr())
    chosen = np.flatnonzero(frequent)
    for start in range(0, len(chosen), _BLOCK):
        columns = chosen[start : start + _BLOCK]
        left = columns_A[:, columns].toarray()
        K += left @ (left if B is A else columns_B[:, columns].toarray()).T
    return K


def _sparse_products(A: csr_array, B: csr_array) -> Array:
    K = np.zeros((A.shape[0], B.shape[0]))
    right = B.T.tocsr()
    for start in range(0, A.shape[0] if A.nnz and B.nnz else 0, _BLOCK):
        K[start : start + _BLOCK] = (A[start : start + _BLOCK] @ right).toarray()
    return K
