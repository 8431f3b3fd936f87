"""The spectrum kernel on strings."""

from __future__ import annotations

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
from kernlearn.kernels.structured_inputs import _Counts, count, numbered
from kernlearn.typing import Things


class Spectrum(_Counts):
    r"""The spectrum kernel: how many words of k letters two sequences share.

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
        return letters if self.alphabet is None else within(letters, self.alphabet, where)

    def _counts(self, things: Things) -> csr_array:
        letters, rows, _ = joined(things)
        letters, n_letters = numbered(letters)
        codes, starts = words(letters, rows, self.k, max(n_letters, 1))
        return count(rows[starts], codes, len(things))
