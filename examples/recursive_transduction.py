"""
Rows that come after the fit
============================

Weights of free signs are learned so that the kernel is positive semidefinite on the rows of the
fit. Further rows restrict the weights, so the best objective can only rise. ``extend`` changes the
weights only if it must, and keeps their certificate for all rows so far.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.kernels import Gaussian, Linear

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
kernels = [Linear(), Gaussian(0.01), Gaussian(0.1)]
model = MKLClassifier(kernels, weights="free", normalize=True).fit(X[:100], y[:100])
rows, objectives = [100], [model.objective_]
for start in range(100, 200, 20):
    model.extend(X[start : start + 20])
    print(model.extension_)
    rows.append(start + 20)
    objectives.append(model.objective_)
print(f"gap {model.duality_gap_:.0e}, {(model.transduction_ == y[100:200]).mean():.2f} correct")

figure, ax = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
ax.plot(rows, objectives, "o-")
ax.set(xlabel="rows on which the kernel is positive semidefinite", ylabel="objective")

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
