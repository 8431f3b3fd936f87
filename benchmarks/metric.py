"""Learning from pairs (Kondor and Jebara 2007)."""

from __future__ import annotations

import numpy as np

from benchmarks.claims import REPEATS, Row, say
from benchmarks.problems import patches
from kernlearn import HyperkernelMetric
from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.reference import kondor_section5
from kernlearn.runtime.threads import threads_for
from kernlearn.solvers.pairs import DensePairKernel, PairProgram, solve_pairs
from kernlearn.speed.timings import best_of
from kernlearn.typing import Array

SIZES = (100, 200, 400, 800)
PIVOTS = 100


def papers_size() -> Row:
    X, y = patches(20)
    first, second = np.triu_indices(20)
    same = np.where(y[first] == y[second], 1.0, -1.0)
    K = GaussianHyperkernel(4.0, 8.0)(np.stack([X[first], X[second]], axis=1))
    program = PairProgram(DensePairKernel(K), same, 10.0, conic=True)
    with threads_for(len(same)):  # as the estimator does
        seconds, ours = best_of(4 * REPEATS, lambda: solve_pairs(program))
    reference, solution = best_of(REPEATS, lambda: kondor_section5(K, same, C=10.0))
    apart = abs(ours.objective - solution.value) / abs(solution.value)
    return Row(
        "pairs, the paper's size (20 points, 210 pairs), conic: 20 times faster than CVXPY with "
        "Clarabel, the same objective to 1e-6",
        f"{seconds * 1e3:.1f} ms against {reference * 1e3:.0f} ms: {reference / seconds:.0f} "
        f"times; objective apart by {apart:.1e}; {ours.n_iter} rounds",
        reference >= 20 * seconds and apart <= 1e-6,
    )


def growth() -> Row:
    n_pairs, seconds, gaps = [], [], []
    for n in SIZES:
        X, y = patches(n)
        model = HyperkernelMetric(max_pivots=PIVOTS)
        seconds.append(best_of(1, lambda model=model, X=X, y=y: model.fit(X, y))[0])
        n_pairs.append(model.n_pairs_)
        gaps.append(model.duality_gap_)
        say(f"{model.n_pairs_} pairs: {seconds[-1]:.1f} s, {model.n_iter_} rounds")
    slope = np.polyfit(np.log(n_pairs), np.log(seconds), 1)[0]
    return Row(
        f"100 to 800 points with all their pairs, {PIVOTS} pivots: time grows at most as the "
        "number of pairs to the power 1.3",
        f"{', '.join(f'{s:.1f}' for s in seconds)} s for {', '.join(map(str, n_pairs))} pairs: "
        f"power {slope:.2f}; largest gap {max(gaps):.1e}",
        slope <= 1.3,
    )


def a_million_pairs() -> Row:
    X, y = patches(60)
    X = X[:, :50]
    model = HyperkernelMetric(max_pivots=PIVOTS).fit(X, y)
    with_all = _with_pairs(model, X, PIVOTS)
    rng = np.random.default_rng(0)
    pairs = X[rng.integers(len(X), size=(1_000_000, 2))]
    seconds, _ = best_of(1, lambda: with_all.pair_score(pairs))
    return Row(
        f"scoring a million pairs, {PIVOTS} pairs with weight, 50 features: under 5 seconds",
        f"{seconds:.1f} s",
        seconds < 5,
    )


def _with_pairs(model: HyperkernelMetric, X: Array, n: int) -> HyperkernelMetric:
    """The fitted model, with so many pairs in its expansion."""
    rng = np.random.default_rng(0)
    model.pairs_ = X[rng.integers(len(X), size=(n, 2))]
    model.coef_ = rng.uniform(0.1, 1.0, size=n)
    return model


BENCHMARKS = (papers_size, growth, a_million_pairs)
