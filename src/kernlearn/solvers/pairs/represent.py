"""The space of a pair program, from a hyperkernel and pairs of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kernlearn.gram._greedy import Columns, Indices, factorise
from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import quiet
from kernlearn.kernels._symmetry import exactly_symmetric
from kernlearn.solvers.pairs.spaces import DenseSpace, FactorSpace, Space

Array = NDArray[np.float64]

# Up to this many pairs a conic program is solved with the whole matrix: the factor would take
# longer to find than it saves.
FEW_PAIRS = 400


def represent(
    hyperkernel: Hyperkernel,
    points: Array,
    pairs: Indices,
    conic: bool,
    tol: float,
    max_rank: int | None,
    few_pairs: int = FEW_PAIRS,
) -> tuple[Space, float]:
    """Return the space of the sections at the pairs, and what it leaves out of the trace.

    Inputs are checked. A cone of no more than `few_pairs` sections keeps the whole matrix. Without
    a cone there is always a factor, since coefficients are given to its pivots.
    """
    hyperkernel._check_parameters()
    with quiet():
        # What the hyperkernel needs to know of each pair is computed once.
        table = hyperkernel._table(points[pairs[:, 0]], points[pairs[:, 1]])
        if conic and len(pairs) <= few_pairs:
            K = hyperkernel._evaluate(table, table)
            hyperkernel._check_values(K)
            return DenseSpace(exactly_symmetric(K, "The matrix of the hyperkernel")), 0.0

        def restrict(rows: Indices | slice) -> Columns:
            part = table[rows]
            return lambda positions: hyperkernel._evaluate(table[positions], part)

        factor, pivots, _, left = factorise(restrict, hyperkernel._diag(table), tol, max_rank)
    return FactorSpace(factor, pivots), left
