"""The laws that every hyperkernel obeys, as a check suite for new ones."""

from __future__ import annotations

import numpy as np

from kernlearn.hyperkernels import Hyperkernel
from kernlearn.hyperkernels._validation import check_points
from kernlearn.testing._laws import Laws
from kernlearn.testing.kernel_laws import check_kernel
from kernlearn.typing import Array, Indices, Rows

_LAW = Laws("Hyperkernel")
# The pairs of this many points are compared; more would only repeat the same code.
_N_POINTS = 7
# Pairs compared one at a time.
_N_PAIRWISE = 8


def check_hyperkernel(hyperkernel: Hyperkernel, X: Rows) -> None:
    """Check that `hyperkernel` obeys, on pairs of rows of `X`, the laws the library relies on.

    The laws (Ong 2005, Definition 5 and Proposition 8): it is symmetric in each pair, and
    positive semidefinite as a kernel on pairs; every section is a positive semidefinite kernel.
    Further: ``hyperkernel(pairs)`` is exactly symmetric and equals ``hyperkernel(pairs, pairs)``;
    `diag`, `sections`, `section` and `expansion` agree with it; every entry depends on its own
    two pairs only; clones and pickled copies give the same matrix; the pairs are left as they
    were.

    Parameters
    ----------
    hyperkernel : Hyperkernel
        The hyperkernel to check.
    X : array-like of shape (n, d), or list of things
        Points on whose pairs to check it; of more than seven the first are taken.

    Raises
    ------
    AssertionError
        With a sentence that says which law was broken, and by how much.

    Examples
    --------
    >>> from kernlearn.hyperkernels import Harmonic
    >>> from kernlearn.testing import check_hyperkernel
    >>> check_hyperkernel(Harmonic(), [[0.0, 1.0], [2.0, 3.0], [0.5, 0.5]])
    """
    points = check_points(X, "X", hyperkernel.takes_things)[:_N_POINTS].copy()
    first, second = np.triu_indices(len(points))
    pairs = np.stack([points[first], points[second]], axis=1)
    before = pairs.copy()
    # Another array with the same pairs, so that the path for two different tables is taken.
    K = np.asarray(hyperkernel(pairs, pairs.copy()))
    # First of all, since later comparisons would be of different pairs.
    _check_unchanged(pairs, before)
    _LAW.require(
        K.shape == (len(pairs), len(pairs)) and K.dtype == np.float64,
        f"hyperkernel(pairs, other) must be a float64 matrix of shape {(len(pairs), len(pairs))}, "
        f"got {K.dtype} of shape {K.shape}",
    )
    _check_symmetry(hyperkernel, pairs, K)
    _LAW.require_semidefinite(K, "the matrix on pairs")
    _check_square(hyperkernel, pairs, K)
    _check_unchanged(pairs, before)
    _check_pairwise(hyperkernel, pairs, K)
    _check_sections(hyperkernel, points, pairs)
    _LAW.require_equal_copies(hyperkernel, pairs, hyperkernel(pairs))
    _check_expansion(hyperkernel, points, pairs)
    _check_unchanged(pairs, before)
    _check_unchanged(points[first], before[:, 0])


def _check_symmetry(hyperkernel: Hyperkernel, pairs: Array, K: Array) -> None:
    swapped = pairs[:, ::-1].copy()
    _LAW.require_close(
        hyperkernel(swapped, pairs), K, "symmetry in the first pair, (x, z) = (z, x)", K
    )
    _LAW.require_close(
        hyperkernel(pairs, swapped), K, "symmetry in the second pair, (s, t) = (t, s)", K
    )
    _LAW.require_close(K, K.T, "symmetry between the pairs, hk(p, q) = hk(q, p)", K)


def _check_square(hyperkernel: Hyperkernel, pairs: Array, K: Array) -> None:
    square = np.asarray(hyperkernel(pairs))
    _LAW.require_close(square, K, "hyperkernel(pairs) = hyperkernel(pairs, pairs)", K)
    _LAW.require_symmetric(square, "hyperkernel(pairs) must be exactly symmetric, but is")
    law = "hyperkernel.diag(pairs) = diagonal of hyperkernel(pairs)"
    _LAW.require_close(hyperkernel.diag(pairs), np.diagonal(K), law, K)


def _check_pairwise(hyperkernel: Hyperkernel, pairs: Array, K: Array) -> None:
    single = [pairs[[p]] for p in _spread(len(pairs))]
    entries = np.array([[hyperkernel(p, q)[0, 0] for q in single] for p in single])
    law = "every entry depends on its own two pairs only"
    _LAW.require_close(entries, K[np.ix_(_spread(len(pairs)), _spread(len(pairs)))], law, K)


def _check_sections(hyperkernel: Hyperkernel, points: Array, pairs: Array) -> None:
    n = len(points)
    grid = np.stack([np.repeat(points, n, axis=0), np.concatenate([points] * n)], axis=1)
    expected = hyperkernel(pairs, grid).reshape(len(pairs), n, n)
    for number, section in enumerate(expected):
        name = f"the section at the pair {pairs[number].tolist()}"
        _LAW.require_semidefinite(section, name)
    square = hyperkernel.sections(points, pairs)
    law = "hyperkernel.sections(X, pairs) = hyperkernel on all pairs of rows of X"
    _LAW.require_close(square, expected, law, expected)
    _LAW.require_symmetric(square, "sections must be exactly symmetric, but are")
    law = "hyperkernel.sections(X, pairs, Y) = the columns Y of hyperkernel.sections(X, pairs)"
    some = _spread(n)[::2]
    _LAW.require_close(
        hyperkernel.sections(points, pairs, points[some]), expected[:, :, some], law, expected
    )


def _check_expansion(hyperkernel: Hyperkernel, points: Array, pairs: Array) -> None:
    weights = np.arange(len(pairs)) % 3.0
    kernel = hyperkernel.expansion(pairs, weights)
    expected = np.tensordot(weights, hyperkernel.sections(points, pairs), axes=1)
    law = "hyperkernel.expansion(pairs, weights) = weighted sum of the sections"
    _LAW.require_close(kernel(points), expected, law, expected)
    # A section is a kernel like any other: diagonal, clones, pickled copies, entry by entry.
    check_kernel(hyperkernel.section(pairs[-1]), points)


def _spread(n: int) -> Indices:
    """A few of n positions, from the first to the last."""
    return np.unique(np.linspace(0, n - 1, min(n, _N_PAIRWISE)).astype(np.intp))


def _check_unchanged(pairs: Array, before: Array) -> None:
    _LAW.require(
        np.array_equal(pairs, before),
        "pairs and points must be left as they were, but were changed",
    )
