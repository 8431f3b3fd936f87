"""Programs of any scale, duplicated, contradictory, of one label: nothing beats a bound."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.hostile.long_double import best_intercept, long
from kernlearn.runtime.status import Status
from kernlearn.solvers.pairs import DensePairKernel, FactorPairKernel, PairProgram, solve_pairs

KINDS = ["positive", "gaussian", "duplicates", "contradictions", "rank one", "unequal", "signed"]


def _program(seed):
    """A kernel matrix and its factor, labels, C, and whether it is conic."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(rng.integers(1, 40))
    G = rng.uniform(size=(n, 1 if kind == "rank one" else int(rng.integers(1, 12))))
    if kind == "gaussian":
        Z = rng.normal(size=(n, 2))
        squares = ((Z[:, None] - Z) ** 2).sum(axis=2)
        values, vectors = np.linalg.eigh(np.exp(-squares * 10.0 ** rng.uniform(-2, 2)))
        G = vectors * np.sqrt(np.maximum(values, 0.0))
    if kind in ("duplicates", "contradictions"):
        G = G[rng.integers(0, n, n)]
    if kind == "unequal":
        G = G * 10.0 ** rng.uniform(-6, 6, size=(n, 1))
    if kind == "signed":
        G = G - 0.3
    G = G * 10.0 ** rng.choice([0.0, rng.uniform(-6, 6)])
    labels = np.where(rng.uniform(size=n) < rng.choice([0.5, 0.1]), 1.0, -1.0)
    if kind == "contradictions":
        labels = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return G, labels, 10.0 ** rng.uniform(-8, 8), bool(rng.integers(2))


def _value(K, t, C, alpha):
    f = K @ alpha
    return 0.5 * alpha @ f + C * np.maximum(1 - t * (f + best_intercept(f, t)), 0).sum()


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_nothing_beats_the_bound(kind):
    for seed in range(kind, 100, len(KINDS)):
        print(f"the program of seed {seed}")  # shown where it fails
        _check_that_nothing_beats_the_bound(seed)


def _check_that_nothing_beats_the_bound(seed):
    G, labels, C, conic = _program(seed)
    # Without a cone a factor gives its coefficients to its pivots, of which this one knows nothing.
    dense = seed % 2 == 0 or not conic
    matrix = G @ G.T
    matrix = (matrix + matrix.T) / 2
    kernel = DensePairKernel(matrix) if dense else FactorPairKernel(G, np.arange(0))
    program = PairProgram(kernel, labels, C, conic)
    solution = solve_pairs(program)
    K, t, a = long(matrix) if dense else long(G) @ long(G).T, long(labels), solution.dual_coef
    coef, exact = long(solution.coef), _value(K, t, C, long(solution.coef))
    assert 0 <= solution.lower_bound <= solution.objective
    assert solution.objective >= exact * (1 - 1e-15)
    assert (solution.status is Status.OPTIMAL) == (solution.gap <= 1e-6)
    if solution.objective > 0:
        gap = (solution.objective - solution.lower_bound) / solution.objective
        assert solution.gap == pytest.approx(gap)
    assert a.min() >= 0
    assert a.max() <= C
    if conic:
        assert coef.min() >= 0
    else:
        signed = t * long(a)
        assert solution.lower_bound <= (long(a).sum() - 0.5 * signed @ K @ signed)
    rng = np.random.default_rng(seed)
    for size in 10.0 ** rng.uniform(-6, 0, size=40):
        change = rng.normal(size=len(coef)) * (coef + size * np.abs(coef).max() * (size < 1e-3))
        other = coef + size * change
        if conic:
            other = np.where(program.allowed, np.maximum(other, 0), 0)
        assert solution.lower_bound <= _value(K, t, C, other)
    assert solution.lower_bound <= _value(K, t, C, 0 * coef)
