"""
The first fit, and the kernels that it tried
============================================

``KernelClassifier`` judges kernels of many kinds by their held-out loss and averages the best.
Points are held-out log losses with their standard errors; numbers are the weights of the members.
"""

from __future__ import annotations

import sys

from sklearn.datasets import load_breast_cancer

from kernlearn import KernelClassifier
from kernlearn.inspection import CandidatesDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = KernelClassifier().fit(X, y)
display = CandidatesDisplay.from_estimator(model)
title = display.ax_.set_title(
    f"Breast cancer: {model.held_out_score_:.1%} of the held-out rows are right", fontsize="medium"
)

# sphinx_gallery_start_ignore
if len(sys.argv) > 1:
    display.figure_.savefig(sys.argv[1], dpi=110, bbox_inches="tight")
# sphinx_gallery_end_ignore
