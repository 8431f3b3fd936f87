"""The mismatch kernel on strings."""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
from scipy.sparse import csr_array

from kernlearn.kernels._parameters import positive_integer
from kernlearn.kernels.sequences._letters import (
    Letters,
    check_alphabet,
    joined,
    letters_of,
    within,
    words,
)
from kernlearn.kernels.structured_inputs import LARGEST_CODE, Codes, _Counts, count, numbered
from kernlearn.typing import Things

# Words and their neighbours held at once: about four gigabytes.
_MOST_NEIGHBOURS = 200_000_000


class Mismatch(_Counts):
    r"""The mismatch kernel: words of k letters that differ in up to m places count as shared.

    .. math:: k(x, z) = \sum_{u} n_u^m(x) \, n_u^m(z)

    over all words u of k letters of the alphabet, where :math:`n_u^m(x)` counts the words of x that
    differ from u in at most m places (Leslie, Eskin, Cohen, Weston and Noble, 2004).

    Parameters
    ----------
    k : int, default=5
        Letters in a word, at least one.
    m : int, default=1
        Places that may differ, from 0, which is `Spectrum`, to below k.
    alphabet : str, default="ACGT"
        All letters; for proteins "ACDEFGHIKLMNPQRSTVWY".

    Examples
    --------
    >>> from kernlearn.kernels import Mismatch
    >>> Mismatch(k=2, m=1)(["AC", "AG", "TT"])
    array([[7., 4., 2.],
           [4., 7., 2.],
           [2., 2., 7.]])
    """

    reading_parameters = ("alphabet",)

    def __init__(self, k: int = 5, m: int = 1, alphabet: str = "ACGT") -> None:
        self.k = k
        self.m = m
        self.alphabet = alphabet

    def _check_parameters(self) -> None:
        positive_integer(self.k, "Mismatch's k")
        check_alphabet(self.alphabet, "Mismatch")
        m: object = self.m
        is_count = isinstance(m, int | np.integer) and not isinstance(m, bool)
        if not is_count or not 0 <= self.m < self.k:
            raise ValueError(
                f"Mismatch's m must be a whole number from 0 to below k = {self.k}, got "
                f"{self.m!r}; choose 1 or 2."
            )
        if len(self.alphabet) ** self.k >= LARGEST_CODE:
            raise ValueError(
                f"Mismatch's words must be fewer than 2^62, got {len(self.alphabet)} letters to "
                f"the power of k = {self.k}; choose a smaller k."
            )

    def _read(self, thing: object, where: str) -> Letters:
        return within(letters_of(thing, where), self.alphabet, where)

    def _counts(self, things: Things) -> csr_array:
        letters, rows, _ = joined(things)
        base = len(self.alphabet)
        codes, starts = words(letters, rows, self.k, base)
        counts = count(rows[starts], codes, len(things))
        return counts @ self._neighbours(np.unique(codes))

    def _neighbours(self, codes: Codes) -> csr_array:
        """Which words differ from each of these in at most m places, one row for each."""
        base, k = len(self.alphabet), self.k
        n_near = sum(comb(k, j) * (base - 1) ** j for j in range(self.m + 1))
        if len(codes) * n_near > _MOST_NEIGHBOURS:
            raise ValueError(
                f"Mismatch must have at most {_MOST_NEIGHBOURS} words and neighbours in all, got "
                f"{len(codes)} words with {n_near} neighbours each; choose a smaller m or k."
            )
        powers: Codes = np.int64(base) ** np.arange(k, dtype=np.int64)
        digits = codes[:, None] // powers % base
        near = [codes]
        for j in range(1, self.m + 1):
            for places in map(list, combinations(range(k), j)):
                for shift in product(range(1, base), repeat=j):
                    other = (digits[:, places] + shift) % base
                    near.append(
                        codes + ((other - digits[:, places]) @ powers[places]).astype(np.int64)
                    )
        columns, n_columns = numbered(np.stack(near, axis=1).ravel())
        ends = np.arange(len(codes) + 1) * n_near
        return csr_array((np.ones(len(columns)), columns, ends), shape=(len(codes), n_columns))
