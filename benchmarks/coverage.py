"""How often do intervals hold the target of a new row?

Every regressor is fitted to 80 % of the rows of five UCI tables, standardised, over many random
splits; printed are the share of the other rows whose target lies in `predict_interval`, the same
for mean ± 1.645 standard deviations of ``predict(return_std=True)``, and the mean width of the
intervals in units of the targets' standard deviation.

    python -m benchmarks.coverage DIR [SPLITS] [COVERAGE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import norm
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernlearn as kl
from kernlearn.datasets.uci import UCI_REGRESSION_NAMES, load_uci_regression

MODELS = {
    "KernelRegressor": kl.KernelRegressor(),
    "LSSVMRegressor": kl.LSSVMRegressor(),
    "FirstLevelRegressor": kl.FirstLevelRegressor(),
    "MKLRegressor least squares, C = 1": kl.MKLRegressor(quality="least_squares", C=1.0),
    "MKLRegressor, C = 1": kl.MKLRegressor(C=1.0),
    "HyperkernelRegressor": kl.HyperkernelRegressor(max_pivots=50),
}


def shares(model: object, data: object, splits: int, coverage: float) -> np.ndarray:
    """Return the means of: inside the interval, inside mean ± std, width."""
    X, y = data.X, data.y / data.y.std()  # amounts stay amounts
    found = []
    for seed in range(splits):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
        fitted = make_pipeline(StandardScaler(), clone(model)).fit(X_train, y_train)
        rows, last = fitted[:-1].transform(X_test), fitted[-1]
        low, high = last.predict_interval(rows, coverage).T
        inside = np.mean((low <= y_test) & (y_test <= high))
        gaussian = np.nan
        if not hasattr(last, "quality") or last.quality == "least_squares":
            mean, std = last.predict(rows, return_std=True)
            gaussian = np.mean(np.abs(y_test - mean) <= norm.ppf(0.5 + coverage / 2) * std)
        found.append([inside, gaussian, np.mean(high - low)])
    return np.mean(found, axis=0)


def main(folder: Path, splits: int, coverage: float) -> None:
    print(f"coverage {coverage:.0%}, {splits} splits: interval / std (width)\n")
    print(f"| model | {' | '.join(UCI_REGRESSION_NAMES)} | mean |\n|{'---|' * 7}")
    sets = [load_uci_regression(name, folder) for name in UCI_REGRESSION_NAMES]
    pairs = [(model, data) for model in MODELS.values() for data in sets]
    found = Parallel(n_jobs=-1)(
        delayed(shares)(model, data, splits, coverage) for model, data in pairs
    )
    for name, rows in zip(MODELS, np.reshape(found, (len(MODELS), len(sets), -1)), strict=True):
        cells = [f"{100 * i:.1f} / {100 * g:.1f} ({w:.2f})" for i, g, w in rows]
        print(f"| {name} | {' | '.join(cells)} | {100 * rows[:, 0].mean():.1f} |", flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(
        Path(arguments[0]),
        int(arguments[1]) if len(arguments) > 1 else 20,
        float(arguments[2]) if len(arguments) > 2 else 0.9,
    )
