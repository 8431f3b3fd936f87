"""Do intervals of KernelRegressor hold what they say along the noise, and with few rows?

The noise of the first tables depends on a column: printed is the share of new targets within 90 %
intervals in each fifth of the rows by their true noise, and the share below the quantile of 0.1 and
of 0.9. The second part has few rows, and the third many rows with little noise, for which the share
within mean ± 1.645 standard deviations is printed, too.

    python -m benchmarks.coverage_along_noise noise --rows 400 --draws 3
    python -m benchmarks.coverage_along_noise few --draws 100
    python -m benchmarks.coverage_along_noise many --rows 4000 --draws 1
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from scipy.stats import norm

import kernlearn as kl
from kernlearn.typing import Array

COVERAGE = 0.9


def noisy(kind: str, rng: np.random.Generator, n: int) -> tuple[Array, Array, Array]:
    """Rows, targets and standard deviations of the noise."""
    X = rng.uniform(-1, 1, (n, 4))
    signal = np.sin(3 * X[:, 0]) + X[:, 1]
    std = {
        "line": 0.1 + 0.9 * (X[:, 0] + 1.0) / 2.0,
        "bend": 0.1 + X[:, 1] ** 2,
        "step": np.where(X[:, 2] > 0.6, 1.0, 0.2),
        "same": np.full(n, 0.3),
    }[kind]
    return X, signal + std * rng.normal(size=n), std


def within(ends: Array, y: Array) -> Array:
    return (ends[:, 0] <= y) & (y <= ends[:, 1])


def noise(n_rows: int, n_draws: int) -> None:
    print("| noise | " + " | ".join(f"fifth {i}" for i in range(1, 6)) + " | all | 0.1 | 0.9 |")
    print("|" + "---|" * 9)
    for kind in ("line", "bend", "step", "same"):
        found = []
        for seed in range(n_draws):
            rng = np.random.default_rng(seed)
            X, y, _ = noisy(kind, rng, n_rows)
            new, truth, std = noisy(kind, rng, 2000)
            model = kl.KernelRegressor().fit(X, y)
            inside = within(model.predict_interval(new, COVERAGE), truth)
            fifths = np.array_split(np.argsort(std, kind="stable"), 5)
            below = [np.mean(truth <= model.predict_quantile(new, q)) for q in (0.1, 0.9)]
            found.append([*(inside[part].mean() for part in fifths), inside.mean(), *below])
        cells = " | ".join(f"{100 * one:.1f}" for one in np.mean(found, axis=0))
        print(f"| {kind} | {cells} |", flush=True)


def few(n_rows: int, n_draws: int) -> None:
    print("| rows | interval | std | infinite |\n|---|---|---|---|")
    for n in (5, 8, 10, 15, 20, 30, 40):
        found = []
        for seed in range(n_draws):
            rng = np.random.default_rng(seed)
            X, new = rng.normal(size=(n, 3)), rng.normal(size=(200, 3))
            y, truth = (Z[:, 0] - Z[:, 1] + 0.5 * rng.normal(size=len(Z)) for Z in (X, new))
            model = kl.KernelRegressor().fit(X, y)
            found.append(covered(model, new, truth))
        print(f"| {n} | " + " | ".join(f"{100 * one:.1f}" for one in np.mean(found, axis=0)) + " |")


def many(n_rows: int, n_draws: int) -> None:
    print("| table | interval | std | infinite |\n|---|---|---|---|")
    for kind in ("smooth", "pairs"):
        found = []
        for seed in range(n_draws):
            rng = np.random.default_rng(seed)
            Z = rng.uniform(0, 1, (n_rows + 2000, 6))
            signal = np.sin(4 * Z[:, 0]) + Z[:, 1] ** 2
            signal += np.abs(Z[:, 2] - 0.5) if kind == "smooth" else 3 * Z[:, 2] * Z[:, 3]
            y = signal + 0.001 * rng.normal(size=len(Z))
            model = kl.KernelRegressor().fit(Z[:n_rows], y[:n_rows])
            found.append(covered(model, Z[n_rows:], y[n_rows:]))
        print(f"| {kind} | " + " | ".join(f"{100 * one:.1f}" for one in np.mean(found, axis=0)))


def covered(model: kl.KernelRegressor, new: Array, truth: Array) -> list[float]:
    """The share within intervals, within mean ± 1.645 std, and of infinite intervals."""
    ends = model.predict_interval(new, COVERAGE)
    mean, std = model.predict(new, return_std=True)
    near = np.abs(truth - mean) <= norm.ppf(0.5 + COVERAGE / 2) * std
    return [within(ends, truth).mean(), near.mean(), np.isinf(ends).any(axis=1).mean()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["noise", "few", "many"])
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--draws", type=int, default=3)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    {"noise": noise, "few": few, "many": many}[given.what](given.rows, given.draws)


if __name__ == "__main__":
    main()
