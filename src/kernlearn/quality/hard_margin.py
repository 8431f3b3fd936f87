"""Hard margin and 2-norm soft margin: Lanckriet et al. (2004), eqs. (1), (2), (5) and (6).

And the Lagrangian SVM (Mangasarian and Musicant 2001): Ong et al. (2005), Example 9.
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array

# In units where K has size one: a box so wide that only (nearly) inseparable data touch it.
WIDE_BOX = 1e6


def _libsvm(machine: Machine, K: Array, tol: float) -> Array:
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
    return boxed(y, *_half_lines(y), ridge=ridge, stretchable=True, cold_start=_libsvm)


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
