"""The flagship on a GPU and on the host: ``python -m benchmarks.flagship_devices --device cuda``.

Fits KernelRegressor to the same table twice, and compares predictions and times. It needs NumPy,
SciPy, scikit-learn, PIQP and, for a GPU, PyTorch or CuPy. ``--data FILE.npz`` reads arrays X and y;
without it the table is random. ``--rows`` says how many rows to take.
``--dask`` fits a Dask array of the same rows, too; ``--device torch:cpu`` is PyTorch on the host.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from kernlearn import KernelRegressor
from kernlearn._device import Place

# Their kernels are computed on the device.
CANDIDATES = ["linear", "polynomial", "Gaussian"]


def table(path: Path | None, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Shuffled rows and targets, of a file or made up."""
    rng = np.random.default_rng(0)
    if path is None:
        X = rng.standard_normal((n_rows, 12))
        y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n_rows)
        return X, y
    with np.load(path) as file:
        X, y = file["X"], np.ravel(file["y"])
    order = rng.permutation(len(y))[:n_rows]
    return np.asarray(X[order], dtype=float), np.asarray(y[order], dtype=float)


def timed_fit(name: str, model: KernelRegressor, X: Any, y: Any) -> KernelRegressor:
    """Fit, and say how long it took and on what."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    seconds = time.perf_counter() - start
    members = ", ".join(model._members.titles)
    print(f"{name:12} fit {seconds:7.1f} s on {model.device_}; members: {members}", flush=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--all", action="store_true", help="try all candidates, not three")
    parser.add_argument("--dask", action="store_true")
    options = parser.parse_args()
    X, y = table(options.data, options.rows)
    n = len(y) * 4 // 5
    candidates = "auto" if options.all else CANDIDATES

    def put(rows: np.ndarray) -> Any:
        return Place.named(options.device).put(rows) if ":cpu" in options.device else rows

    device = None if ":cpu" in options.device else options.device
    host = timed_fit("host", KernelRegressor(candidates), X[:n], y[:n])
    found = {
        options.device: timed_fit(
            options.device, KernelRegressor(candidates, device=device), put(X[:n]), y[:n]
        )
    }
    if options.dask:
        import dask.array as da

        rows = da.from_array(X[:n], chunks=(10_000, -1))
        found["dask"] = timed_fit("dask", KernelRegressor(candidates), rows, y[:n])
    expected = host.predict(X[n:])
    spread = float(np.std(y[n:]))
    error = float(np.sqrt(np.mean((expected - y[n:]) ** 2))) / spread
    print(f"{'host':12} root mean squared error {error:.4f} of the spread of the targets")
    for name, model in found.items():
        start = time.perf_counter()
        values = model.predict(X[n:])
        seconds = time.perf_counter() - start
        error = float(np.sqrt(np.mean((values - y[n:]) ** 2))) / spread
        apart = float(np.abs(values - expected).max()) / spread
        print(f"{name:12} root mean squared error {error:.4f}, predicted in {seconds:.1f} s")
        print(f"{name:12} predictions {apart:.1e} of the spread apart from the host's")


if __name__ == "__main__":
    main()
