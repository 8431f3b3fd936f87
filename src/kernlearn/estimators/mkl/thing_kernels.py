"""Default kernels of text, sequences and graphs."""

from __future__ import annotations

from sklearn.feature_extraction.text import TfidfVectorizer

from kernlearn.kernels import Features, Kernel, Linear, Spectrum, WeisfeilerLehman

LENGTHS = (1, 2, 3)
ROUNDS = (1, 3)
WORDS_OF_THINGS = {
    "sequence": "sequence, by the runs of 1, 2 and 3 letters that rows share",
    "graph": "graph, by the neighbourhoods of 1 and 3 rounds that rows share",
}


def vectorizer_of_text() -> TfidfVectorizer:
    """Vectoriser of free text: the TF-IDF of its words."""
    return TfidfVectorizer()


def kernels_of_text() -> list[Kernel]:
    """Texts by their words, rare ones counting more."""
    return [Features(vectorizer_of_text(), Linear())]


def kernels_of_sequences() -> list[Kernel]:
    """Sequences by the runs of letters that they share."""
    return [Spectrum(length) for length in LENGTHS]


def kernels_of_graphs() -> list[Kernel]:
    """Graphs by the neighbourhoods that they share."""
    return [WeisfeilerLehman(iterations) for iterations in ROUNDS]
