"""Kernels of a source by its kind: one rule for all sets, nothing tuned on any of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from kernlearn.estimators.mkl.bank import choose_bank
from kernlearn.kernels import (
    Columns,
    Features,
    Kernel,
    Linear,
    Normalized,
    Overlap,
    Spectrum,
)
from kernlearn.papers.fusion.data import Kind, SourceSet, columns_of
from kernlearn.papers.splits import Rows

__all__ = ["kernels_by_source"]

LENGTHS = (1, 2, 3)


def kernels_by_source(data: SourceSet, X: Rows, y: Rows) -> dict[str, list[Kernel]]:
    """For every source a few kernels, each with a unit diagonal.

    Numbers: standardised columns, the bank that an estimator without kernels gives to a view.
    Words and text: TF-IDF, the inner product. Categories: agreement, rare ones counting more.
    Sequences: common runs of one, two and three letters. `y` chooses the bank of a view.
    """
    return {
        name: [
            Normalized(Columns(source.place, kernel, name))
            for kernel in _KERNELS[source.kind](columns_of(X, source), y)
        ]
        for name, source in data.sources.items()
    }


def _default_bank(cells: Rows, y: Rows) -> list[Kernel]:
    numbers = np.asarray(cells, dtype=float)
    there = ~np.isnan(numbers).all(axis=1)
    table, labels = StandardScaler().fit_transform(numbers[there]), y[there]
    targets = [np.where(labels == label, 1.0, -1.0) for label in np.unique(y)]
    bank, _ = choose_bank(table, targets, np.ones(len(labels)), 0)
    return [Features(StandardScaler(), kernel) for kernel in bank]


_KERNELS: dict[Kind, Callable[[Rows, Rows], list[Kernel]]] = {
    "numbers": _default_bank,
    "words": lambda cells, y: [Features(TfidfTransformer(), Linear())],
    "text": lambda cells, y: [Features(TfidfVectorizer(), Linear())],
    "categories": lambda cells, y: [Overlap()],
    "sequences": lambda cells, y: [Spectrum(length) for length in LENGTHS],
}
