"""Sections on all pairs of two tables of points, a block of rows at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kernlearn.kernels._sharing import shared
from kernlearn.typing import Array

if TYPE_CHECKING:
    from kernlearn.hyperkernels.base import Hyperkernel

# Pairs of points handled together: enough for vectorised passes, while what is known of them
# (a row of up to a few dozen numbers each) still takes a few megabytes only.
_MOST_PAIRS, _FEWEST_PAIRS = 32768, 4096
# Values of the hyperkernel held beside the result.
_MOST_VALUES = 4_000_000
# Numbers known of the pairs of points that the sections of one call share, rather than each find
# them anew.
_MOST_SHARED = 4_000_000


def fill_grid(
    out: Array,
    hyperkernel: Hyperkernel,
    X: Array,
    Y: Array,
    fixed: Array,
    weights: Array | None = None,
) -> None:
    """Fill `out` with the sections of the `fixed` pairs, or with their sum under `weights`.

    Inputs are checked. `out` has shape (n_fixed, n, m), or (n, m) with weights. For ``Y is X``
    every pair of points is computed once, and the result is exactly symmetric.
    """
    same = Y is X
    shares = len(X) * len(Y) * X.shape[1] <= _MOST_SHARED
    n_grid = min(_MOST_PAIRS, max(_FEWEST_PAIRS, _MOST_VALUES // len(fixed)))
    step = max(1, n_grid // len(Y))
    for start in range(0, len(X), step):
        stop = min(start + step, len(X))
        columns = slice(start if same else 0, len(Y))
        known = partial(hyperkernel._grid_table, X[start:stop], Y[columns])
        table = shared(("grid", start, stop), known, hyperkernel, X, Y) if shares else known()
        values = hyperkernel._evaluate(fixed, table)
        if weights is not None:
            values = weights @ values
        block = values.reshape(*values.shape[:-1], stop - start, -1)
        if same:
            corner = block[..., : stop - start]
            block[..., : stop - start] = 0.5 * corner + 0.5 * np.swapaxes(corner, -1, -2)
            out[..., columns, start:stop] = np.swapaxes(block, -1, -2)
        out[..., start:stop, columns] = block
