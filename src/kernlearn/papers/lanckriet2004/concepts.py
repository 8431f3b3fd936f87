"""Latent concepts of documents."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

__all__ = ["concept_memberships", "kept_memberships"]

N_ITERATIONS = 50


def concept_memberships(
    counts: csr_matrix,
    is_train: NDArray[np.bool_],
    n_concepts: int,
    seed: int,
    n_iterations: int = N_ITERATIONS,
) -> NDArray[np.float32]:
    r"""Return the probabilities :math:`P(z \mid d)` of every document's concepts.

    Probabilistic latent semantic analysis models the counts of word w in document d by
    :math:`n(d)\sum_z P(z \mid d) P(w \mid z)`. A non-negative factorisation :math:`WH` under the
    Kullback–Leibler loss is the same model, its rows of H brought to the sum 1. The concepts
    are fitted to the training documents; the others are expressed in them.

    Parameters
    ----------
    counts : csr_matrix of shape (n_documents, n_words)
        Word counts.
    is_train : ndarray of bool, shape (n_documents,)
        Documents that the concepts are fitted to.
    n_concepts : int
        Number of concepts.
    seed : int
        Seed of the random start.
    n_iterations : int
        Multiplicative updates; a fixed number, since the last digits of the fit do not matter.

    Returns
    -------
    ndarray of shape (n_documents, n_concepts)
        Rows add up to 1, or are zero for a document without a known word.
    """
    model = NMF(
        n_concepts, init="random", solver="mu", beta_loss="kullback-leibler",
        tol=0.0, max_iter=n_iterations, random_state=seed,
    )  # fmt: skip
    counts = counts.astype(np.float32)
    memberships = np.empty((counts.shape[0], n_concepts), dtype=np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        memberships[is_train] = model.fit_transform(counts[is_train])
        memberships[~is_train] = model.transform(counts[~is_train])
    memberships *= model.components_.sum(axis=1)
    sums = memberships.sum(axis=1, keepdims=True)
    sums[sums == 0] = 1.0
    memberships /= sums
    return memberships


def kept_memberships(
    path: str | os.PathLike[str],
    counts: csr_matrix,
    is_train: NDArray[np.bool_],
    n_concepts: int,
    seed: int,
) -> NDArray[np.float32]:
    """Return the memberships kept in a file, or work them out and keep them there."""
    path = Path(path)
    if path.is_file():
        return np.asarray(np.load(path), dtype=np.float32)
    memberships = concept_memberships(counts, is_train, n_concepts, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished.npy")
    np.save(unfinished, memberships)
    # The rename is atomic: a killed run leaves no half-written file under the final name.
    os.replace(unfinished, path)
    return memberships
