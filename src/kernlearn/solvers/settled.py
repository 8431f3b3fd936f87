r"""From where a search ended to what is returned, with the certificate of just that.

The weights are tidied first (crumbs of weight set to zero, the total restored, K(w) brought back
into the cone) and evaluated after it, so that the objective is that of the weights returned. What
cannot be known is carried by the bound: the rounding of the primal value, and the most negative
eigenvalue that is left in K(w), which by weak duality takes at most
:math:`2\delta\lVert a\rVert^2` off the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh

from kernlearn.families.base import Family
from kernlearn.quality.machine import Array, Machine, Multipliers
from kernlearn.solvers.active_set import MachineSolution
from kernlearn.solvers.factor import lower_factor
from kernlearn.solvers.oracle import EPS, rounding

NO_SHARE = 1e-9
LONG_DOUBLE_SIZE = 500  # up to this many points, products in long double cost milliseconds
KNOWN = 1e-9  # relative rounding of the objective that is not worth a second look
SETTLED_SHARE = 0.05  # of the tolerance: what rounding of the objective may take of it
MOST_PULLED = 1e-3
FULL_SPECTRUM = 300


def without_crumbs(weights: Array, shares: Array) -> Array:
    """The weights with exact zeros where a matrix has a share that is rounding.

    Parameters
    ----------
    weights : ndarray of shape (m,)
        Weights.
    shares : ndarray of shape (m,)
        Their terms in the constraint or in the trace, whichever is larger.
    """
    # Of their sum, not of their sizes: large weights that cancel make small ones count.
    kept = np.abs(shares) > NO_SHARE * abs(float(shares.sum()))
    if kept.all() or not kept.any():
        return weights
    return np.asarray(np.where(kept, weights, 0.0))


def with_total(weights: Array, normaliser: Array, total: float) -> Array:
    """The weights stretched until Σ wᵢrᵢ = total."""
    exact = weights.astype(np.longdouble)
    size = exact @ normaliser
    if not size > 0 or abs(size / total - 1.0) <= 4 * EPS:
        return weights
    return np.asarray(exact * (total / size)).astype(float)


def into_the_cone(family: Family, weights: Array, inside: Array, allowed: float) -> Array:
    """Weights moved towards ``inside`` until K(w) ⪰ 0, or as far as is worth it.

    Parameters
    ----------
    family : Family
        The matrices.
    weights, inside : ndarray of shape (m,)
        Where to start, and where K(w) ⪰ 0 for certain.
    allowed : float
        A negative part that costs nothing worth a step.
    """
    K = family.combine(weights, labelled_only=False)
    value, vector = lowest_eigenpair(K)
    moved = weights
    for _ in range(4):
        if -value <= allowed:
            break
        # Where the lowest eigenvector has no more than rounding at the inner point, nothing helps.
        room = float(vector @ family.combine(inside, labelled_only=False) @ vector)
        share = 2.0 * -value / (room - value) if room > 0 else 1.0
        if share > MOST_PULLED:
            break
        moved = (1.0 - share) * moved + share * inside
        K = family.combine(moved, labelled_only=False)
        value, vector = lowest_eigenpair(K)
    return moved


def lowest_eigenpair(K: Array) -> tuple[float, Array]:
    """The most negative eigenvalue, zero if it is rounding, and its eigenvector."""
    n = len(K)
    size = float(np.abs(K.diagonal()).max())
    allowed = 4.0 * rounding(n) * max(size, float(np.linalg.norm(K)) / np.sqrt(n))
    if n > FULL_SPECTRUM:
        shifted = K.copy()
        shifted.flat[:: n + 1] += allowed
        try:
            lower_factor(shifted)
        except LinAlgError:
            pass
        else:
            return 0.0, np.zeros(n)
    values, vectors = eigh(K, subset_by_index=[0, 0], check_finite=False)
    value = float(values[0])
    return (0.0 if value >= -allowed else value), vectors[:, 0]


def settled_machine(
    family: Family, weights: Array, machine: Machine, solution: MachineSolution, tol: float
) -> tuple[float, float, Multipliers]:
    """Primal value of a machine's solution, a bound on its rounding, and the multipliers."""
    a, multipliers = solution.coef, _as_returned(solution.multipliers, machine)
    K = family.combine(weights)
    diagonal = np.sqrt(np.abs(K.diagonal()) + machine.offset)
    f = K @ a + machine.offset * a.sum()
    multipliers = machine.tightened(f, multipliers)
    error = rounding(len(a)) * diagonal * float(np.abs(a) @ diagonal)
    value = machine.upper_value(a, f, multipliers)
    noise = machine.value_noise(a, f, multipliers, error)
    enough = min(SETTLED_SHARE * tol, KNOWN)
    if noise <= enough * abs(value) or len(a) > LONG_DOUBLE_SIZE:
        return value, noise, multipliers
    long: Any = a.astype(np.longdouble)
    exact = family.combine_exactly(weights) @ long + machine.offset * long.sum()
    f = exact.astype(float)
    candidates = [multipliers]
    if not machine.homogeneous:
        candidates.append(_as_returned(machine.best_multipliers(f), machine))
    candidates = [machine.tightened(exact, candidate) for candidate in candidates]
    found = [(machine.upper_value(long, exact, m), m) for m in candidates]
    value, multipliers = min(found, key=lambda pair: pair[0])
    return value, 4 * EPS * abs(value), multipliers


def _as_returned(multipliers: Multipliers, machine: Machine) -> Multipliers:
    """With the intercept rounded as it is when a shift of the targets is added to it."""
    if not machine.shift:
        return multipliers
    rows = multipliers.rows.copy()
    rows[0] = (rows[0] + machine.shift) - machine.shift
    return Multipliers(rows, multipliers.budget)


def total_weight(solutions: Sequence[MachineSolution]) -> float:
    """Σ‖a‖²: twice the change of the machines' values for a change of K by one."""
    return float(sum(s.coef @ s.coef for s in solutions))
