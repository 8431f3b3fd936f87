"""
Every bandwidth of an interval
==============================

A mixture of Gaussians is learned over all bandwidths between two numbers. The weights sit on a few
of them. Grids of bandwidths approach its objective from above, and none falls below its bound.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.kernels import Gaussian, GaussianRange

X, y = load_breast_cancer(return_X_y=True)
X, y = StandardScaler().fit_transform(X)[:150], y[:150]
model = MKLClassifier(GaussianRange(1e-3, 10.0)).fit(X, y)
for kernel, weight in zip(model.kernel_.kernels, model.kernel_.weights, strict=True):
    print(f"{weight:.4f}  gamma {kernel.gamma:.4f}")
print(f"gap {model.duality_gap_:.0e} over {model.certificate_covers_}")

sizes, objectives = [2, 4, 8, 16, 32], []
for size in sizes:
    grid = [Gaussian(gamma) for gamma in np.geomspace(1e-3, 10.0, size)]
    objectives.append(MKLClassifier(grid).fit(X, y).objective_)

figure, ax = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
ax.plot(sizes, objectives, "o-", label="a grid of bandwidths")
ax.axhline(model.lower_bound_, color="k", lw=1, label="bound over the interval")
ax.set(xscale="log", xlabel="bandwidths in the grid", ylabel="objective")
ax.legend()

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
