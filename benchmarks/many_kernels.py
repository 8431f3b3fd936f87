"""Kernels by the hundred thousand.

``python -m benchmarks.many_kernels --columns 20`` takes fewer columns, and ``--device cuda`` prices
the kernels on a GPU.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
from functools import partial
from typing import Any

import numpy as np

from benchmarks.claims import Row, report, say
from kernlearn import MKLClassifier
from kernlearn._device import place_of
from kernlearn.kernels import Gaussian, Grid
from kernlearn.speed.timings import best_of

ROWS, COLUMNS, FEW_COLUMNS, WIDTHS = 1000, 140, 13, 10
TOL = 1e-3
MOST_SECONDS, MOST_SECONDS_ON_DEVICE, MOST_GIB = 420.0, 30.0, 4.0
MANY_ROWS, SOME_COLUMNS, RANK = 10_000, 44, 50


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
    place_of(options.get("device"), X)  # importing PyTorch takes seconds, and is no part of a fit
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, model = best_of(1, lambda: MKLClassifier(family(), tol=TOL, **options).fit(X, y))
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
        f"{_words(many)}; {each:.2f} against {other:.2f} ms per kernel",
        _holds(many, MOST_SECONDS) and each <= other,
    )


def many_rows(n: int = MANY_ROWS, d: int = SOME_COLUMNS) -> Row:
    found = measured(n, d, rank=RANK)
    return Row(
        f"{found['kernels']:,} kernels on {n:,} rows by factors of rank {RANK}, gap 1e-3: "
        f"ends, under {MOST_GIB:g} GiB",
        _words(found),
        _holds(found, np.inf),
    )


def on_a_device(device: str, n: int = ROWS, d: int = COLUMNS) -> Row:
    found = measured(n, d, rank=None, device=device)
    return Row(
        f"{found['kernels']:,} kernels on {n:,} rows, gap 1e-3, on {device}: under "
        f"{MOST_SECONDS_ON_DEVICE:g} s",
        _words(found),
        _holds(found, MOST_SECONDS_ON_DEVICE),
    )


def _words(found: dict[str, Any]) -> str:
    return (
        f"{found['seconds']:.0f} s, {found['gib']:.1f} GiB, {found['active']} with weight, "
        f"{found['solves']} machine solves, gap {found['gap']:.1e}"
    )


def _holds(found: dict[str, Any], seconds: float) -> bool:
    return bool(found["seconds"] <= seconds and found["gib"] <= MOST_GIB and found["gap"] <= TOL)


def benchmarks(d: int) -> list[partial[Row]]:
    return [partial(hundred_thousand, ROWS, d), partial(many_rows)]


BENCHMARKS = benchmarks(COLUMNS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--device")
    given = parser.parse_args()
    chosen = benchmarks(given.columns)
    if given.device is not None:
        chosen = [partial(on_a_device, given.device, ROWS, given.columns)]
    results = []
    for benchmark in chosen:
        results.append(benchmark())
        say(f"{results[-1].claim}\n    {results[-1].measured}")
    report(results)
