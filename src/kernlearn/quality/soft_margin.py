"""1-norm soft margin (C-SVM): Lanckriet et al. (2004), eqs. (3) and (4)."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array


def _libsvm(machine: Machine, K: Array, tol: float) -> Array:
    upper = np.abs(machine.breakpoints).max(axis=1)
    scale = float(upper.max())
    return libsvm.coefficients(SVC(C=scale), K, machine.linear, upper / scale, tol=tol)


def soft_margin(y: Array, upper: Array) -> Machine:
    r"""C-SVM: maximise :math:`y^\top a - \tfrac12 a^\top K a`, :math:`0 \le y_i a_i \le C_i`."""
    low, high = np.minimum(0.0, y * upper), np.maximum(0.0, y * upper)
    return boxed(y, low, high, stretchable=True, cold_start=_libsvm)
