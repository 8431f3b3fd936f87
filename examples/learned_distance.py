"""
Digits, found by a learned distance
===================================

A kernel is learned from pairs of a hundred handwritten digits, so that digits of one class are
close. On two hundred other digits, a ball grows around each. The curve shows what share of its own
class the ball holds before other classes enter.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise_distances, roc_curve
from sklearn.model_selection import train_test_split

import kernlearn as kl
from kernlearn.hyperkernels import GaussianHyperkernel
from kernlearn.inspection import EmbeddingDisplay, PairScoreDisplay
from kernlearn.kernels import Normalized

X, y = load_digits(return_X_y=True)
X, X_new, y, y_new = train_test_split(
    X, y, train_size=100, test_size=200, stratify=y, random_state=0
)
sigma = 0.25 * np.median(pdist(X))
metric = kl.HyperkernelMetric(GaussianHyperkernel(sigma, 0.0), n_pairs=1000, random_state=0)
metric.fit(X, y)

# %%
# Left: the mean share of its own class that a ball holds, at each share of the other classes.
# Right: the scores k + b of all pairs of the unseen digits.

SHARES = np.linspace(0.0, 1.0, 201)


def mean_curve(distances: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The share of its own class that a ball holds, at each share of the others; mean of points."""
    curves = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        wrong, right, _ = roc_curve(y[others] == y[i], -distances[i, others])
        curves.append(np.interp(SHARES, wrong, right))
    return np.mean(curves, axis=0)


tables = {"Euclidean": pairwise_distances(X_new), "learned": -Normalized(metric.kernel_)(X_new)}
figure, (left, right) = plt.subplots(1, 2, figsize=(10.0, 4.2), layout="constrained")
for (name, table), colour in zip(tables.items(), ("#d55e00", "#0072b2"), strict=True):
    label = f"{name}: area {kl.metrics.retrieval_auc(table, y_new):.3f}"
    left.plot(SHARES, mean_curve(table, y_new), color=colour, label=label)
left.set_xlabel("share of the other digits in the ball")
left.set_ylabel("share of the same digit in the ball")
left.set_title("a ball inflated around each of 200 unseen digits", fontsize="medium")
left.spines[["top", "right"]].set_visible(False)
left.legend(frameon=False)
display = PairScoreDisplay.from_estimator(metric, X_new, y_new, ax=right)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore

# %%
# The two principal components of the learned kernel are a map of the digits.

display = EmbeddingDisplay.from_estimator(metric, X_new, y_new)
