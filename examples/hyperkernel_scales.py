"""
A kernel learned without a grid
===============================

The classes differ in a column with a standard deviation of 1, and the other column is noise with
one of 1000 (Ong, Smola and Williamson 2005, Figure 1). A Gaussian kernel has one bandwidth for both
columns, so the noise dominates it. The hyperkernel learns a scale for each column.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.svm import SVC

from kernlearn import HyperkernelClassifier
from kernlearn.datasets import make_two_scales
from kernlearn.inspection import DecisionSurfaceDisplay
from kernlearn.papers.ong2005.figure1 import draw_figure1

data = make_two_scales(n_samples=100, random_state=0)
unseen = make_two_scales(n_samples=2000, random_state=1)
figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0), layout="constrained", sharey=True)
for ax, machine in zip(axes, (SVC(gamma="scale"), HyperkernelClassifier()), strict=True):
    machine.fit(data.X, data.y)
    DecisionSurfaceDisplay.from_estimator(machine, data.X, data.y, ax=ax)
    error = 100.0 * (1.0 - machine.score(unseen.X, unseen.y))
    ax.set_title(f"{type(machine).__name__}: {error:.1f} % wrong on new points", fontsize="medium")

# %%
# It learned two numbers, without a grid and without cross-validation:

for name, scale in zip(data.feature_names, machine.feature_scales_, strict=True):
    print(f"the kernel falls off over {scale:.3g} in the {name} column")

# %%
# With the name of a file this script also draws the figure of the paper, which the guide to
# hyperkernels shows: ``python examples/hyperkernel_scales.py FILE.png``.

if len(sys.argv) > 1:
    print(draw_figure1(Path(sys.argv[1])))
