"""
Weights learned for six kernels
===============================

The picture of the README: `MKLClassifier` gets the breast cancer data that come with scikit-learn
and no kernels, so it makes a bank around the width that predicts held-out rows best, and learns how
to combine it.
"""

from __future__ import annotations

import sys

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import ConvergenceDisplay, KernelWeightsDisplay, kernel_formula

X, y = load_breast_cancer(return_X_y=True)
model = MKLClassifier().fit(StandardScaler().fit_transform(X), y)

display = KernelWeightsDisplay.from_estimator(model)
display.ax_.set_title(
    f"Breast cancer: {len(y)} tumours, {X.shape[1]} measurements\n"
    f"{model.n_machine_solves_} SVM solves, relative duality gap {model.duality_gap_:.0e}",
    fontsize="medium",
)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    display.figure_.savefig(sys.argv[1], dpi=110)
# sphinx_gallery_end_ignore

# %%
# Weights at zero are exactly zero. What is left is the learned kernel, ``model.kernel_``:

print(kernel_formula(model.kernel_))

# %%
# Every kernel tried gives a value and a bound that no other weights can beat. The gap between the
# two says how far the weights are from the best ones, at most.

ConvergenceDisplay.from_estimator(model)
