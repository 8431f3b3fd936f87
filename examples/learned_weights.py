"""
Weights learned for seven kernels
=================================

A linear, a quadratic and five Gaussian kernels, at the scale of the data. ``MKLClassifier`` learns
the weights of their sum, and sets those of useless kernels to zero.
"""

from __future__ import annotations

import sys

from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from kernlearn import MKLClassifier
from kernlearn.inspection import ConvergenceDisplay, KernelWeightsDisplay, kernel_formula
from kernlearn.kernels import default_bank

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
model = MKLClassifier(default_bank(X)).fit(X, y)

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
# The learned kernel, ``model.kernel_``, is the sum of the kernels with weight:

print(kernel_formula(model.kernel_))

# %%
# Every step gives an objective and a lower bound that no other weights can beat. The gap between
# the two bounds the distance to the best objective.

ConvergenceDisplay.from_estimator(model)
