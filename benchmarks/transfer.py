"""A kernel learned from one table as the prior of another: does it help where rows are few?

Weights of 48 kernels, on the 16 cells of small images at three widths, are learned from 400 digits
of USPS. A fit to few of the UCI digits that come with scikit-learn learns them alone, or stays near
that kernel, with the default strength.

    python -m benchmarks.transfer DIR [SPLITS]
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_digits

from kernlearn import MKLClassifier, MKLOptions
from kernlearn.datasets import load_usps
from kernlearn.kernels import Columns, Gaussian, Kernel
from kernlearn.papers.tables import mean_and_error
from kernlearn.penalties import NearKernel
from kernlearn.typing import Array

PAIRS = ((3, 8), (4, 9), (1, 7))
FEW = (10, 20, 40)
CELLS = [
    np.add.outer(8 * np.arange(i, i + 2), np.arange(j, j + 2)).ravel().tolist()
    for i in range(0, 8, 2)
    for j in range(0, 8, 2)
]
KERNELS = [Columns(cell, Gaussian(gamma)) for cell in CELLS for gamma in (0.3, 30.0, 300.0)]


def fitted(X: Array, y: Array, **options: object) -> MKLClassifier:
    """The machine with these options, at the same C in both studies."""
    return MKLClassifier(KERNELS, C=10.0, options=MKLOptions(**options)).fit(X, y)  # type: ignore[arg-type]


def errors(X: Array, y: Array, prior: Kernel, n: int, seed: int) -> list[float]:
    """Test errors in per cent: weights learned alone, equal ones, near the prior, the prior."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(np.flatnonzero(y == c))[: n // 2] for c in np.unique(y)])
    rest = np.setdiff1d(np.arange(len(y)), rows)
    models = [
        fitted(X[rows], y[rows]),
        fitted(X[rows], y[rows], equal_share=1.0),
        fitted(X[rows], y[rows], penalty=NearKernel(prior)),
        MKLClassifier([prior], C=10.0).fit(X[rows], y[rows]),
    ]
    return [100.0 * float(np.mean(m.predict(X[rest]) != y[rest])) for m in models]


def main(data_dir: str, splits: int) -> None:
    """Print a table of mean errors and their standard errors."""
    usps = load_usps(data_dir)
    images = usps.X_train.reshape(-1, 8, 2, 8, 2).mean(axis=(2, 4)).reshape(-1, 64)
    images = (images - images.min()) / (images.max() - images.min())
    X, y = load_digits(return_X_y=True)
    print("| digits, rows | alone | equal | near | prior alone |\n|---|---|---|---|---|")
    for pair in PAIRS:
        there = np.flatnonzero(np.isin(usps.y_train, pair))[:400]
        prior = fitted(images[there], usps.y_train[there]).kernel_
        here = np.isin(y, pair)
        for n in FEW:
            found = [errors(X[here] / 16.0, y[here], prior, n, seed) for seed in range(splits)]
            columns = [mean_and_error(column) for column in zip(*found, strict=True)]
            cells = " | ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in columns)
            print(f"| {pair[0]} and {pair[1]}, {n} | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
