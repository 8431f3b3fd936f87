"""Reuters-21578, ModApte split."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer

from kernlearn.datasets.folder import find_file

TEXT_FILE = "text/reuters_modapte.jsonl.gz"
COUNTS_FILE = "text/reuters_modapte_bow.npz"


@dataclass(frozen=True, eq=False)
class ReutersCorpus:
    """Word counts and topics of a document collection.

    Attributes
    ----------
    counts : csr_matrix of shape (n_documents, n_words)
        Counts of each word in each document.
    labels : ndarray of shape (n_documents, n_topics)
        +1 where the document carries the topic, else -1.
    topics : tuple of str
        Topics, the one with most training documents first.
    is_train : ndarray of bool, shape (n_documents,)
        Training documents of the ModApte split.
    words : tuple of str
        One word per column of `counts`.
    """

    counts: csr_matrix
    labels: NDArray[np.int64]
    topics: tuple[str, ...]
    is_train: NDArray[np.bool_]
    words: tuple[str, ...]


def load_reuters(
    data_dir: str | os.PathLike[str] | None, n_topics: int = 5, stop_words: str | None = "english"
) -> ReutersCorpus:
    """Count the words of the ModApte documents.

    Words are runs of at least two letters in title and body, in lower case; the vocabulary
    is that of the training documents.

    Parameters
    ----------
    data_dir : path or None
        Folder holding ``text/reuters_modapte.jsonl.gz``: one JSON object a line, with the
        keys ``split`` (train or test), ``topics`` (a list), ``title`` and ``body``. The documents
        can be fetched from nowhere in that form, so None is refused.
    n_topics : int, default=5
        Number of the most frequent topics that become labels.
    stop_words : str or None, default="english"
        Stop list of ``sklearn.feature_extraction.text.CountVectorizer``.

    Returns
    -------
    ReutersCorpus
        Word counts, topics and the published split.
    """
    documents = read_documents(data_dir)
    is_train = np.array([document["split"] == "train" for document in documents])
    topics = _frequent_topics([d for d in documents if d["split"] == "train"], n_topics)
    texts = np.array([f"{d['title']} {d['body']}" for d in documents], dtype=object)
    vectorizer = CountVectorizer(token_pattern=r"[a-z]{2,}", stop_words=stop_words)
    vectorizer.fit(texts[is_train])
    return ReutersCorpus(
        counts=csr_matrix(vectorizer.transform(texts), dtype=np.float64),
        labels=np.array([[1 if t in d["topics"] else -1 for t in topics] for d in documents]),
        topics=topics,
        is_train=is_train,
        words=tuple(vectorizer.get_feature_names_out()),
    )


def read_documents(data_dir: str | os.PathLike[str] | None) -> list[dict[str, Any]]:
    """Return the documents as they are stored: ``split``, ``topics``, ``title`` and ``body``."""
    path = find_file(data_dir, TEXT_FILE, "the Reuters documents")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def load_reuters_counts(data_dir: str | os.PathLike[str]) -> ReutersCorpus:
    """Load word counts made beforehand, with the ten largest topics.

    Parameters
    ----------
    data_dir : path
        Folder holding ``text/reuters_modapte_bow.npz`` with the arrays ``data``, ``indices``,
        ``indptr`` and ``shape`` of a sparse matrix by rows, ``vocab``, ``topics``,
        ``Y`` (1 where a document carries a topic, else 0) and ``is_train``.

    Returns
    -------
    ReutersCorpus
        Word counts, topics and the published split.
    """
    with np.load(find_file(data_dir, COUNTS_FILE, "the Reuters word counts")) as arrays:
        entries = (
            arrays["data"].astype(np.float64),
            arrays["indices"].astype(np.int64),
            arrays["indptr"],
        )
        return ReutersCorpus(
            counts=csr_matrix(entries, shape=tuple(arrays["shape"])),
            labels=2 * arrays["Y"].astype(np.int64) - 1,
            topics=tuple(str(topic) for topic in arrays["topics"]),
            is_train=arrays["is_train"],
            words=tuple(str(word) for word in arrays["vocab"]),
        )


def _frequent_topics(documents: list[dict[str, Any]], n_topics: int) -> tuple[str, ...]:
    frequency = Counter(topic for document in documents for topic in set(document["topics"]))
    return tuple(topic for topic, _ in frequency.most_common(n_topics))
