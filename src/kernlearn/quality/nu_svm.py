"""ν-SVM: Schölkopf et al. (2000); Ong et al. (2005), Example 8."""

from __future__ import annotations

import numpy as np
from sklearn.svm import NuSVC

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array


def _libsvm(machine: Machine, K: Array, tol: float) -> Array:
    y = machine.rows[1]
    upper = np.abs(machine.breakpoints).max(axis=1)
    # A hair less than asked for: at the largest feasible value libsvm may see an infeasible one.
    nu = float(machine.rhs[1] / upper.sum()) * (1.0 - 1e-9)
    a = libsvm.coefficients(NuSVC(nu=nu), K, y, upper / upper.mean(), tol=tol)
    size = float(np.abs(a).sum())
    return a * float(machine.rhs[1]) / size if size > 0 else a


def nu_svm(y: Array, sample_weight: Array, nu: float) -> Machine:
    r"""Maximise :math:`-\tfrac12 a^\top K a`, 0 ≤ yᵢaᵢ ≤ sᵢ/Σs, 1ᵀa = 0, yᵀa = ν.

    The paper asks for yᵀa ≥ ν; shrinking ``a`` lowers the norm, so equality holds. ν is in (0, 1],
    and at most twice the weight share of the smaller class.
    """
    n = len(y)
    signed = y * sample_weight / sample_weight.sum()
    return boxed(
        np.zeros(n),
        np.minimum(0.0, signed),
        np.maximum(0.0, signed),
        rows=np.stack([np.ones(n), y]),
        rhs=np.array([0.0, nu]),
        cold_start=_libsvm,
    )
