"""The kernel of subsequences with gaps, on strings."""

from __future__ import annotations

import numpy as np

from kernlearn.kernels._parameters import positive, positive_integer
from kernlearn.kernels.sequences.words import Letters, letters_of
from kernlearn.kernels.structured_inputs import _ParsedInputs
from kernlearn.typing import Array, Things

# Cells of the tables that are filled together.
_BLOCK = 2_000_000
_NO_LETTER = -1


class Subsequence(_ParsedInputs):
    r"""Subsequences that two sequences share, with gaps, each letter of their span discounted.

    .. math:: k(x, z) = \sum_{u} \sum_{i : x_i = u} \sum_{j : z_j = u} \lambda^{l(i) + l(j)}

    over all words u of p letters and all places i, j, in order but not necessarily adjacent, where
    they occur; l is the span from the first place to the last (Lodhi, Saunders, Shawe-Taylor,
    Cristianini and Watkins, 2002). A sequence of fewer than p letters is zero with every other.

    Parameters
    ----------
    length : int, default=3
        Letters p in a subsequence, at least one.
    decay : float, default=0.5
        The discount λ of every letter of a span, above 0 and at most 1.

    Notes
    -----
    With :math:`M_1(a, b) = \lambda^2 [x_a = z_b]` and :math:`C_q(a, b)` the sum of
    :math:`M_q(a', b') \lambda^{(a - a') + (b - b')}` over a' ≤ a, b' ≤ b,
    :math:`M_{q+1}(a, b) = \lambda^2 [x_a = z_b] \, C_q(a - 1, b - 1)` and k is the sum of
    :math:`M_p`: p times as many steps as the product of two lengths, for every pair.

    Examples
    --------
    >>> from kernlearn.kernels import Subsequence
    >>> Subsequence(length=2, decay=0.5)(["cat", "car"])
    array([[0.140625, 0.0625  ],
           [0.0625  , 0.140625]])
    """

    def __init__(self, length: int = 3, decay: float = 0.5) -> None:
        self.length = length
        self.decay = decay

    def _check_parameters(self) -> None:
        positive_integer(self.length, "Subsequence's length")
        if positive(self.decay, "Subsequence's decay") > 1:
            raise ValueError(
                f"Subsequence's decay must be at most 1, got {self.decay!r}; choose 0.5, say."
            )

    def _read(self, thing: object, where: str) -> Letters:
        return letters_of(thing, where)

    def _evaluate(self, X: Things, Y: Things) -> Array:
        K = np.empty((len(X), len(Y)))
        padded = padded_letters(Y)
        for i, letters in enumerate(X):
            first = i if Y is X else 0
            K[i, first:] = self._values_with_others(letters, padded[first:])
        if Y is X:
            K = np.triu(K) + np.triu(K, 1).T
        return K

    def _diag(self, X: Things) -> Array:
        return np.array([self._values_with_others(letters, letters[None])[0] for letters in X])

    def _values_with_others(self, letters: Letters, others: Letters) -> Array:
        """The values of one sequence with many, padded to one length."""
        values = np.zeros(len(others))
        if len(letters) < self.length or others.shape[1] < self.length:
            return values
        step = max(1, _BLOCK // (len(letters) * others.shape[1]))
        for start in range(0, len(others), step):
            values[start : start + step] = self._sums(letters, others[start : start + step])
        return values

    def _sums(self, letters: Letters, others: Letters) -> Array:
        from scipy.signal import lfilter  # takes a quarter of a second, and few have strings

        squared = self.decay**2
        matches = squared * (letters[None, :, None] == others[:, None, :])
        ends = matches
        for _ in range(1, self.length):
            sums = ends
            for axis in (1, 2):
                sums = lfilter([1.0], [1.0, -self.decay], sums, axis=axis)
            ends = matches.copy()
            ends[:, 0, :] = ends[:, :, 0] = 0.0
            ends[:, 1:, 1:] *= sums[:, :-1, :-1]
        return np.asarray(ends.sum(axis=(1, 2)))


def padded_letters(sequences: Things) -> Letters:
    """All sequences in one array, with −1 behind their ends."""
    width = max(len(letters) for letters in sequences)
    table = np.full((len(sequences), width), _NO_LETTER, dtype=np.int64)
    for row, letters in zip(table, sequences, strict=True):
        row[: len(letters)] = letters
    return table
