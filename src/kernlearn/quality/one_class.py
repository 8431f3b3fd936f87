"""One-class machine for novelty detection (Schölkopf et al. 2001)."""

from __future__ import annotations

import numpy as np
from sklearn.svm import OneClassSVM

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array


def _libsvm(machine: Machine, K: Array, tol: float) -> Array:
    total = float(machine.rhs[0])
    upper = machine.breakpoints[:, 1]
    nu = total / float(upper.sum())
    if nu > 1.0 - 1e-9:
        # Only one point is feasible, and libsvm's start would run past the last weight.
        return upper * (total / float(upper.sum()))
    a = libsvm.coefficients(OneClassSVM(nu=nu), K, None, upper / upper.mean(), tol=tol)
    size = float(a.sum())
    return a * (total / size) if size > 0 else a


def one_class(sample_weight: Array, nu: float) -> Machine:
    r"""Maximise :math:`-\tfrac12 a^\top K a`, :math:`0 \le a_i \le s_i/(\nu \sum s)`, 1ᵀa = 1.

    The multiplier of 1ᵀa = 1 is minus the threshold ρ: the decision function is ``K a − ρ``. ν, in
    (0, 1], bounds the share of outliers.
    """
    zeros = np.zeros(len(sample_weight))
    upper = sample_weight / (nu * sample_weight.sum())
    return boxed(zeros, zeros, upper, rhs=np.ones(1), cold_start=_libsvm)
