"""The distinct pairs of the rows of a table, or a sample of them."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from kernlearn.typing import Indices, RandomState


def choose_pairs(m: int, n_pairs: int | None, random_state: RandomState) -> Indices:
    """Return all pairs (i, j) with i ≤ j < m, or `n_pairs` of them, by j and then by i.

    A sample is uniform, but for one pair (i, i) that is put in if none was drawn. Inputs are
    checked.
    """
    total = m * (m + 1) // 2
    if n_pairs is None or n_pairs >= total:
        second, first = np.tril_indices(m)
        return np.column_stack([first, second])
    random = check_random_state(random_state)
    # The older interface would shuffle all pairs to choose a few.
    generator = np.random.default_rng(int(random.randint(np.iinfo(np.int32).max)))
    numbers = generator.choice(total, n_pairs, replace=False, shuffle=False)
    # Pair number p is (i, j) with p = j(j + 1)/2 + i, and the root is exact enough to find j.
    second = ((np.sqrt(8.0 * numbers + 1.0) - 1.0) / 2.0).astype(np.intp)
    pairs = np.column_stack([numbers - second * (second + 1) // 2, second])
    if not (pairs[:, 0] == pairs[:, 1]).any():
        pairs[0] = generator.integers(m)
    return pairs[np.lexsort(pairs.T)]
