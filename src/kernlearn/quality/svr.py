"""Support vector regression with a fixed tube (ε) or a fixed share of points outside it (ν)."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVR, NuSVR

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine
from kernlearn.typing import Array


def _two_sided(y: Array, upper: Array, epsilon: float, budget: float = np.inf) -> Machine:
    n = len(y)
    return Machine(
        linear=y,
        breakpoints=np.stack([-upper, np.zeros(n), upper], axis=1),
        slopes=np.tile([-epsilon, epsilon], (n, 1)),
        rows=np.ones((1, n)),
        rhs=np.zeros(1),
        ridge=np.zeros(n),
        budget=budget,
        cold_start=_libsvm_epsilon if np.isinf(budget) else _libsvm_nu,
    )


def _libsvm_epsilon(machine: Machine, K: Array, tol: float) -> Array:
    upper = machine.breakpoints[:, -1]
    scale = float(upper.max())
    regressor = SVR(C=scale, epsilon=float(machine.slopes[0, -1]))
    return libsvm.coefficients(regressor, K, machine.linear, upper / scale, tol=tol)


def _libsvm_nu(machine: Machine, K: Array, tol: float) -> Array:
    upper = machine.breakpoints[:, -1]
    scale = float(upper.max())
    regressor = NuSVR(C=scale, nu=min(1.0, machine.budget / float(upper.sum())))
    return libsvm.coefficients(regressor, K, machine.linear, upper / scale, tol=tol)


def epsilon_svr(y: Array, upper: Array, epsilon: float) -> Machine:
    r"""Maximise :math:`y^\top a - \varepsilon\lVert a\rVert_1 - \tfrac12 a^\top K a`, |aᵢ| ≤ Cᵢ."""
    return _two_sided(y, upper, epsilon)


def nu_svr(y: Array, upper: Array, nu: float) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top K a`, |aᵢ| ≤ Cᵢ, ‖a‖₁ ≤ ν ΣCᵢ.

    ν, in (0, 1], bounds the share of points outside the tube.
    """
    return _two_sided(y, upper, 0.0, budget=nu * float(upper.sum()))
