"""Rows beyond the range of training, and outlying targets: KernelRegressor beside linear models.

Four tables follow a linear law. Two are tested beyond the range of a column: all columns, or the
time of a trend with seasons. Two have clean test targets, and training targets with five per cent
outliers or with Cauchy noise. Printed is the root mean squared error on test rows, in the median
over the draws.

    python -m benchmarks.beyond_and_outliers [--rows 200] [--draws 5]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import HuberRegressor, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.typing import Array

Table = tuple[Array, Array, Array, Array]
SLOPES = np.array([2.0, -1.0, 0.5, 1.0, 0.0])


def beyond(rng: np.random.Generator, n: int) -> Table:
    """A linear law, learned where columns are in [-1, 1] and tested up to three times as far."""
    X, new = rng.uniform(-1, 1, (n, 5)), rng.uniform(-3, 3, (500, 5))
    return X, X @ SLOPES + 0.1 * rng.normal(size=n), new, new @ SLOPES


def seasons(rng: np.random.Generator, n: int) -> Table:
    """A trend over months with a season, learned from the first and tested on a quarter more."""
    months = np.arange(n + n // 4)
    X = np.column_stack([months, months % 12])
    y = 0.03 * months + 0.4 * np.sin(2 * np.pi * months / 12)
    return X[:n], y[:n] + 0.1 * rng.normal(size=n), X[n:], y[n:]


def one_column(rng: np.random.Generator, n: int) -> Table:
    """The same without the month of the year."""
    X, y, new, truth = seasons(rng, n)
    return X[:, :1], y, new[:, :1], truth


def outliers(rng: np.random.Generator, n: int, one_sided: bool = False) -> Table:
    """A linear law in which a twentieth of the targets is far off."""
    X, new = rng.normal(size=(n, 5)), rng.normal(size=(500, 5))
    y = X @ SLOPES + 0.5 * rng.normal(size=n)
    wrong = rng.permutation(n)[: n // 20]
    y[wrong] += 100.0 * (1.0 if one_sided else rng.choice([-1.0, 1.0], len(wrong)))
    return X, y, new, new @ SLOPES


def one_side(rng: np.random.Generator, n: int) -> Table:
    """The same with all outliers above."""
    return outliers(rng, n, one_sided=True)


def cauchy(rng: np.random.Generator, n: int) -> Table:
    """A linear law with Cauchy noise."""
    X, new = rng.normal(size=(n, 5)), rng.normal(size=(500, 5))
    return X, X @ SLOPES + 0.5 * rng.standard_cauchy(n), new, new @ SLOPES


def wave(rng: np.random.Generator, n: int) -> Table:
    """A wave with five per cent outliers, which no linear model can learn."""
    X, new = rng.uniform(-3, 3, (n, 2)), rng.uniform(-3, 3, (500, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)
    wrong = rng.permutation(n)[: n // 20]
    y[wrong] += 20.0 * rng.choice([-1.0, 1.0], len(wrong))
    return X, y, new, np.sin(2 * new[:, 0])


CASES: dict[str, Callable[[np.random.Generator, int], Table]] = {
    "beyond the range": beyond,
    "trend with seasons": seasons,
    "trend, one column": one_column,
    "outlying targets": outliers,
    "outliers above": one_side,
    "Cauchy noise": cauchy,
    "wave with outliers": wave,
}
MODELS = {
    "KernelRegressor": kl.KernelRegressor(),
    "MKLRegressor": kl.MKLRegressor(),
    "ridge": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-4, 4, 17))),
    "Huber": make_pipeline(StandardScaler(), HuberRegressor(max_iter=1000)),
}


def error(model: object, table: Table) -> tuple[float, float]:
    """The root mean squared error on test rows, and the held-out R² where there is one."""
    X, y, new, truth = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(model).fit(X, y)
        wrong = fitted.predict(new) - truth
    return float(np.sqrt(np.mean(wrong**2))), getattr(fitted, "held_out_score_", np.nan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(MODELS))
    given = parser.parse_args()
    print(f"| table | {' | '.join(given.only)} | held-out R² |\n|{'---|' * (len(given.only) + 2)}")
    for name, draw in CASES.items():
        tables = [draw(np.random.default_rng(seed), given.rows) for seed in range(given.draws)]
        found = {
            model: np.median([error(MODELS[model], table) for table in tables], axis=0)
            for model in given.only
        }
        cells = " | ".join(f"{one[0]:.3g}" for one in found.values())
        print(f"| {name} | {cells} | {next(iter(found.values()))[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
