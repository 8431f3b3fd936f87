r"""Learn a combination of sources by its held-out predictions.

Every source has the kernel :math:`K_s` of a small bank that predicts best alone, scaled to unit
variance. The combination is :math:`K(w) = \sum_s w_s K_s`, :math:`w \ge 0`. Its weights minimise
the leave-one-out loss of a least-squares machine, source by source, from equal weights on; λ is
found anew for each. Equal weights are a candidate of their own: if all sources help, few rows
cannot tell which weights are better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import issparse

from kernlearn.estimators.mixture.candidates.combination import CombinedKernels
from kernlearn.estimators.mixture.candidates.family import mean_squared_distance
from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.preparation.sources import SourceBlock
from kernlearn.estimators.mixture.preparation.table import NumericRows
from kernlearn.gram import gram_stack
from kernlearn.kernels import Columns, Gaussian, Kernel, Linear, Matern, Stretched, WeightedSum
from kernlearn.numerics.rounding import first_least, is_less
from kernlearn.quality.ridge_path import RidgePath
from kernlearn.solvers.selection.ridge_search import minimise_along
from kernlearn.typing import Array, Indices

# The most rows that weights are learned from.
_ROWS = 300
_WIDTHS = (0.1, 0.3, 1.0, 3.0)
_EXPONENTIAL_WIDTHS = (0.3, 1.0)
_FIRST_RIDGE = 0.03
# Factors by which a weight is tried, sweeps over all weights, and the least positive weight.
_FACTORS, _SWEEPS, _LEAST = (4.0, 0.25), 3, 0.01


class CombinedSources(CombinedKernels):
    """All sources side by side, with learned kernels."""

    @property
    def title(self) -> str:
        """Empty: the name of the family is enough."""
        return ""


def combined_sources(are_equal: bool) -> Callable[[CandidateProblem, str], CombinedSources]:
    """A function that learns a combination of all sources, by equal or by held-out weights."""

    def learn(problem: CandidateProblem, table: str) -> CombinedSources:
        if problem not in _known:
            _known[problem] = SourceKernels.of(problem, table)
        found = _known[problem]
        n_folds = len(found.sample.folds)
        weights = [found.equal] * (n_folds + 1) if are_equal else found.weights
        first, *others = (WeightedSum(found.kernels, each) for each in weights)
        return CombinedSources(table, first, tuple(others), learn, len(found.sample))

    return learn


@dataclass(frozen=True, eq=False)
class SourceKernels:
    """A kernel for every source, on a sample of the rows."""

    sample: CandidateProblem
    kernels: list[Kernel]
    grams: Array  # of unit variance, of shape (s, n, n)
    equal: Array  # equal weights of kernels as they are, of shape (s,)

    @classmethod
    def of(cls, problem: CandidateProblem, table: str) -> SourceKernels:
        """The kernel of each source that predicts best alone."""
        sample = problem.rows(problem.sample(_ROWS, np.random.RandomState(0)))
        kernels: list[Kernel] = []
        grams, scales = [], []
        X, blocks = sample.tables[table], problem.source_blocks
        for source in sorted({block.source for block in blocks}):
            bank = _bank(X, [block for block in blocks if block.source == source])
            matrices = gram_stack(bank, X)
            spreads = _spreads(matrices)
            matrices /= spreads[:, None, None]
            losses = (
                [_loss(K, sample, _FIRST_RIDGE)[0] for K in matrices] if len(bank) > 1 else [0.0]
            )
            best = first_least(losses)
            kernels.append(bank[best])
            grams.append(matrices[best])
            scales.append(1.0 / spreads[best])
        return cls(sample, kernels, np.array(grams), np.array(scales) / len(kernels))

    @cached_property
    def weights(self) -> list[Array]:
        """Held-out weights of kernels as they are, by all rows and without each fold."""
        all_rows = np.arange(len(self.sample))
        parts = [all_rows, *(np.setdiff1d(all_rows, fold) for fold in self.sample.folds)]
        return [self._descended(rows) * self.equal for rows in parts]

    def _descended(self, rows: Indices) -> Array:
        """Factors of equal weights, by coordinate descent of the leave-one-out loss."""
        part, grams = self.sample.rows(rows), self.grams[:, rows[:, None], rows]
        weights = np.ones(len(grams))
        K = grams.mean(axis=0)
        least, lam = _loss(K, part, _FIRST_RIDGE)
        for _ in range(_SWEEPS):
            before = least
            for source in range(len(grams)):
                for factor in _FACTORS:
                    part.stopping.check()
                    tried = weights.copy()
                    tried[source] *= factor
                    tried[source] *= tried[source] >= _LEAST * tried.max()
                    if not tried.any():
                        continue
                    tried *= len(tried) / tried.sum()
                    value, at = _loss(np.tensordot(tried, grams, axes=1) / len(tried), part, lam)
                    if is_less(value, least):
                        weights, least, lam = tried, value, at
                        break
            if not is_less(least, before):
                break
        return weights


_known: WeakKeyDictionary[CandidateProblem, SourceKernels] = WeakKeyDictionary()


def _loss(K: Array, problem: CandidateProblem, start: float) -> tuple[float, float]:
    """The leave-one-out loss of a kernel of unit variance at its best λ, and that λ."""
    path = RidgePath.of(K, problem.Y, problem.weight)

    def at(lam: float) -> float:
        try:
            predictions = problem.Y - path.residuals(lam, problem.blocks)
        except np.linalg.LinAlgError:
            return np.inf
        return problem.loss.value(predictions)

    found = minimise_along(at, start)
    return found.value, found.at


def _bank(X: NumericRows, blocks: Sequence[SourceBlock]) -> list[Kernel]:
    """Kernels for one source."""
    kernels: list[Kernel] = []
    for block in blocks:
        table = X[:, block.place]
        block_kernels = [Linear()] if block.are_features else _kernels_of(table)
        if block.scales is not None and not issparse(X):
            block_kernels += [Stretched(k, block.scales) for k in _kernels_of(table * block.scales)]
        kernels += [Columns(block.place, kernel) for kernel in block_kernels]
    return kernels


def _kernels_of(X: NumericRows) -> list[Kernel]:
    square = mean_squared_distance(X)
    exponentials = [Matern(float(np.sqrt(square)) / c, 0.5) for c in _EXPONENTIAL_WIDTHS]
    return [Linear(), *(Gaussian(c / square) for c in _WIDTHS), *exponentials]


def _spreads(part: Array) -> Array:
    """The mean variance that each kernel gives to a row; one if the variance is zero."""
    spreads = np.einsum("inn->i", part) / part.shape[1] - part.mean(axis=(1, 2))
    return np.where(spreads > 1e-12 * np.abs(part).max(axis=(1, 2)), spreads, 1.0)
