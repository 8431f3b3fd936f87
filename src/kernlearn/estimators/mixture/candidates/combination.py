r"""Learn a combination of kernels: the weights whose kernel is best aligned with the targets.

The centred alignment of :math:`K(w) = \sum_i w_i K_i`, :math:`w \ge 0`, with the targets is largest
at the solution of one small quadratic program (Lanckriet et al. 2004, section 4.7, for kernels that
are centred first). The program has no ridge, and every matrix is read once: the inner products
without a fold are those of parts of the matrices. The kernels are those of a bank, or sections of
a hyperkernel (Ong, Smola and Williamson 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.mixture.candidates.problem import CandidateProblem
from kernlearn.estimators.mixture.candidates.representation import (
    FoldMatrices,
    LearnedRepresentation,
)
from kernlearn.gram import gram_stack
from kernlearn.gram.incomplete_cholesky import pair_cholesky
from kernlearn.hyperkernels import ARDHarmonic, Expansion
from kernlearn.kernels import Columns, Gaussian, Kernel, Linear, Polynomial, WeightedSum
from kernlearn.kernels._sharing import sharing
from kernlearn.numerics.positions import complement
from kernlearn.numerics.rounding import standard_deviation
from kernlearn.quality.alignment import FamilyAlignment
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.solvers.weights.alignment import most_aligned
from kernlearn.typing import Array, Indices

# Most rows to learn weights from: they are enough for inner products of matrices.
_ROWS = 250
_WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
# Pairs of rows, each with a section of a narrow and of a wide hyperkernel; pairs to choose from.
_PAIRS, _PAIR_SAMPLE = 12, 2000
_HARMONIC_WIDTHS = (1.0, 10.0)
# Relative squared norm of a centred constant kernel: rounding.
_CONSTANT = 1e-14


@dataclass(frozen=True, eq=False)
class CombinedKernels(LearnedRepresentation):
    """A prepared table with learned kernels."""

    kernel: WeightedSum  # learned from all rows
    without: tuple[WeightedSum, ...]  # the same kernels, weighted without each fold
    # The function that learned the weights, and the number of rows.
    learn: Callable[[CandidateProblem, str], CombinedKernels]
    n_rows: int

    def with_more_rows(self, problem: CandidateProblem) -> CombinedKernels:
        """The combination learned anew, unless its rows were enough."""
        return self if self.n_rows >= _ROWS else self.learn(problem, self.table)

    def kernel_for(self, kernel_of: object, X: Array, fold: int | None) -> Kernel:
        """The kernel learned without that fold, whatever the family."""
        return _merged_sections(self.kernel) if fold is None else self.without[fold]

    def _parts(self, kernel_of: object, X: Array, folds: Sequence[Indices]) -> list[FoldMatrices]:
        """Folds differ in the weights only, so that every kernel is computed once for all."""
        weights = np.array([kernel.weights for kernel in self.without])
        n = X.shape[0]
        combined = np.zeros((len(folds), n, n))
        with sharing():
            for kernel, of_folds in zip(self.kernel.kernels, weights.T, strict=True):
                if of_folds.any():
                    K = kernel(X)
                    for total, weight in zip(combined, of_folds, strict=True):
                        total += weight * K
        parts = []
        for rows, K in zip(folds, combined, strict=True):
            others = complement(n, rows)
            parts.append((rows, others, K[np.ix_(others, others)], K[np.ix_(rows, others)]))
        return parts


def combined(
    kernels_of: Callable[[Array, Sequence[Indices]], Sequence[Kernel]],
) -> Callable[[CandidateProblem, str], CombinedKernels]:
    """A function that learns a combination of the kernels that `kernels_of` makes for a table.

    `kernels_of` also takes the places of the prepared columns, grouped by the user's columns.
    """

    def learn(problem: CandidateProblem, table: str) -> CombinedKernels:
        rows = problem.sample(_ROWS, np.random.RandomState(0))
        sample = problem.rows(rows)
        X = sample.tables[table]
        kernels = list(kernels_of(X, problem.columns(table)))
        grams = gram_stack(kernels, X)
        weights = aligned_weights(grams, sample.Y, sample.folds)
        first, *others = (WeightedSum(kernels, found) for found in weights)
        return CombinedKernels(table, first, tuple(others), learn, len(X))

    return learn


def aligned_weights(grams: Array, Y: Array, folds: Sequence[Indices]) -> list[Array]:
    """Non-negative weights of the largest centred alignment, scaled to a mean diagonal of one.

    The first are those of all rows, the others those without each fold. Sums of products are
    ordinary ones: folds judge the weights, without a certificate. The matrices are centred in
    place.

    Raises
    ------
    NumericalError
        If no kernel agrees with the targets.
    """
    n, m = len(Y), len(grams)
    diagonals = np.einsum("inn->in", grams).copy()
    grams -= grams.mean(axis=1, keepdims=True)
    grams -= grams.mean(axis=2, keepdims=True)
    kept = np.ones((1 + len(folds), n))
    for number, fold in enumerate(folds, start=1):
        kept[number, fold] = 0.0
    means = kept @ Y / kept.sum(axis=1)[:, None]
    targets = kept[..., None] * (Y - means[:, None])
    columns = np.concatenate([targets, kept[..., None]], axis=2)
    # One product for all parts: every matrix is read once.
    images = grams @ columns.swapaxes(0, 1).reshape(n, -1)
    images = images.reshape(m, n, len(kept), -1)
    totals, without = _inner_products(grams, folds)
    found = []
    for number, inner in enumerate([totals, *without]):
        inside, fold_targets = kept[number], targets[number]
        size = inside.sum()
        agreement = np.einsum("ink,nk->i", images[:, :, number, :-1], fold_targets)
        # Centred anew, on the rows that are left.
        sums = inside * images[:, :, number, -1]
        whole = sums.sum(axis=1)
        products = inner - 2.0 / size * sums @ sums.T + np.outer(whole, whole) / size**2
        is_constant = products.diagonal() <= _CONSTANT * inner.diagonal()
        products[is_constant] = products[:, is_constant] = 0.0
        if not (agreement > 0).any():
            raise NumericalError("no kernel agrees with the targets")
        length = float(np.linalg.norm(fold_targets.T @ fold_targets))
        weights = most_aligned(FamilyAlignment(agreement, products, length))
        found.append(np.asarray(weights / (weights @ (diagonals @ inside / size))))
    return found


def _inner_products(grams: Array, folds: Sequence[Indices]) -> tuple[Array, list[Array]]:
    """Inner products of the matrices, (m, m), and of their parts without each fold."""
    m, n = grams.shape[:2]
    rest = complement(n, np.concatenate(folds))
    bands, corners = [], []
    for rows in (*folds, rest):
        band = grams[:, rows]
        flat, corner = band.reshape(m, -1), band[:, :, rows].reshape(m, -1)
        bands.append(flat @ flat.T)
        corners.append(corner @ corner.T)
    whole = sum(bands)
    parts = zip(bands[:-1], corners[:-1], strict=True)
    return np.asarray(whole), [whole - 2.0 * band + corner for band, corner in parts]


def _merged_sections(whole: WeightedSum) -> Kernel:
    """The same kernel, with sections of one hyperkernel as one expansion.

    The hyperkernel's features of two rows take most of the time, and are then computed once for
    all of its sections.
    """
    others: list[tuple[Kernel, float]] = []
    together: dict[int, list[tuple[Expansion, float]]] = {}
    for kernel, weight in zip(whole.kernels, whole.weights, strict=True):
        if not isinstance(kernel, Expansion):
            others.append((kernel, weight))
        elif weight > 0:
            together.setdefault(id(kernel.hyperkernel), []).append((kernel, weight))
    for parts in together.values():
        pairs = np.concatenate([kernel.pairs for kernel, _ in parts])
        weights = np.concatenate([weight * kernel.weights for kernel, weight in parts])
        others.append((parts[0][0].hyperkernel.expansion(pairs, weights), 1.0))
    kernels, factors = zip(*others, strict=True)
    return WeightedSum(list(kernels), np.array(factors))


def bank(X: Array, columns: Sequence[Indices]) -> list[Kernel]:
    """Linear, quadratic and Gaussian kernels of all columns, and a Gaussian of every column.

    The levels of a category count as one column.
    """
    square = 2.0 * standard_deviation(X) ** 2
    whole = float(square.sum()) or 1.0
    single = [
        Columns(column.tolist(), Gaussian(1.0 / float(square[column].sum())))
        for column in columns
        if square[column].any()
    ]
    gaussians = [Gaussian(c / whole) for c in _WIDTHS]
    return [Linear(), Polynomial(2, whole / 2.0), *gaussians, *single]


def sections(X: Array, columns: Sequence[Indices]) -> list[Kernel]:
    """Sections of ARD hyperkernels at the pivots of an incomplete Cholesky factorisation."""
    square = 2.0 * standard_deviation(X) ** 2
    whole = float(square.sum()) or 1.0
    found: list[Kernel] = []
    for c in _HARMONIC_WIDTHS:
        hyperkernel = ARDHarmonic(gammas=np.full(X.shape[1], c / whole))
        chosen = pair_cholesky(
            hyperkernel, X, max_rank=_PAIRS, n_pairs=_PAIR_SAMPLE, random_state=0
        )
        found += [hyperkernel.section(pair) for pair in X[chosen.pivots]]
    return found
