"""Machines of targets that are numbers: support vector regression, Huber, quantiles, squares.

Interpolation is the alignment with a penalty: Ong et al. (2005), Example 12, eq. (32).
"""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVR, NuSVR

from kernlearn.quality import libsvm
from kernlearn.quality.machine import Machine, boxed
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


def huber(y: Array, upper: Array, epsilon: float) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top (K + \lambda I) a`, 1ᵀa = 0, |aᵢ| ≤ εCᵢ.

    As for least squares, λᵢ = 1/Cᵢ. The loss is C times Huber's (1964): ½r² for residuals up to ε,
    and ε|r| − ½ε² beyond.
    """
    return boxed(y, -epsilon * upper, epsilon * upper, ridge=1.0 / upper)


def quantile(y: Array, upper: Array, level: float) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top K a`, 1ᵀa = 0, −(1 − q)Cᵢ ≤ aᵢ ≤ qCᵢ.

    The loss is C times the pinball loss, max(q r, (q − 1) r) for residuals r, whose expectation is
    least at the q-quantile (Koenker and Bassett 1978). `level` is q, between 0 and 1.
    """
    return boxed(y, -(1.0 - level) * upper, level * upper)


def least_squares(y: Array, upper: Array) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top (K + \lambda I) a`, 1ᵀa = 0, λᵢ = 1/Cᵢ.

    Nothing is bounded, so the solution is one linear system. Targets are numbers, or −1 and +1.
    """
    unbounded = np.full(len(y), np.inf)
    return boxed(y, -unbounded, unbounded, ridge=1.0 / upper)


# In units where K has size one. The pseudo-inverse of (32) jumps where K loses rank; this ridge
# makes it continuous, and is as fine as double precision lets a certificate be.
RIDGE = 1e-10


def interpolation(y: Array, kernel_size: float) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top K a` over all a: the value is ½ yᵀK⁺y.

    It is half the squared norm of the smallest function that passes through the labels, which is
    what :math:`\begin{pmatrix} K & y \\ y^\top & t_1\end{pmatrix} \succeq 0` bounds in (32).
    Unlike the alignment itself it has a scale to weigh a penalty against. A ridge of 1e-10 of
    `kernel_size`, the mean diagonal entry of the kernels to come, is added.
    """
    n = len(y)
    unbounded, ridge = np.full(n, np.inf), np.full(n, RIDGE * kernel_size)
    return boxed(y, -unbounded, unbounded, ridge=ridge, rows=np.zeros((0, n)), rhs=np.zeros(0))
