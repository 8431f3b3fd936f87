"""Planes below the objective from coefficients of many rows, with their rounding taken off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernlearn.numerics.sums import EPS, rounding
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.oracle import Plane
from kernlearn.typing import Array

NEAR = 1e-9  # relative violation of the constraints that is carried; beyond it there is no plane


def coefficient_plane(
    machines: Sequence[Machine], coefs: Sequence[Array], gradient: Array, trace: float
) -> Plane:
    """The plane of coefficients that are feasible, or so nearly that the difference is carried.

    Each machine has its coefficients, the gradient is −½ Σ aᵀKᵢa, and `trace` bounds that of K(w).
    """
    plane = _without_kernels(machines, coefs, gradient)
    pairs = zip(machines, coefs, strict=True)
    quadratic = sum(float(np.linalg.norm(a)) * _error(machine, a) for machine, a in pairs)
    noise = 4 * EPS * np.abs(gradient)
    return replace(plane, constant=plane.constant - quadratic * trace, noise=noise)


def factor_plane(
    machines: Sequence[Machine],
    coefs: Sequence[Array],
    cs: Sequence[Array],
    membership: Array,
    lengths: Array,
) -> Plane:
    """The same from Zᵀa: where coefficients are large and cancel there, much less is rounding.

    `cs` holds Zᵀa of each machine, `membership` (R, m) ones where a column of Z belongs to a
    kernel, and `lengths` the lengths of the columns.
    """
    noise = np.zeros(len(lengths))
    for machine, a, c in zip(machines, coefs, cs, strict=True):
        error = _error(machine, a) * lengths  # of c
        noise += error * (np.abs(c) + 0.5 * error)
    gradient = -0.5 * (membership.T @ np.sum([c**2 for c in cs], axis=0))
    plane = _without_kernels(machines, coefs, gradient)
    return replace(plane, noise=membership.T @ noise + 4 * EPS * np.abs(gradient))


def _without_kernels(machines: Sequence[Machine], coefs: Sequence[Array], gradient: Array) -> Plane:
    """The plane less the rounding of the part that is free of the kernels; or one at −∞."""
    constant = slack = weight = 0.0
    for machine, coef in zip(machines, coefs, strict=True):
        if machine.infeasibility(coef) > NEAR:
            return Plane(-np.inf, 0.0 * gradient)
        constant += machine.linear_value(coef)
        slack += rounding(len(coef)) * machine.linear_size(coef)
        slack += _missed(machine, coef) * float(np.abs(machine.linear).max())
        weight += 0.5 * float(coef @ coef)
    return Plane(constant - slack, gradient, 0.0, weight, ((1.0, tuple(coefs)),))


def _missed(machine: Machine, coef: Array) -> float:
    """How far the nearest point of the polytope may be, on which a plane is exact."""
    return (machine.infeasibility(coef) + EPS) * float(np.abs(coef).sum())


def _error(machine: Machine, coef: Array) -> float:
    """Of a product with a vector of unit length, what rounding and the nearest point may change."""
    return rounding(len(coef)) * float(np.linalg.norm(coef)) + _missed(machine, coef)
