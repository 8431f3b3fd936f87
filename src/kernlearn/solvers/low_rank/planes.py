"""Planes below the objective from coefficients of many rows, with their rounding taken off."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kernlearn.quality.machine import Machine
from kernlearn.solvers.oracle import EPS, Plane, rounding

Array = NDArray[np.float64]

NEAR = 1e-9  # relative violation of the constraints that is carried; beyond it there is no plane


def coefficient_plane(
    machines: Sequence[Machine], coefs: Sequence[Array], gradient: Array, trace: float
) -> Plane:
    """The plane of coefficients that are feasible, or so nearly that the difference is carried.

    Parameters
    ----------
    machines : sequence of Machine
        Which the coefficients are of.
    coefs : sequence of ndarray of shape (n,)
        One for each machine.
    gradient : ndarray of shape (m,)
        Minus half of Σ aᵀKᵢa.
    trace : float
        Bound on the trace of K(w).
    """
    constant = slack = weight = 0.0
    for machine, coef in zip(machines, coefs, strict=True):
        off = machine.infeasibility(coef)
        if off > NEAR:
            return Plane(-np.inf, 0.0 * gradient)
        missed = (off + EPS) * float(np.abs(coef).sum())
        length = float(np.linalg.norm(coef))
        constant += machine.linear_value(coef)
        slack += rounding(len(coef)) * machine.linear_size(coef)
        slack += missed * float(np.abs(machine.linear).max())
        slack += (rounding(len(coef)) * length**2 + missed * length) * trace
        weight += 0.5 * length**2
    made_of = ((1.0, tuple(coefs)),)
    return Plane(constant - slack, gradient, 4 * EPS * np.abs(gradient), weight, made_of)
