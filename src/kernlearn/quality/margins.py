"""Margin machines of two classes, with labels −1 and +1.

Hard margin and 2-norm soft margin: Lanckriet et al. (2004), eqs. (1), (2), (5) and (6). 1-norm soft
margin (C-SVM): eqs. (3) and (4). ν-SVM: Schölkopf et al. (2000); Ong et al. (2005), Example 8.
Lagrangian SVM (Mangasarian and Musicant 2001): Ong et al. (2005), Example 9.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC, NuSVC

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array

# In units where K has size one: a box so wide that only (nearly) inseparable data touch it.
WIDE_BOX = 1e6


def _hard_start(machine: Machine, K: Array, tol: float) -> Array:
    ridged = K
    if machine.ridge.any():
        ridged = K.copy()
        ridged.flat[:: K.shape[0] + 1] += machine.ridge
    size = max(float(ridged.diagonal().mean()), 1e-300)
    return libsvm.coefficients(SVC(C=WIDE_BOX / size), ridged, machine.linear, tol=tol)


def hard_margin(y: Array, ridge: Array | None = None) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top (K + \tau I) a` over :math:`y_i a_i \ge 0`.

    Without a ridge τ this is the hard margin, whose value is infinite if the classes cannot be
    separated; with τᵢ = 1/Cᵢ it is the 2-norm soft margin of eq. (6). Labels are −1 and +1.
    """
    return boxed(y, *_half_lines(y), ridge=ridge, stretchable=True, cold_start=_hard_start)


def squared_soft_margin(y: Array, upper: Array) -> Machine:
    r"""2-norm soft margin: the hard margin with :math:`K + \tau I`, :math:`\tau_i = 1/C_i`."""
    return hard_margin(y, ridge=1.0 / upper)


def lagrangian(y: Array, upper: Array) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top (K + 11^\top + \tau I) a` over yᵢaᵢ ≥ 0.

    The squared intercept is regularised with the function, so there is no equality and the
    intercept is 1ᵀa. The paper's λm is τᵢ = 1/Cᵢ. Labels are −1 and +1.
    """
    none = np.zeros((0, len(y)))
    return boxed(y, *_half_lines(y), ridge=1.0 / upper, rows=none, rhs=none[:, 0], offset=1.0)


def _half_lines(y: Array) -> tuple[Array, Array]:
    """The ends of the sets yᵢaᵢ ≥ 0."""
    return np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)


def _soft_start(machine: Machine, K: Array, tol: float) -> Array:
    upper = np.abs(machine.breakpoints).max(axis=1)
    scale = float(upper.max())
    return libsvm.coefficients(SVC(C=scale), K, machine.linear, upper / scale, tol=tol)


def soft_margin(y: Array, upper: Array) -> Machine:
    r"""C-SVM: maximise :math:`y^\top a - \tfrac12 a^\top K a`, :math:`0 \le y_i a_i \le C_i`."""
    low, high = np.minimum(0.0, y * upper), np.maximum(0.0, y * upper)
    return boxed(y, low, high, stretchable=True, cold_start=_soft_start)


def ranking(upper: Array) -> Machine:
    r"""Ranking SVM: maximise :math:`1^\top a - \tfrac12 a^\top K a`, :math:`0 \le a_i \le C_i`.

    K is the kernel of differences of two rows (Herbrich, Graepel and Obermayer 2000; Joachims
    2002). A difference has no intercept, so that there is no equality.
    """
    none = np.zeros((0, len(upper)))
    low, ones = np.zeros(len(upper)), np.ones(len(upper))
    return boxed(ones, low, upper, rows=none, rhs=none[:, 0], stretchable=True)


def _nu_start(machine: Machine, K: Array, tol: float) -> Array:
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
        cold_start=_nu_start,
    )
