"""Kernels of a source by its kind: one rule for all sets, nothing tuned on any of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from kernlearn.kernels import (
    Columns,
    Features,
    Gaussian,
    Kernel,
    Linear,
    Normalized,
    Overlap,
    Spectrum,
)
from kernlearn.kernels.bank import median_distance
from kernlearn.papers.fusion.data import Kind, SourceSet, columns_of

__all__ = ["kernels_by_source"]

# γ = 2ᵖ/m² with m the median distance: p as the default bank of the estimators has it, whose
# Gaussians are mostly wide, since the margin asks for the narrowest there is.
EXPONENTS = (-4.0, -2.0, 0.0)
LENGTHS = (1, 2, 3)


def kernels_by_source(data: SourceSet, X: Any) -> dict[str, list[Kernel]]:
    """For every source a few kernels, each with a unit diagonal.

    Parameters
    ----------
    data : SourceSet
        The set, which says where the sources are and of what kind.
    X : ndarray or DataFrame
        Training rows, from which the median distances are taken.

    Returns
    -------
    dict of str to list of Kernel
        Numbers: standardised columns, Gaussians at three widths. Words and text: TF-IDF, the inner
        product. Categories: agreement, rare ones counting more. Sequences: common runs of one, two
        and three letters.
    """
    return {
        name: [
            Normalized(Columns(source.place, kernel, name))
            for kernel in _KERNELS[source.kind](columns_of(X, source))
        ]
        for name, source in data.sources.items()
    }


def _gaussians(cells: Any) -> list[Kernel]:
    numbers = np.asarray(cells, dtype=float)
    there = numbers[~np.isnan(numbers).all(axis=1)]
    median = median_distance(StandardScaler().fit_transform(there), 0)
    return [Features(StandardScaler(), Gaussian(2.0**p / median**2)) for p in EXPONENTS]


_KERNELS: dict[Kind, Callable[[Any], list[Kernel]]] = {
    "numbers": _gaussians,
    "words": lambda cells: [Features(TfidfTransformer(), Linear())],
    "text": lambda cells: [Features(TfidfVectorizer(), Linear())],
    "categories": lambda cells: [Overlap()],
    "sequences": lambda cells: [Spectrum(length) for length in LENGTHS],
}
