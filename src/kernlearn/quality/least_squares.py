"""Machines without bounds: least squares (LS-SVM, ridge regression), and interpolation.

Interpolation is the alignment with a penalty: Ong et al. (2005), Example 12, eq. (32).
"""

from __future__ import annotations

import numpy as np

from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array


def least_squares(y: Array, upper: Array) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top (K + \lambda I) a`, 1ᵀa = 0, λᵢ = 1/Cᵢ.

    Nothing is bounded, so the solution is one linear system. Targets are numbers, or −1 and +1.
    """
    endless = np.full(len(y), np.inf)
    return boxed(y, -endless, endless, ridge=1.0 / upper)


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
    endless, ridge = np.full(n, np.inf), np.full(n, RIDGE * kernel_size)
    return boxed(y, -endless, endless, ridge=ridge, rows=np.zeros((0, n)), rhs=np.zeros(0))
