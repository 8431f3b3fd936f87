"""Kernels by the words of k letters that strings share: spectrum, mismatch, weighted degree."""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
from scipy.sparse import csr_array, hstack

from kernlearn.kernels._parameters import positive_integer
from kernlearn.kernels.structured_inputs import (
    LARGEST_CODE,
    Codes,
    _Counts,
    appended,
    count,
    numbered,
)
from kernlearn.typing import Things

Letters = Codes


def letters_of(thing: object, where: str) -> Letters:
    """Return the code points of a string, or say that it is none."""
    if not isinstance(thing, str):
        raise ValueError(
            f"A sequence must be a string, got {thing!r} in {where}; drop such rows, or write the "
            "letters of each into one string."
        )
    code_points = np.frombuffer(thing.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return code_points.astype(np.int64)


def check_alphabet(alphabet: object, owner: str) -> None:
    """Refuse an alphabet that is no string of two letters or more, each of them once."""
    if not isinstance(alphabet, str) or len(alphabet) < 2 or len(set(alphabet)) < len(alphabet):
        raise ValueError(
            f"{owner}'s alphabet must be a string of distinct letters, at least two, got "
            f"{alphabet!r}; pass for example 'ACGT'."
        )


def letter_places(letters: Letters, alphabet: str, where: str) -> Letters:
    """Return the letters by their places in the alphabet, or name the first outside it."""
    known = np.frombuffer(alphabet.encode("utf-32-le"), dtype=np.uint32)
    order = np.argsort(known)
    places = np.minimum(np.searchsorted(known, letters, sorter=order), len(known) - 1)
    outside = np.flatnonzero(known[order[places]] != letters)
    if len(outside):
        raise ValueError(
            f"Sequences must be written in the letters {alphabet!r}, got "
            f"{chr(letters[outside[0]])!r} at position {outside[0]} in {where}; clean the sequence "
            "or pass another alphabet."
        )
    return order[places].astype(np.int64)


def concatenated_letters(sequences: Things) -> tuple[Codes, Codes, Codes]:
    """Return all letters in a row, the row of each, and its position within its sequence."""
    lengths = np.array([len(sequence) for sequence in sequences])
    letters: Letters = np.concatenate(list(sequences))
    rows = np.repeat(np.arange(len(sequences)), lengths)
    positions = np.arange(len(letters)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return letters, rows, positions


def words(letters: Codes, rows: Codes, k: int, n_letters: int) -> tuple[Codes, Codes]:
    """Return a code for every word of k letters within a row, and where it begins.

    Equal words have equal codes, whatever row they are in.
    """
    starts = np.flatnonzero(rows[: max(len(rows) - k + 1, 0)] == rows[k - 1 :])
    codes = letters[starts]
    for step in range(1, k):
        codes = appended(codes, letters[starts + step], n_letters)
    return codes, starts


class Spectrum(_Counts):
    r"""The spectrum kernel: the number of words of k letters that two sequences share.

    .. math:: k(x, z) = \sum_{u} n_u(x) \, n_u(z)

    over all words u of k letters, where :math:`n_u` counts occurrences, overlapping ones included
    (Leslie, Eskin and Noble, 2002). A sequence of fewer than k letters has no words: it is zero
    with every other. Long sequences have large values; `Normalized` takes their length away.

    Parameters
    ----------
    k : int, default=3
        Letters in a word, at least one.
    alphabet : str, optional
        The letters that may occur; any, when not given.

    Examples
    --------
    >>> from kernlearn.kernels import Spectrum
    >>> Spectrum(2)(["GATTACA", "ATTA", "CC"])
    array([[6., 3., 0.],
           [3., 3., 0.],
           [0., 0., 1.]])
    """

    reading_parameters = ("alphabet",)

    def __init__(self, k: int = 3, alphabet: str | None = None) -> None:
        self.k = k
        self.alphabet = alphabet

    def _check_parameters(self) -> None:
        positive_integer(self.k, "Spectrum's k")
        if self.alphabet is not None:
            check_alphabet(self.alphabet, "Spectrum")

    def _read(self, thing: object, where: str) -> Letters:
        letters = letters_of(thing, where)
        return letters if self.alphabet is None else letter_places(letters, self.alphabet, where)

    def _counts(self, things: Things) -> csr_array:
        letters, rows, _ = concatenated_letters(things)
        letters, n_letters = numbered(letters)
        codes, starts = words(letters, rows, self.k, max(n_letters, 1))
        return count(rows[starts], codes, len(things))


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
        return letter_places(letters_of(thing, where), self.alphabet, where)

    def _counts(self, things: Things) -> csr_array:
        letters, rows, _ = concatenated_letters(things)
        base = len(self.alphabet)
        codes, starts = words(letters, rows, self.k, base)
        counts = count(rows[starts], codes, len(things))
        return counts @ self._neighbours(np.unique(codes))

    def _neighbours(self, codes: Codes) -> csr_array:
        """Matrix of words that differ from each of these in at most m places, one row for each."""
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


class WeightedDegree(_Counts):
    r"""The weighted degree kernel: words that two aligned sequences share at the same place.

    .. math::

        k(x, z) = \sum_{d=1}^{D} \beta_d \sum_{i} [x_{i \ldots i+d-1} = z_{i \ldots i+d-1}],
        \qquad \beta_d = \frac{2 (D - d + 1)}{D (D + 1)}

    (Rätsch and Sonnenburg, 2004), for sequences of one length, such as windows around the sites
    where genes are spliced.

    Parameters
    ----------
    degree : int, default=3
        Letters D in the longest words, at least one.

    Examples
    --------
    >>> from kernlearn.kernels import WeightedDegree
    >>> WeightedDegree(2)(["GATT", "GACT"]).round(3)
    array([[3.667, 2.333],
           [2.333, 3.667]])
    """

    parameter_checks = (("degree", positive_integer),)

    def __init__(self, degree: int = 3) -> None:
        self.degree = degree

    def _read(self, thing: object, where: str) -> Letters:
        letters = letters_of(thing, where)
        if len(letters) == 0:
            raise ValueError(
                f"WeightedDegree's sequences must have letters, got an empty string in {where}; "
                "drop such rows."
            )
        return letters

    def _counts(self, things: Things) -> csr_array:
        lengths = sorted({len(letters) for letters in things})
        if len(lengths) > 1:
            raise ValueError(
                f"WeightedDegree's sequences must have one length, got lengths from {lengths[0]} "
                f"to {lengths[-1]}; align them, or use Spectrum."
            )
        letters, rows, positions = concatenated_letters(things)
        letters, n_letters = numbered(letters)
        blocks = []
        for d in range(1, min(self.degree, lengths[0]) + 1):
            codes, starts = words(letters, rows, d, n_letters)
            codes = appended(codes, positions[starts], lengths[0])
            weight = 2.0 * (self.degree - d + 1) / (self.degree * (self.degree + 1))
            blocks.append(np.sqrt(weight) * count(rows[starts], codes, len(things)))
        return hstack(blocks, format="csr")
