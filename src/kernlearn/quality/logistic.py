r"""The logistic machine of two classes, with labels −1 and +1: kernel logistic regression.

.. math::

    \min_f \; \tfrac12\lVert f\rVert^2 + \sum_i C_i \log\bigl(1 + e^{-y_i (f(x_i) + b)}\bigr)

It is the loss of equation (5) of Cawley and Talbot (2014) that makes f the log-odds of the class.
The conjugate of the loss is an entropy (Jaakkola and Haussler 1999).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.quality.machine import Machine, boxed
from kernlearn.typing import Array


def logistic(y: Array, upper: Array) -> Machine:
    r"""Maximise :math:`-\tfrac12 a^\top K a - \sum_i C_i h(y_i a_i/C_i)`, 0 ≤ yᵢaᵢ ≤ Cᵢ, 1ᵀa = 0.

    Here :math:`h(s) = s\log s + (1 - s)\log(1 - s)`.
    """
    signed = y * upper
    machine = boxed(np.zeros(len(y)), np.minimum(0.0, signed), np.maximum(0.0, signed))
    return replace(machine, temperature=1.0)
