"""Learn a combination of sources: a kernel for each source, and weights of the sources.

The kernels of a source are combined by centred alignment, and so are the sources, or all sources
count the same. Equal weights predict better where all sources help; learned ones where some do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from kernlearn.estimators.mixture.candidates.combination import CombinedKernels, aligned_weights
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.preparation import NumericRows
from kernlearn.estimators.mixture.sources_preparation import SourceBlock
from kernlearn.gram import gram_stack
from kernlearn.kernels import Columns, Gaussian, Kernel, Linear, Polynomial, WeightedSum
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.typing import Array, Indices

# Weights are learned from so many rows at most.
_ROWS = 300
_WIDTHS = (0.1, 0.3, 1.0, 3.0)


class CombinedSources(CombinedKernels):
    """All sources side by side, seen through kernels that were learned."""

    @property
    def title(self) -> str:
        """Nothing: the family's name says it."""
        return ""


def combined_sources(are_equal: bool) -> Callable[[CandidateProblem, str], CombinedSources]:
    """How to learn a combination of all sources, equal or by their alignment with the targets."""

    def learn(problem: CandidateProblem, table: str) -> CombinedSources:
        rows = problem.sample(_ROWS, np.random.RandomState(0))
        sample = problem.rows(rows)
        X, blocks = sample.tables[table], problem.source_blocks
        kernels, owners = _bank(X, blocks)
        grams = gram_stack(kernels, X)
        everything = np.arange(X.shape[0])
        without = (np.setdiff1d(everything, fold) for fold in sample.folds)
        weights = [
            _weights(grams, owners, sample.Y, kept, are_equal) for kept in (everything, *without)
        ]
        first, *others = (WeightedSum(kernels, found) for found in weights)
        return CombinedSources(table, first, tuple(others), learn, X.shape[0])

    return learn


def _bank(X: NumericRows, blocks: Sequence[SourceBlock]) -> tuple[list[Kernel], Indices]:
    """Kernels for every source, and the number of the source that each belongs to."""
    kernels: list[Kernel] = []
    owners: list[int] = []
    for block in blocks:
        square = _square(X[:, block.place])
        own: list[Kernel] = [Linear()]
        if not block.are_features:
            own += [Polynomial(2, square / 2.0), *(Gaussian(c / square) for c in _WIDTHS)]
        kernels += [Columns(block.place, kernel) for kernel in own]
        owners += [block.source] * len(own)
    return kernels, np.array(owners)


def _square(X: NumericRows) -> float:
    """The mean squared distance of two rows; one where all rows are equal."""
    variances = mean_variance_axis(X, 0)[1] if issparse(X) else standard_deviation(X) ** 2
    return 2.0 * float(variances.sum()) or 1.0


def _weights(grams: Array, owners: Indices, Y: Array, rows: Indices, are_equal: bool) -> Array:
    """Weights of all kernels, from the rows that count."""
    part = grams[:, rows[:, None], rows]
    weights, sources = np.zeros(len(grams)), np.unique(owners)
    combined = np.empty((len(sources), len(rows), len(rows)))
    for place, source in enumerate(sources):
        own = np.flatnonzero(owners == source)
        weights[own] = _agreeing(part[own], Y[rows])
        combined[place] = np.tensordot(weights[own], part[own], axes=1)
    shares = 1.0 / _spreads(combined) if are_equal else _agreeing(combined, Y[rows])
    for place, source in enumerate(sources):
        weights[owners == source] *= shares[place]
    return np.asarray(weights / len(sources) if are_equal else weights)


def _agreeing(part: Array, targets: Array) -> Array:
    """The weights of the largest alignment; equal ones where no kernel agrees with the targets."""
    if len(part) == 1:
        return 1.0 / _spreads(part)
    try:
        return aligned_weights(part.copy(), targets)
    except NumericalError:
        return 1.0 / (len(part) * _spreads(part))


def _spreads(part: Array) -> Array:
    """The mean variance that each kernel gives to a row; one where it gives none."""
    spreads = np.einsum("inn->i", part) / part.shape[1] - part.mean(axis=(1, 2))
    return np.where(spreads > 1e-12 * np.abs(part).max(axis=(1, 2)), spreads, 1.0)
