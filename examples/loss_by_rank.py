"""
How many landmarks are enough
=============================

Above 3000 rows kernels are approximated through landmarks. ``loss_by_rank_`` has the held-out loss
at the chosen number of landmarks and at smaller ones. The figure has one curve for each bandwidth.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np

from kernlearn import MKLRegressor
from kernlearn.kernels import Gaussian

rng = np.random.default_rng(0)
X = rng.standard_normal((4000, 5))
y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(4000)

figure, ax = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
for gamma, colour in {0.03: "#0072b2", 0.1: "#009e73", 0.5: "#d55e00"}.items():
    model = MKLRegressor([Gaussian(gamma)], quality="least_squares", C=100.0, rank=512).fit(X, y)
    ranks, losses = model.loss_by_rank_["rank"], model.loss_by_rank_["loss"]
    ax.loglog(ranks, losses, marker="o", color=colour, label=f"γ = {gamma}")
    print(f"γ = {gamma}: {losses[0]:.3f} at {ranks[0]} landmarks, {losses[-1]:.3f} at {ranks[-1]}")
ax.set_xlabel("landmarks")
ax.set_ylabel("held-out mean squared error")
ax.spines[["top", "right"]].set_visible(False)
legend = ax.legend(frameon=False)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
