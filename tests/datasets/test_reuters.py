"""The Reuters loaders on a hand-made collection."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from kernlearn.datasets import DataNotFoundError, load_reuters, load_reuters_counts

DOCUMENTS = [
    ("train", ["earn"], "Profit UP", "the profit rose 12 pct"),
    ("train", ["earn", "acq"], "Merger", "profit and merger"),
    ("train", [], "Weather", "rain"),
    ("test", ["acq"], "Merger", "merger unseenword"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text").mkdir()
    with gzip.open(tmp_path / "text/reuters_modapte.jsonl.gz", "wt", encoding="utf-8") as file:
        for split, topics, title, body in DOCUMENTS:
            record = {"id": 1, "split": split, "topics": topics, "title": title, "body": body}
            file.write(json.dumps(record) + "\n")
    return tmp_path


def test_counts_by_hand(folder: Path) -> None:
    corpus = load_reuters(folder, n_topics=2)
    assert corpus.topics == ("earn", "acq")
    np.testing.assert_array_equal(corpus.labels, [[1, -1], [1, 1], [-1, -1], [-1, 1]])
    np.testing.assert_array_equal(corpus.is_train, [True, True, True, False])
    # "the" and "and" are on the stop list, "12" has no letters, "unseenword" no training text.
    assert corpus.words == ("merger", "pct", "profit", "rain", "rose", "weather")
    np.testing.assert_array_equal(
        corpus.counts.toarray(),
        [[0, 1, 2, 0, 1, 0], [2, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1], [2, 0, 0, 0, 0, 0]],
    )


def test_stop_words_can_be_kept(folder: Path) -> None:
    assert {"the", "and", "up"} <= set(load_reuters(folder, stop_words=None).words)


def test_saved_counts_come_back(folder: Path) -> None:
    corpus = load_reuters(folder, n_topics=2)
    counts = corpus.counts
    np.savez(
        folder / "text/reuters_modapte_bow.npz",
        data=counts.data.astype(np.int16),
        indices=counts.indices.astype(np.uint16),
        indptr=counts.indptr,
        shape=np.array(counts.shape),
        vocab=np.array(corpus.words),
        topics=np.array(corpus.topics),
        Y=(corpus.labels > 0).astype(np.int8),
        is_train=corpus.is_train,
    )
    loaded = load_reuters_counts(folder)
    assert isinstance(loaded.counts, csr_matrix)
    np.testing.assert_array_equal(loaded.counts.toarray(), counts.toarray())
    np.testing.assert_array_equal(loaded.labels, corpus.labels)
    assert (loaded.topics, loaded.words) == (corpus.topics, corpus.words)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"put reuters_modapte.jsonl.gz into .*text"):
        load_reuters(tmp_path)
    with pytest.raises(DataNotFoundError, match=r"put reuters_modapte_bow.npz into .*text"):
        load_reuters_counts(tmp_path)
