"""Least-squares machine (LS-SVM, kernel ridge regression with an intercept)."""

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
