"""The picture of docs/learn_a_distance.md: handwritten digits, found by a learned kernel.

Run ``python examples/learned_distance.py FILE.png``.
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise_distances, roc_curve
from sklearn.model_selection import train_test_split

import kernlearn as kl
from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.inspection import PairScoreDisplay
from kernlearn.kernels import Normalized

SHARES = np.linspace(0.0, 1.0, 201)


def mean_curve(distances: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The share of its own class that a ball holds, at each share of the others; mean of points."""
    curves = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        wrong, right, _ = roc_curve(y[others] == y[i], -distances[i, others])
        curves.append(np.interp(SHARES, wrong, right))
    return np.mean(curves, axis=0)


def main(path: str) -> None:
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(
        X, y, train_size=100, test_size=200, stratify=y, random_state=0
    )
    sigma = 0.25 * np.median(pdist(X))
    metric = kl.HyperkernelMetric(GaussianHyperkernel(sigma, 0.0), n_pairs=1000, random_state=0)
    metric.fit(X, y)
    tables = {
        "Euclidean": pairwise_distances(X_new),
        "learned": -Normalized(metric.kernel_)(X_new),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
    for (name, table), colour in zip(tables.items(), ("#d55e00", "#0072b2"), strict=True):
        label = f"{name}: area {kl.retrieval_auc(table, y_new):.3f}"
        left.plot(SHARES, mean_curve(table, y_new), color=colour, label=label)
    left.set_xlabel("share of the other digits in the ball")
    left.set_ylabel("share of the same digit in the ball")
    left.set_title("a ball inflated around each of 200 unseen digits", fontsize="medium")
    left.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    PairScoreDisplay.from_estimator(metric, X_new, y_new, ax=right)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1])
