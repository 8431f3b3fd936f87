"""
Objective and bound, step by step
=================================

A convex fit has two numbers: the objective of the weights that it has found, and a lower bound for
all other weights. Each step lowers the one and raises the other; the fit ends when they meet.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import ConvergenceDisplay
from kernlearn.kernels import Gaussian, Linear, Polynomial

X, y = load_breast_cancer(return_X_y=True)
kernels = [Linear(), Polynomial(degree=2), *(Gaussian(gamma) for gamma in (0.003, 0.01, 0.03, 0.1))]
model = make_pipeline(StandardScaler(), MKLClassifier(kernels, normalize=True, C=10.0)).fit(X, y)
print(model[-1].status_)
print(f"{model[-1].n_machine_solves_} machines, gap {model[-1].duality_gap_:.0e}")

figure, ax = plt.subplots(figsize=(6.0, 3.4), layout="constrained")
display = ConvergenceDisplay.from_estimator(model, ax=ax)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore
