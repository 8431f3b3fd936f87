"""Scores of local alignments of sequences, and the kernel that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernlearn.kernels._composite import with_parts
from kernlearn.kernels._parameters import non_negative, positive
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.sequences.subsequence import padded_letters
from kernlearn.kernels.sequences.words import Letters, letters_of
from kernlearn.kernels.structured_inputs import _ParsedInputs
from kernlearn.typing import Array, Indices, Rows, Things

# Cells of the tables that are filled together.
_BLOCK = 1_000_000
_NEVER = -1e300  # a score that no alignment makes up for


class SmithWaterman(_ParsedInputs):
    r"""Smith and Waterman's local alignment scores, by the empirical kernel map.

    The score s(x, z) of the best local alignment of two sequences is no kernel. Its values with
    reference sequences :math:`r_1, \dots, r_n` are features, whose inner product is one (Tsuda,
    1999; Lanckriet et al. 2004, section 6.2.2):

    .. math:: k(x, z) = \frac{1}{n} \sum_{j=1}^n s(x, r_j)\, s(z, r_j) .

    The references are the training rows, by default. It is a kernel k of the family F in
    ``min over k in F of Q(k) + λΩ(k)``.

    Parameters
    ----------
    match : float, default=2.0
        Score of two equal letters, above zero.
    mismatch : float, default=-1.0
        Score of two different letters.
    gap_open : float, default=2.0
        Cost of the first letter of a gap, at least zero.
    gap_extend : float, default=1.0
        Cost of every further letter of a gap, from zero to ``gap_open``.
    scores : dict, optional
        Scores of pairs of letters, such as ``{"AG": 0.5}``, in place of the above; "AG" stands for
        "GA", too. A substitution matrix such as BLOSUM62 is a dictionary of all pairs.
    references : list of str, optional
        The r; taken from the training rows when not given.

    Notes
    -----
    The recursion of Smith and Waterman (1981) with gaps as in Gotoh (1982): every pair takes as
    many steps as the product of its lengths. Use :class:`Normalized` for sequences of different
    lengths, whose scores grow with them.

    Examples
    --------
    >>> from kernlearn.kernels import SmithWaterman
    >>> k = SmithWaterman(references=["GATTACA"])
    >>> k(["GATTACA", "TTAC", "CCC"])
    array([[196., 112.,  28.],
           [112.,  64.,  16.],
           [ 28.,  16.,   4.]])
    """

    def __init__(
        self,
        match: float = 2.0,
        mismatch: float = -1.0,
        gap_open: float = 2.0,
        gap_extend: float = 1.0,
        scores: dict[str, float] | None = None,
        references: Any = None,
    ) -> None:
        self.match = match
        self.mismatch = mismatch
        self.gap_open = gap_open
        self.gap_extend = gap_extend
        self.scores = scores
        self.references = references

    def _check_parameters(self) -> None:
        positive(self.match, "SmithWaterman's match")
        opened = non_negative(self.gap_open, "SmithWaterman's gap_open")
        if non_negative(self.gap_extend, "SmithWaterman's gap_extend") > opened:
            raise ValueError(
                f"SmithWaterman's gap_extend must be at most gap_open, got {self.gap_extend!r} "
                f"beside {self.gap_open!r}; exchange them."
            )
        if not -np.inf < self.mismatch <= self.match:
            raise ValueError(
                f"SmithWaterman's mismatch must be a number of at most match, got "
                f"{self.mismatch!r}; choose -1.0, say."
            )
        pairs: list[object] = list(self.scores or {})
        for pair in pairs:
            if not isinstance(pair, str) or len(pair) != 2:
                raise ValueError(
                    f"SmithWaterman's scores must be of pairs of letters, got {pair!r}; write "
                    "for example {'AG': 0.5}."
                )

    def _read(self, thing: object, where: str) -> Letters:
        return letters_of(thing, where)

    def _fitted(self, X: Rows) -> Kernel:
        if self.references is not None:
            return self
        self._check_data(X, "X")
        return with_parts(self, references=[str(thing) for thing in X])

    def _evaluate(self, X: Things, Y: Things) -> Array:
        features = self._features(X)
        others = features if Y is X else self._features(Y)
        return np.asarray(features @ others.T)

    def _diag(self, X: Things) -> Array:
        return np.asarray((self._features(X) ** 2).sum(axis=1))

    def _features(self, X: Things) -> Array:
        """Scores with the references, over the root of their number."""
        if self.references is None:
            raise ValueError(
                "SmithWaterman must know its reference sequences before it is called, got none; "
                "call kernel.fitted_to(X_train) first, as the estimators do."
            )
        texts: Sequence[str] = list(self.references)
        references = np.empty(len(texts), dtype=object)
        for i, each in enumerate(texts):
            references[i] = letters_of(each, f"reference {i}")
        return np.asarray(self._alignments(X, references) / np.sqrt(len(references)))

    def _alignments(self, X: Things, R: Things) -> Array:
        """The score of every pair of sequences."""
        x, n = padded_letters(X), np.array([len(letters) for letters in X])
        r, m = padded_letters(R), np.array([len(letters) for letters in R])
        table, number = self._table(np.union1d(x, r))
        i, j = map(np.ravel, np.indices((len(n), len(m))))
        found = np.zeros(len(i))
        step = max(1, _BLOCK // max(x.shape[1] * r.shape[1], 1))
        for start in range(0, len(i), step):
            rows, columns = i[start : start + step], j[start : start + step]
            local = table[number(x[rows])[:, :, None], number(r[columns])[:, None, :]]
            found[start : start + step] = self._best(local)
        return found.reshape(len(n), len(m))

    def _table(self, letters: Letters) -> tuple[Array, Any]:
        """Scores of all pairs of letters, and what gives the number of a letter in them."""
        table = np.full((len(letters), len(letters)), float(self.mismatch))
        np.fill_diagonal(table, float(self.match))
        place = {int(letter): index for index, letter in enumerate(letters)}
        for pair, score in (self.scores or {}).items():
            a, b = (place.get(ord(letter)) for letter in pair)
            if a is not None and b is not None:
                table[a, b] = table[b, a] = float(score)
        table[letters < 0] = table[:, letters < 0] = _NEVER  # beyond the end of a sequence

        def number(codes: Letters) -> Indices:
            return np.searchsorted(letters, codes)

        return table, number

    def _best(self, local: Array) -> Array:
        """The largest H(a, b) of each pair, diagonal by diagonal for all pairs at once.

        H(a, b) is the best score of alignments that end with the a-th and the b-th letter or with
        a gap there, or zero; E and F are those that end with a gap in either sequence.
        """
        n_pairs, n, m = local.shape
        before, last = np.zeros((n_pairs, n + 1)), np.zeros((n_pairs, n + 1))
        E = np.full((n_pairs, n + 1), _NEVER)
        F = E.copy()
        best = np.zeros(n_pairs)
        for s in range(2, n + m + 1):
            a = np.arange(max(1, s - m), min(n, s - 1) + 1)
            ended = np.maximum(E[:, a - 1] - self.gap_extend, last[:, a - 1] - self.gap_open)
            begun = np.maximum(F[:, a] - self.gap_extend, last[:, a] - self.gap_open)
            matched = before[:, a - 1] + local[:, a - 1, s - a - 1]
            now = np.maximum(np.maximum(matched, 0.0), np.maximum(ended, begun))
            before, last = last, np.zeros((n_pairs, n + 1))
            E, F = np.full((n_pairs, n + 1), _NEVER), np.full((n_pairs, n + 1), _NEVER)
            last[:, a], E[:, a], F[:, a] = now, ended, begun
            best = np.maximum(best, now.max(axis=1, initial=0.0))
        return best
