"""Sequences compared letter by letter, by a matrix of similarities of letters."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.kernels._parameters import Check, non_negative, positive_integer
from kernlearn.kernels._validation import as_floats
from kernlearn.kernels.sequences.words import check_alphabet, letters_of
from kernlearn.kernels.structured_inputs import _OnThings
from kernlearn.typing import Array, Indices, Things

# Words of a matrix at most: it has half of their square as parameters.
_MOST_WORDS = 32
# An eigenvalue below zero by this share of the largest is rounding.
_ROUNDING = 1e-9


class Substitution(_OnThings):
    r"""The similarity of two sequences by a substitution matrix S of their letters.

    .. math::

        k(x, z) = \bigl(c + s(x, z)\bigr)^d, \qquad
        s(x, z) = \frac1L \sum_{p=1}^{L} S[x_p, z_p]

    for aligned sequences of L letters. Sequences of any lengths are compared by all pairs of their
    letters, :math:`s(x, z) = \frac{1}{|x||z|}\sum_{p,q} S[x_p, z_q]`, if they are not aligned. It
    is a kernel for every :math:`S \succeq 0`, since s is an inner product then. In place of letters
    there may be words of several letters that overlap. A letter outside the alphabet is unknown:
    its similarity with every letter is zero, itself included.

    Parameters
    ----------
    alphabet : str, default="ACGT"
        The letters, each once; for proteins "ACDEFGHIKLMNPQRSTVWY".
    matrix : array-like of shape (m, m), optional
        S, positive semidefinite, with a row for every letter of the alphabet, or for every word in
        the order of `words`; the identity when not given.
    word_length : int, default=1
        Letters in a word; there are at most 32 different words.
    degree : int, default=1
        The power d, at least one.
    offset : float, default=1.0
        The constant c, not negative.
    aligned : bool, default=True
        Whether letters at the same position are compared, or all letters.

    See Also
    --------
    kernlearn.families.parametric.SubstitutionFamily : Learns the matrix.

    Examples
    --------
    A and G are more alike than others:

    >>> from kernlearn.kernels import Substitution
    >>> S = [[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    >>> Substitution("ACGT", S, offset=0.0)(["AACC"], ["AACC", "AGCC", "TTTT"])
    array([[1.   , 0.875, 0.   ]])
    """

    parameter_checks: tuple[tuple[str, Check], ...] = (
        ("degree", positive_integer),
        ("word_length", positive_integer),
        ("offset", non_negative),
    )

    def __init__(
        self,
        alphabet: str = "ACGT",
        matrix: ArrayLike | None = None,
        *,
        word_length: int = 1,
        degree: int = 1,
        offset: float = 1.0,
        aligned: bool = True,
    ) -> None:
        self.alphabet = alphabet
        self.matrix = matrix
        self.word_length = word_length
        self.degree = degree
        self.offset = offset
        self.aligned = aligned

    @property
    def words(self) -> list[str]:
        """The words that the rows of the matrix belong to."""
        check_words(self.alphabet, self.word_length)
        return ["".join(each) for each in product(self.alphabet, repeat=self.word_length)]

    def similarities(self) -> dict[str, dict[str, float]]:
        """The matrix with its labels.

        Returns
        -------
        similarities : dict of dict
            The entry of the words u and v is ``similarities[u][v]``. A data frame of pandas shows
            it as a table.
        """
        S = check_similarities(self.matrix, len(self.words))
        rows = (dict(zip(self.words, map(float, row), strict=True)) for row in S)
        return dict(zip(self.words, rows, strict=True))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_words(self.alphabet, self.word_length)
        check_similarities(self.matrix, len(self.alphabet) ** self.word_length)

    def _check_data(self, X: Things, name: str) -> Array:
        return word_rows(X, self.alphabet, self.word_length, self.aligned, name)

    def _evaluate(self, X: Array, Y: Array) -> Array:
        if X.shape[1] != Y.shape[1]:
            size = len(self.alphabet) ** self.word_length
            first, second = (rows.shape[1] // size + self.word_length - 1 for rows in (X, Y))
            raise ValueError(
                f"Substitution's sequences must have one length, got {first} letters in X and "
                f"{second} in Y; align them, or set aligned=False."
            )
        return np.asarray((self.offset + X @ self._images(Y).T) ** self.degree)

    def _diag(self, X: Array) -> Array:
        return np.asarray((self.offset + (X * self._images(X)).sum(axis=1)) ** self.degree)

    def _images(self, X: Array) -> Array:
        """Each block of columns times the matrix."""
        size = len(self.alphabet) ** self.word_length
        S = check_similarities(self.matrix, size)
        return np.asarray((X.reshape(-1, size) @ S).reshape(X.shape))


def check_words(alphabet: object, word_length: object) -> None:
    """Refuse an alphabet that is none, and too many words."""
    check_alphabet(alphabet, "Substitution")
    assert isinstance(alphabet, str)
    length = positive_integer(word_length, "Substitution's word_length")
    if len(alphabet) ** length > _MOST_WORDS:
        raise ValueError(
            f"Substitution's alphabet must have at most {_MOST_WORDS} words, got "
            f"{len(alphabet)} letters to the power of {length}; choose shorter words, or write "
            "groups of letters as one."
        )


def check_similarities(matrix: ArrayLike | None, size: int) -> Array:
    """The matrix S as an array, the identity by default, or a sentence on why it is none."""
    if matrix is None:
        return np.eye(size)
    S = as_floats(matrix, "Substitution's matrix")
    if S.shape != (size, size) or not np.isfinite(S).all():
        raise ValueError(
            f"Substitution's matrix must have {size} rows and columns of finite numbers, one for "
            f"each word, got shape {S.shape}; compare it with the alphabet."
        )
    values = np.linalg.eigvalsh(0.5 * (S + S.T))
    largest = max(float(np.abs(values).max()), 1e-300)
    if np.abs(S - S.T).max() > _ROUNDING * largest or values[0] < -_ROUNDING * largest:
        raise ValueError(
            "Substitution's matrix must be symmetric and positive semidefinite, got a smallest "
            f"eigenvalue of {values[0]:.3g}; add its size to the diagonal."
        )
    return S


def training_alphabet(things: Things) -> str:
    """All letters of sequences, in their order."""
    found = {letter for row, thing in enumerate(things) for letter in _text(thing, row)}
    if len(found) < 2:
        raise ValueError(
            f"Substitution must see at least two different letters in the sequences, got "
            f"{''.join(sorted(found))!r}; pass more sequences, or an alphabet."
        )
    return "".join(sorted(found))


def _text(thing: object, row: int) -> str:
    letters_of(thing, f"row {row} of X")
    return str(thing)


def word_rows(things: Things, alphabet: str, word_length: int, aligned: bool, name: str) -> Array:
    """Features u of sequences, with s(x, z) the inner product of u(x) and u(z) under blocks S.

    Aligned, there is a block of columns for each position, in which a word marks its column by
    :math:`L^{-1/2}`. Otherwise there is one block, of the shares of the words in the sequence. An
    unknown word marks nothing.
    """
    sequences = [_places(thing, alphabet, f"row {i} of {name}") for i, thing in enumerate(things)]
    size = len(alphabet) ** word_length
    lengths = [len(places) for places in sequences]
    if not aligned:
        shares = np.zeros((len(sequences), size))
        for row, places in zip(shares, sequences, strict=True):
            words = _words(places, len(alphabet), word_length)
            row += np.bincount(words[words >= 0], minlength=size) / max(len(words), 1)
        return shares
    if min(lengths) < max(lengths) or lengths[0] < word_length:
        raise ValueError(
            f"Substitution's sequences must have one length, {word_length} at least, got lengths "
            f"from {min(lengths)} to {max(lengths)} in {name}; align them, or set aligned=False."
        )
    words = _words(np.array(sequences), len(alphabet), word_length)
    marked = np.zeros((*words.shape, size))
    rows, positions = np.nonzero(words >= 0)
    marked[rows, positions, words[rows, positions]] = 1.0 / np.sqrt(words.shape[1])
    return marked.reshape(len(words), -1)


def _places(thing: object, alphabet: str, where: str) -> Indices:
    """The place of every letter in the alphabet, below zero for one that is not there."""
    letters, known = letters_of(thing, where), letters_of(alphabet, "the alphabet")
    order = np.argsort(known)
    places = order[np.minimum(np.searchsorted(known, letters, sorter=order), len(known) - 1)]
    return np.where(known[places] == letters, places, -1)


def _words(places: Indices, n_letters: int, word_length: int) -> Indices:
    """The number of the word that begins at every position, below zero where it is unknown."""
    n_words = max(places.shape[-1] - word_length + 1, 0)
    codes = np.zeros((*places.shape[:-1], n_words), dtype=np.intp)
    unknown = np.zeros(codes.shape, dtype=bool)
    for step in range(word_length):
        letter = places[..., step : step + n_words]
        codes = codes * n_letters + letter
        unknown |= letter < 0
    return np.where(unknown, -1, codes)
