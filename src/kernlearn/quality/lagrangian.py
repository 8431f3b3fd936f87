"""Lagrangian SVM (Mangasarian and Musicant 2001): Ong et al. (2005), Example 9."""

from __future__ import annotations

import numpy as np

from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array


def lagrangian(y: Array, upper: Array) -> Machine:
    r"""Maximise :math:`y^\top a - \tfrac12 a^\top (K + 11^\top + \tau I) a` over yᵢaᵢ ≥ 0.

    The squared intercept is regularised with the function, so there is no equality and the
    intercept is 1ᵀa. The paper's λm is τᵢ = 1/Cᵢ. Labels are −1 and +1.
    """
    low, high = np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)
    no_rows = np.zeros((0, len(y)))
    return boxed(y, low, high, ridge=1.0 / upper, rows=no_rows, rhs=np.zeros(0), offset=1.0)
