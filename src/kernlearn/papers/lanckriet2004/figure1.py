"""Figure 1: words and concepts of Reuters documents, alone and combined."""

from __future__ import annotations

import sys
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from kernlearn import __version__
from kernlearn.datasets import DataNotFoundError, ReutersCorpus, load_reuters
from kernlearn.papers.lanckriet2004 import published
from kernlearn.papers.lanckriet2004.concepts import kept_memberships
from kernlearn.papers.lanckriet2004.machines import MACHINES, evaluate
from kernlearn.papers.paper import Request
from kernlearn.papers.results_file import ResultsFile, settings_hash
from kernlearn.papers.runner import run_tasks
from kernlearn.papers.tables import ComparisonTable, Entry

__all__ = ["centered_unit_gram", "reproduce_figure1", "run_documents"]

PAPER_REPETITIONS = 20
N_TRAIN = 1000
COLUMNS = ("K1 words", "K2 concepts", "μ1K1 + μ2K2")
NOTES = (
    "Accuracy on the ModApte test documents in per cent, mean ± standard error over random "
    "training sets of 1000 documents. The paper draws these as bars and prints no numbers, but "
    "finds the combination better than either kernel for every topic other than earn.",
    "The paper's weights are averages over the five topics. Each kernel alone is multiplied by 2, "
    "so that the three traces are equal, as in Tables 1 to 3.",
    "Concepts by non-negative factorisation under Kullback–Leibler loss (50 updates), fitted once "
    "to all training documents.",
)


def reproduce_figure1(request: Request) -> ComparisonTable:
    """Run Figure 1 and return accuracies and weights, the latter beside the published ones."""
    if request.data_dir is None:
        raise DataNotFoundError(
            "expected a data folder with text/reuters_modapte.jsonl.gz, but none was given: "
            "name it with --data, since these documents cannot be fetched."
        )
    corpus = load_reuters(request.data_dir)
    repetitions = request.repetitions or PAPER_REPETITIONS
    settings = {
        "exhibit": "figure1",
        "seed": request.seed,
        "concepts": request.concepts,
        "version": __version__,
        "data": zlib.crc32(corpus.counts.data.tobytes()),
    }
    kept = request.out / f"figure1-concepts-{settings_hash(settings)}.npy"
    if not request.quiet and not kept.is_file():
        print(f"fitting {request.concepts} concepts, once: minutes", file=sys.stderr)
    concepts = kept_memberships(
        kept,
        corpus.counts,
        corpus.is_train,
        request.concepts,
        request.seed,
    )
    results = run_tasks(
        run_documents,
        {str(index): (corpus, concepts, index, request.seed) for index in range(repetitions)},
        ResultsFile(request.out, "figure1", settings),
        jobs=request.jobs,
        cluster=request.cluster,
        description="Figure 1",
        quiet=request.quiet,
    )
    title = (
        f"Lanckriet et al. (2004), Figure 1; ours over {repetitions} training sets, "
        f"{request.concepts} concepts"
    )
    return ComparisonTable(
        title, ("topic", ""), COLUMNS, _entries(corpus.topics, list(results.values())), NOTES
    )


def run_documents(
    corpus: ReutersCorpus, concepts: NDArray[np.float32], index: int, seed: int
) -> dict[str, Any]:
    """Draw one training set and run K1, K2 and their combination for every topic."""
    generator = np.random.default_rng([seed, index])
    train = generator.choice(np.flatnonzero(corpus.is_train), N_TRAIN, replace=False)
    rows = np.concatenate([train, np.flatnonzero(~corpus.is_train)])
    features = (corpus.counts[rows], concepts[rows].astype(float))
    grams = np.stack([centered_unit_gram(F, N_TRAIN) for F in features])
    outcome: dict[str, Any] = {}
    for t, topic in enumerate(corpus.topics):
        y = corpus.labels[rows, t]
        stacks = (grams[:1], grams[1:], grams)
        outcome[topic] = [_run_stack(stack, y) for stack in stacks]
    return outcome


def _run_stack(stack: NDArray[np.float64], y: NDArray[np.int64]) -> dict[str, Any] | None:
    """Learn from the training documents only, as (38) without unlabelled points."""
    return evaluate(
        MACHINES["SM1"],
        np.ascontiguousarray(stack[:, :N_TRAIN]),
        stack[:, N_TRAIN:],
        y[:N_TRAIN],
        y[N_TRAIN:],
        weights="positive",
        total_weight=2.0,
    )


def centered_unit_gram(
    features: csr_matrix | NDArray[np.float64], n_train: int
) -> NDArray[np.float64]:
    r"""Return the rows of the linear kernel, centred on the training points, normalised.

    .. math:: \frac{\langle x_i - m,\; x_j - m\rangle}{\|x_i - m\|\,\|x_j - m\|}

    with m the mean of the first `n_train` rows, for all rows i and training rows j.
    """
    K: NDArray[np.float64] = safe_sparse_dot(features, features[:n_train].T, dense_output=True)
    row_means = K.mean(axis=1)
    grand_mean = row_means[:n_train].mean()
    squared_norms = row_norms(features, squared=True) - 2.0 * row_means + grand_mean
    norms = np.sqrt(np.maximum(squared_norms, np.finfo(float).tiny))
    # Outer sums and products are the same for (i, j) and (j, i) to the last bit.
    K -= np.add.outer(row_means, row_means[:n_train])
    K += grand_mean
    K /= np.multiply.outer(norms, norms[:n_train])
    return K


def _entries(topics: tuple[str, ...], results: list[dict[str, Any]]) -> tuple[Entry, ...]:
    entries = []
    for topic in topics:
        for c, column in enumerate(COLUMNS):
            ours = [result[topic][c]["accuracy"] for result in results]
            entries.append(Entry((topic, "TSA"), column, None, ours, ".2f"))
        entries += _weight_entries(topic, [result[topic][-1] for result in results], (None, None))
    learned = [result[topic][-1] for result in results for topic in topics]
    entries += _weight_entries("all", learned, published.FIGURE_1_WEIGHTS)
    return tuple(entries)


def _weight_entries(
    topic: str, learned: list[dict[str, Any]], printed: tuple[float | None, ...]
) -> list[Entry]:
    return [
        Entry(
            (topic, f"μ{i + 1}"), COLUMNS[-1], printed[i], [o["weights"][i] for o in learned], ".2f"
        )
        for i in range(2)
    ]
