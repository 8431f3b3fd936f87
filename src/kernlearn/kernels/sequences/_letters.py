"""Strings as arrays of letters, and the words of k letters within them."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels.structured_inputs import Codes, appended
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


def within(letters: Letters, alphabet: str, where: str) -> Letters:
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


def joined(sequences: Things) -> tuple[Codes, Codes, Codes]:
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
