"""
Combining several sources
=========================

Four descriptions of the same handwritten digits, and three useless ones: descriptions of other
digits. Each source has a kernel of its own, and ``MKLClassifier`` learns their weights.
"""

from __future__ import annotations

import sys
import warnings
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit

from kernlearn import MKLClassifier
from kernlearn.exceptions import AtChanceWarning
from kernlearn.inspection import KernelWeightsDisplay
from kernlearn.kernels import Columns, Gaussian, Kernel, Scaled, Sum

images, y = load_digits(return_X_y=True)
images = images.reshape(-1, 8, 8)


def profiles(images: np.ndarray) -> np.ndarray:
    """How far the ink is from each of the four edges, along every row and column."""
    ink = np.pad(images > 4, [(0, 0), (1, 1), (1, 1)], constant_values=True)
    inner = slice(1, -1)
    seen = [ink[:, inner, 1:], ink[:, inner, -2::-1], ink[:, 1:, inner], ink[:, -2::-1, inner]]
    axes = (2, 2, 1, 1)
    return np.hstack([side.argmax(axis) for side, axis in zip(seen, axes, strict=True)])


sources = {
    "Fourier magnitudes": np.abs(np.fft.rfft2(images)).reshape(len(y), -1),
    "means of 16 zones": images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(len(y), -1),
    "profiles": profiles(images),
    "sums of rows and columns": np.hstack([images.sum(axis=1), images.sum(axis=2)]),
}
generator = np.random.default_rng(0)
for name in ("Fourier magnitudes", "means of 16 zones", "profiles"):
    sources[f"{name}, of other digits"] = sources[name][generator.permutation(len(y))]

# %%
# The sources are columns of one table, and ``Columns`` gives each kernel its own. Their scales
# differ, so each Gaussian takes its bandwidth from the median distance of its columns, on the
# training rows.

X = np.hstack(list(sources.values()))
ends = np.cumsum([0] + [source.shape[1] for source in sources.values()]).tolist()
slices = [slice(*edges) for edges in pairwise(ends)]


def kernels_for(X: np.ndarray) -> list[Kernel]:
    """One Gaussian for each source."""
    widths = [np.median(pdist(X[:, columns], "sqeuclidean")) for columns in slices]
    return [
        Columns(columns, Gaussian(gamma=1.0 / float(width)))
        for columns, width in zip(slices, widths, strict=True)
    ]


# %%
# Each of three splits has 200 training rows and 1000 test rows. The same machine is fitted to each
# source alone, to all with equal weights, and to all with learned weights. A fit to descriptions of
# other digits warns that it is no better than guessing. Here that is the point, so the warning is
# ignored.

warnings.simplefilter("ignore", AtChanceWarning)

accuracy: dict[str, list[float]] = {}
weights = []
splits = StratifiedShuffleSplit(3, train_size=200, test_size=1000, random_state=0)
for rows, new in splits.split(X, y):
    kernels = kernels_for(X[rows])
    contest = {name: [kernel] for name, kernel in zip(sources, kernels, strict=True)}
    equal = Scaled(Sum(kernels), 1.0 / len(kernels))
    contest |= {"all, equal weights": [equal], "all, learned weights": kernels}
    for name, used in contest.items():
        model = MKLClassifier(used, C=10.0).fit(X[rows], y[rows])
        accuracy.setdefault(name, []).append(model.score(X[new], y[new]))
    weights.append(model.weights_)
for name, scores in accuracy.items():
    print(f"{np.mean(scores):.3f}  ({min(scores):.3f} to {max(scores):.3f})  {name}")

# %%
# All sources together are better than the best alone. The useless sources get little weight, but
# not zero: 200 rows are too few to rule them out.

figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.0), layout="constrained")
KernelWeightsDisplay(np.mean(weights, axis=0), list(sources)).plot(ax=left)
left.set_title("learned weights, mean of three samples", fontsize="medium")
shown = [name for name in accuracy if "other" not in name]
means = np.array([np.mean(accuracy[name]) for name in shown])
right.errorbar(
    means,
    np.arange(len(shown)),
    xerr=np.abs([[min(accuracy[name]), max(accuracy[name])] for name in shown] - means[:, None]).T,
    fmt="o",
    color="#0072b2",
    capsize=3,
)
right.set_yticks(np.arange(len(shown)), shown)
right.invert_yaxis()
right.set_xlabel("accuracy on 1000 unseen digits")
right.set_title("mean and range of three samples", fontsize="medium")
right.spines[["top", "right"]].set_visible(False)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
