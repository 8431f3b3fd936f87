"""Rows on a cluster: one Dask worker of one thread against two, with the same tasks.

``python -m benchmarks.dask_rows 20000`` runs it at another size. Two workers need two idle cores;
where others have them, the seconds of the processor still tell how the work was shared.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from time import process_time

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from benchmarks.large import table
from benchmarks.timing import Row, best_of, report, say
from kernlearn import MKLRegressor
from kernlearn.kernels import Gaussian

ROWS, N_CHUNKS, REPEATS = 200_000, 16, 2


def model() -> MKLRegressor:
    """Least squares with ten Gaussians through fifty landmarks each."""
    gammas = 2.0 ** np.linspace(-5, 3, 10) / 20
    kernels = [Gaussian(float(gamma)) for gamma in gammas]
    return MKLRegressor(kernels, quality="least_squares", C=10.0, rank=50)


def learned(fitted: MKLRegressor) -> np.ndarray:
    """The numbers that prediction takes."""
    coefs = [coef.ravel() for coef in fitted.landmark_coef_]
    return np.concatenate([fitted.weights_, fitted.intercept_, *coefs])


def on_workers(n_workers: int, X: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds of a fit to rows that lie in the memory of the workers, and what was learned."""
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # once, and not timed
            rows = da.from_array(X, chunks=(-(-len(X) // N_CHUNKS), X.shape[1])).persist()
        client.rebalance()
        few = -(-len(X) // 20)
        model().fit(rows[:few], y[:few])  # imports everything
        before, here = client.run(process_time), process_time()
        seconds, found = best_of(REPEATS, partial(model().fit, rows, y))
        after, here = client.run(process_time), process_time() - here
        shares = " and ".join(f"{(after[each] - before[each]) / REPEATS:.1f}" for each in before)
        say(f"of the processor for a fit: {here / REPEATS:.1f} s here, {shares} s there")
        return seconds, learned(found)


def two_against_one(n: int = ROWS) -> Row:
    X, y = table(n)
    say("one worker")
    one, alone = on_workers(1, X, y)
    say(f"{one:.1f} s; two workers")
    two, together = on_workers(2, X, y)
    say(f"{two:.1f} s; no Dask")
    plain, here = best_of(1, partial(model().fit, X, y))
    size = np.abs(alone).max()
    apart = max(np.abs(together - alone).max(), np.abs(learned(here) - alone).max()) / size
    return Row(
        f"least squares, {n:,} × 20, R = 500: two Dask workers at least 1.6 times as fast as one, "
        "results equal to 1e-10",
        f"{one:.1f} s by one, {two:.1f} s by two: {one / two:.2f} times; {plain:.1f} s without "
        f"Dask; apart by {apart:.0e}",
        one >= 1.6 * two and apart <= 1e-10,
    )


BENCHMARKS = [two_against_one]

if __name__ == "__main__":
    report([two_against_one(*map(int, sys.argv[1:]))])
