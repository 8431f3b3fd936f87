"""The space of a pair program, from a hyperkernel and pairs of points."""

from __future__ import annotations

import numpy as np

from kernlearn.gram._greedy import Columns, factorise
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import quiet
from kernlearn.kernels._symmetry import exactly_symmetric
from kernlearn.solvers.pairs.spaces import DenseSpace, FactorSpace, Space
from kernlearn.typing import Array, Indices

# Up to this many pairs a program has the whole matrix: the factor would take longer to find than
# it saves.
FEW_PAIRS = 400
# A section shorter than the root of this part of the longest is lost to underflow, and taken to be
# zero.
_VANISHING = 1e-280
# A least eigenvalue below minus this, with a unit diagonal, is no rounding.
_INDEFINITE = 1e-6
# The residual of a factor is known up to this part of the diagonal.
_ROUNDING = 1e-12


def represent(
    hyperkernel: Hyperkernel,
    points: Array,
    pairs: Indices,
    tol: float,
    max_rank: int | None,
    few_pairs: int = FEW_PAIRS,
) -> tuple[Space, float]:
    """Return the space of the sections at the pairs, and what it leaves out of the trace.

    Inputs are checked. No more than `few_pairs` sections keep the whole matrix.
    """
    hyperkernel._check_parameters()
    with quiet():
        # What the hyperkernel needs to know of each pair is computed once.
        table = hyperkernel._table(points[pairs[:, 0]], points[pairs[:, 1]])
        if len(pairs) <= few_pairs:
            K = hyperkernel._evaluate(table, table)
            hyperkernel._check_values(K)
            return _whole(exactly_symmetric(K, "The matrix of the hyperkernel")), 0.0

        def restrict(rows: Indices | slice) -> Columns:
            part = table[rows]
            return lambda positions: hyperkernel._evaluate(table[positions], part)

        diagonal = hyperkernel._diag(table)
        factor, pivots, _, left = factorise(restrict, diagonal, tol, max_rank)
    residual = diagonal - np.einsum("ij,ij->i", factor, factor)
    residual = np.maximum(residual, 0.0) + _ROUNDING * np.abs(diagonal)
    return FactorSpace(factor, pivots, residual), left


def _whole(K: Array) -> DenseSpace:
    """The space of a matrix, refused if it is indefinite beyond rounding."""
    diagonal = K.diagonal()
    largest = float(np.abs(diagonal).max())
    vanish = np.abs(diagonal) <= _VANISHING * largest
    # No entry is above the root of the product of its two diagonal entries.
    stray = float(np.abs(K[vanish]).max(initial=0.0))
    least = -stray if stray > 2.0 * np.sqrt(_VANISHING) * largest else float(diagonal.min())
    space = DenseSpace(np.where(vanish | vanish[:, None], 0.0, K) if vanish.any() else K)
    if least < -_VANISHING * largest or space.defect > _INDEFINITE:
        raise ValueError(
            "The hyperkernel must be positive semidefinite on the pairs, got an eigenvalue of "
            f"about {min(least, -space.defect * largest):.3g}; run "
            "kernlearn.testing.check_hyperkernel on it."
        )
    return space
