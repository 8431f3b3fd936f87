r"""Machines with a soft margin, for labels.

A least-squares machine learns probabilities, a machine with a margin only on which side of one half
they are: if labels are noise in most of the space, the sides can be learned with fewer rows.
C = 1/λ. There is no closed form for held-out rows, so a fold is predicted by a machine without it.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from kernlearn.quality import libsvm
from kernlearn.typing import Array

# λ in units of the mean variance of the kernel; held-out losses are flat between these.
RIDGES = (10.0, 1.0, 0.1)
# Most steps for each row: a machine that needs more is all but separable, and good enough.
_STEPS = 20


def solve_margin(K: Array, Y: Array, lam: float, weight: Array) -> tuple[Array, Array]:
    """Coefficients (n, k) and intercepts (k,) of one machine for each column of labels ±1."""
    coef, intercept = np.zeros_like(Y), np.zeros(Y.shape[1])
    for j, y in enumerate(Y.T):
        if np.ptp(y) == 0:  # a fold may take a class away
            intercept[j] = y[0]
            continue
        steps = {"max_iter": _STEPS * max(len(K), 100)}
        # libsvm begins with one class, to a coarse tolerance: with that of the first row, so that
        # labels that are exchanged change no more than signs.
        sign = y[0]
        found = libsvm.train(SVC(C=1.0 / lam), K, sign * y, weight, steps)
        coef[:, j], intercept[j] = sign * found[0], sign * found[1]
    return coef, intercept
