"""Kernels by the hundred thousand. ``python -m benchmarks.many_kernels 20`` takes fewer columns."""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import Row, report, say
from kernlearn import MKLClassifier
from kernlearn.kernels import Gaussian, Grid

ROWS, COLUMNS, FEW_COLUMNS, WIDTHS = 1000, 140, 13, 10
TOL = 1e-3
MOST_SECONDS, MOST_GIB = 420.0, 4.0


def table(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels that depend on four of the columns, two of them through their product."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3]
    return X, score + 0.3 * rng.standard_normal(n) > 0


def family(size: Any = (1, 2)) -> Grid:
    """Gaussians of ten widths on all columns and all pairs of them."""
    return Grid([Gaussian(float(g)) for g in np.logspace(-1.5, 1.0, WIDTHS)], size=list(size))


def _measured(n: int, d: int, options: dict[str, Any], found: Any) -> None:
    """Fit in a process of its own, whose largest memory is that of the fit."""
    X, y = table(n, d)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    model = MKLClassifier(family(), tol=TOL, **options).fit(X, y)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found.put(
        {
            "kernels": len(model.weights_),
            "active": len(model.active_kernels_),
            "solves": model.n_machine_solves_,
            "seconds": seconds,
            "gib": (after - before) / 2**20,
            "gap": model.duality_gap_,
        }
    )


def measured(n: int, d: int, **options: Any) -> dict[str, Any]:
    """Seconds, memory and certificate of one fit."""
    context = multiprocessing.get_context("spawn")
    found = context.Queue()
    process = context.Process(target=_measured, args=(n, d, options, found))
    process.start()
    facts: dict[str, Any] = found.get()
    process.join()
    say(", ".join(f"{name} {value:.3g}" for name, value in facts.items()))
    return facts


def hundred_thousand(n: int = ROWS, d: int = COLUMNS) -> Row:
    many = measured(n, d, rank=None)
    few = measured(n, FEW_COLUMNS, rank=None)
    each, other = (1e3 * one["seconds"] / one["kernels"] for one in (many, few))
    return Row(
        f"{many['kernels']:,} kernels (columns and pairs × widths) on {n:,} rows, gap 1e-3: under "
        f"{MOST_SECONDS / 60:g} minutes and {MOST_GIB:g} GiB; no more time per kernel than with "
        f"{few['kernels']:,}",
        f"{many['seconds']:.0f} s, {many['gib']:.1f} GiB, {many['active']} with weight, "
        f"{many['solves']} machine solves, gap {many['gap']:.1e}; {each:.2f} against {other:.2f} "
        "ms per kernel",
        many["seconds"] <= MOST_SECONDS
        and many["gib"] <= MOST_GIB
        and many["gap"] <= TOL
        and each <= other,
    )


def benchmarks(d: int) -> list[partial[Row]]:
    return [partial(hundred_thousand, ROWS, d)]


BENCHMARKS = benchmarks(COLUMNS)


if __name__ == "__main__":
    columns = int(sys.argv[1]) if len(sys.argv) > 1 else COLUMNS
    results = []
    for benchmark in benchmarks(columns):
        results.append(benchmark())
        say(f"{results[-1].claim}\n    {results[-1].measured}")
    report(results)
