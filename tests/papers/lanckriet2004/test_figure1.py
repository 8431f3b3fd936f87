"""Latent concepts on documents whose concepts are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from kernlearn.papers.lanckriet2004.figure1 import (
    centered_unit_gram,
    concept_memberships,
    kept_memberships,
)

IS_TRAIN = np.arange(60) % 3 > 0


@pytest.fixture(scope="module")
def shares() -> np.ndarray:
    shares = np.random.default_rng(0).uniform(0, 1, size=60)
    # Without a document purely of each concept, the concepts are not unique.
    shares[[1, 2]] = [0, 1]
    return shares


@pytest.fixture(scope="module")
def counts(shares: np.ndarray) -> csr_matrix:
    """Expected counts of a two-concept model with disjoint words, documents of uneven length."""
    words = np.array([[0.5, 0.3, 0.2, 0, 0, 0], [0, 0, 0, 0.1, 0.1, 0.8]])
    lengths = np.linspace(50, 500, 60)[:, None]
    return csr_matrix(lengths * (np.column_stack([shares, 1 - shares]) @ words))


def test_known_concepts_are_found_also_for_unseen_documents(
    counts: csr_matrix, shares: np.ndarray
) -> None:
    found = concept_memberships(counts, IS_TRAIN, 2, seed=0, n_iterations=400)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)
    column = int(np.argmax([np.corrcoef(found[:, z], shares)[0, 1] for z in range(2)]))
    np.testing.assert_allclose(found[:, column], shares, atol=0.02)


def test_a_document_without_words_has_no_concepts(counts: csr_matrix) -> None:
    with_empty = counts.tolil()
    with_empty[0] = 0
    found = concept_memberships(with_empty.tocsr(), IS_TRAIN, 2, seed=0, n_iterations=20)
    np.testing.assert_array_equal(found[0], 0)
    assert np.isfinite(found).all()


def test_kept_once(tmp_path: Path, counts: csr_matrix) -> None:
    path = tmp_path / "new" / "kept.npy"
    first = kept_memberships(path, counts, IS_TRAIN, 2, seed=0)
    # What is kept is read, whatever it is.
    np.save(path, 2 * first)
    again = kept_memberships(path, counts, IS_TRAIN, 2, seed=0)
    np.testing.assert_array_equal(again, 2 * first)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("sparse", [True, False])
def test_centred_unit_gram_against_explicit_features(sparse: bool) -> None:
    F = np.random.default_rng(1).poisson(1.0, size=(20, 5)).astype(float)
    centred = F - F[:12].mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    K = centered_unit_gram(csr_matrix(F) if sparse else F, 12)
    np.testing.assert_allclose(K, unit @ unit[:12].T, atol=1e-12)
    np.testing.assert_array_equal(K[:12], K[:12].T)
