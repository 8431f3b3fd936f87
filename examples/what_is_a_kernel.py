"""
What a kernel sees
==================

A kernel is a table of similarities, one number for every two points. Drawn with the points sorted
by class, it shows at a glance whether a machine that uses it has an easy task.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
from scipy.spatial.distance import pdist
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.functionals import CrossValidationError
from kernlearn.inspection import GramDisplay
from kernlearn.kernels import Gaussian, Normalized

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
median = float(sorted(pdist(X))[len(X) * (len(X) - 1) // 4])

model = MKLClassifier().fit(X, y)
kernels = {
    "a Gaussian, too narrow": Gaussian(gamma=16.0 / median**2),
    "a Gaussian, too wide": Gaussian(gamma=0.02 / median**2),
    "learned": Normalized(model.kernel_),
}
figure, axes = plt.subplots(1, 3, figsize=(12.0, 4.0), layout="constrained")
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    GramDisplay(kernel(X), y).plot(ax=ax)
    ax.images[0].set_clim(0.0, 1.0)  # the same colours in all three
    ax.set_title(name, fontsize="medium")

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=100)
# sphinx_gallery_end_ignore

# %%
# If the Gaussian is too narrow, every wine resembles only itself. If it is too wide, all wines
# resemble each other. The learned kernel shows the three growers as three blocks.
#
# A cross-validated SVM measures how good a fixed kernel is. The error of the learned kernel is
# optimistic, because its weights were learned from all labels.

quality = CrossValidationError(cv=5)
for name, kernel in kernels.items():
    print(f"{100 * quality(kernel, X, y):5.1f} % wrong  {name}")
