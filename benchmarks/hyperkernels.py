"""Learning in a hyper-RKHS (Ong, Smola and Williamson 2005)."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.claims import REPEATS, Row, say
from benchmarks.problems import radar_like, two_bumps, waves_in_units
from kernlearn import HyperkernelClassifier, learn_weights
from kernlearn.gram import pair_cholesky
from kernlearn.hyperkernels import ARDHarmonic
from kernlearn.penalties import HyperNorm
from kernlearn.reference import ong_eq27
from kernlearn.speed.timings import best_of
from kernlearn.typing import Array

PAPER_SLOPES = "3.13, 3.05 and 3.03"
QUALITIES = ("soft_margin", "nu_svm", "lagrangian")
SIZES = (100, 200, 400, 800)


def svm_against_reference() -> Row:
    X, y = two_bumps(50)
    hyperkernel = ARDHarmonic(0.6, [1.0, 1.0])
    chosen = pair_cholesky(hyperkernel, X, tol=1e-6, max_rank=40)
    pairs = X[chosen.pivots]
    grams, K_pivots = hyperkernel.sections(X, pairs), hyperkernel(pairs)
    penalty = HyperNorm(K_pivots, 1.0)
    seconds, ours = best_of(
        REPEATS,
        lambda: learn_weights(grams, y, C=100.0, constraint="sum", penalty=penalty, psd="trust"),
    )
    say(f"hyperkernel C-SVM, 50 points: {seconds * 1e3:.1f} ms; now the reference …")
    reference, solution = best_of(1, lambda: ong_eq27(grams, K_pivots, y, C=100.0 * len(y)))
    apart = abs(ours.objective - solution.value) / abs(solution.value)
    return Row(
        f"hyperkernel C-SVM, 50 points, the same {len(pairs)} pivots: 200 times faster than "
        "program (27) in CVXPY with Clarabel, the same optimum to 1e-6",
        f"{seconds * 1e3:.1f} ms against {reference:.2f} s: {reference / seconds:.0f} times; "
        f"optimum apart by {apart:.1e}; {ours.n_machine_solves} SVM solves",
        reference >= 200 * seconds and apart <= 1e-6,
    )


def against_grid_search() -> Row:
    X, y = radar_like(350)
    seconds, model = best_of(3, lambda: HyperkernelClassifier().fit(X, y))
    grid = {"C": np.logspace(-2, 3, 10), "gamma": np.logspace(-3, 1, 10) / X.shape[1]}
    search = GridSearchCV(SVC(), grid, cv=10)
    scaled = StandardScaler().fit_transform(X)
    grid_seconds, _ = best_of(1, lambda: search.fit(scaled, y))
    return Row(
        "350 points, 34 dimensions: choosing the pivots and learning take at most half the time "
        "of GridSearchCV(SVC(), 10 × 10 grid, cv=10)",
        f"{seconds:.2f} s ({len(model.pivots_)} pivots) against {grid_seconds:.1f} s: "
        f"{seconds / grid_seconds:.2f} of it; gap {model.duality_gap_:.1e}",
        seconds <= 0.5 * grid_seconds,
    )


def growth() -> Row:
    slopes = []
    for quality in QUALITIES:
        seconds = [_fit_seconds(quality, *radar_like(n)) for n in SIZES]
        slopes.append(np.polyfit(np.log(SIZES), np.log(seconds), 1)[0])
    text = ", ".join(f"{q} {s:.2f}" for q, s in zip(QUALITIES, slopes, strict=True))
    return Row(
        "growth of the time of a fit over 100 to 800 points, 34 dimensions: no steeper than the "
        f"paper's {PAPER_SLOPES}",
        f"slopes {text}",
        max(slopes) <= 3.13,
    )


def many_rows() -> Row:
    texts, within = [], True
    for n, C in ((10_000, 100.0), (50_000, 1.0), (50_000, 100.0)):
        X, y = waves_in_units(n)
        seconds, model = best_of(1, lambda: HyperkernelClassifier(C=C).fit(X[:n], y[:n]))  # noqa: B023
        error = 1.0 - model.score(X[n:], y[n:])
        texts.append(
            f"{n:,} rows, C = {C:g}: {seconds:.0f} s, {model.rank_} landmarks, "
            f"{model.n_active_pivots_} sections, gap {model.duality_gap_:.1e}, error {error:.1%}"
        )
        within &= seconds <= 600.0 and model.status_.is_optimal
    X, y = waves_in_units(2000)
    exact = HyperkernelClassifier().fit(X[:2000], y[:2000])
    texts.append(f"exact on 2000 rows: error {1.0 - exact.score(X[2000:], y[2000:]):.1%}")
    return Row(
        "hyperkernels through landmarks, 8 columns: 50,000 rows in ten minutes on two cores",
        "; ".join(texts),
        bool(within),
    )


def _fit_seconds(quality: str, X: Array, y: Array) -> float:
    return best_of(1, lambda: HyperkernelClassifier(quality=quality).fit(X, y))[0]


BENCHMARKS = (against_grid_search, growth, svm_against_reference, many_rows)
