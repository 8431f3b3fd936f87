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

from benchmarks.claims import Row, report, say
from benchmarks.large import table
from kernlearn import MKLRegressor
from kernlearn.kernels import Gaussian
from kernlearn.speed.timings import best_of

ROWS, N_CHUNKS, REPEATS = 200_000, 16, 2


def model() -> MKLRegressor:
    """Least squares with ten Gaussians through fifty landmarks each."""
    gammas = 2.0 ** np.linspace(-5, 3, 10) / 20
    kernels = [Gaussian(float(gamma)) for gamma in gammas]
    return MKLRegressor(kernels, quality="least_squares", C=10.0, rank=50)


def apart(first: MKLRegressor, second: MKLRegressor, X: np.ndarray) -> float:
    """How far apart weights and predictions are, relative to the largest of them."""
    pairs = [(first.weights_, second.weights_), (first.predict(X), second.predict(X))]
    return max(np.abs(ours - theirs).max() / np.abs(ours).max() for ours, theirs in pairs)


def on_workers(n_workers: int, X: np.ndarray, y: np.ndarray) -> tuple[float, MKLRegressor]:
    """Seconds of a fit to rows that lie in the memory of the workers, and the model."""
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
        return seconds, found


def two_against_one(n: int = ROWS) -> Row:
    X, y = table(n)
    say("one worker")
    one, alone = on_workers(1, X, y)
    say(f"{one:.1f} s; two workers")
    two, together = on_workers(2, X, y)
    say(f"{two:.1f} s; no Dask")
    plain, here = best_of(1, partial(model().fit, X, y))
    new = X[:2000] + 0.1
    workers, arrays = apart(alone, together, new), apart(alone, here, new)
    return Row(
        f"least squares, {n:,} × 20, R = 500: two Dask workers at least 1.6 times as fast as one, "
        "with weights and predictions equal to 1e-10",
        f"{one:.1f} s by one, {two:.1f} s by two: {one / two:.2f} times, apart by {workers:.0e}; "
        f"without Dask, in other blocks, {plain:.1f} s, apart by {arrays:.0e}",
        one >= 1.6 * two and workers <= 1e-10,
    )


BENCHMARKS = [two_against_one]

if __name__ == "__main__":
    report([two_against_one(*map(int, sys.argv[1:]))])
