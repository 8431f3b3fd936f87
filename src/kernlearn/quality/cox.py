r"""Cox's proportional hazards in the function space of a kernel.

.. math::

    \min_f \; \tfrac12\lVert f\rVert^2
    + C \sum_{i : \delta_i} v_i \Bigl(\log \sum_{t_j \ge t_i} v_j e^{f(x_j)} - f(x_i)\Bigr)

Ties are Efron's or Breslow's (:mod:`kernlearn.quality.risk_sets`). A constant changes nothing, so
there is no intercept. The loss is no sum over rows: :mod:`kernlearn.quality.risk_flow` has its
conjugate.
"""

from __future__ import annotations

from dataclasses import replace

from kernlearn.quality.machine import Machine, boxed
from kernlearn.quality.risk_sets import RiskSets
from kernlearn.survival.ties import Ties
from kernlearn.typing import Array


def cox(signed: Array, upper: Array, weight: Array, ties: Ties = "efron") -> Machine:
    r"""Maximise :math:`-\tfrac12 a^\top K a - L^*(-a)`, over the flows of the risk sets.

    `signed` holds times, with the sign bit where they are censored.
    """
    risk_sets = RiskSets.of(signed, upper, weight, ties)
    low, high = risk_sets.box.T
    machine = boxed(0.0 * high, low, high)
    return replace(machine, temperature=1.0, risk_sets=risk_sets)
