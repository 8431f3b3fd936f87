r"""The primal value of the function that is returned, with a bound on its rounding.

The weights are made feasible first and evaluated after it, so that the objective is that of the
weights returned. What cannot be known is carried by the bound: the rounding of the primal value,
and the most negative eigenvalue −δ that is left in K(w), which by weak duality takes at most
:math:`2\delta\lVert a\rVert^2` off the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernlearn.families.base import Family
from kernlearn.numerics.sums import EPS, blocked_product, rounding
from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.quality.multipliers import best_multipliers, stretch, tightened, value_noise
from kernlearn.solvers.machine.active_set import MachineSolution
from kernlearn.typing import Array, LongArray

LONG_EPS = float(np.finfo(np.longdouble).eps)  # that of a double, where there is nothing longer


@dataclass(frozen=True)
class PrecisionOptions:
    """When long double is worth its time."""

    largest: int = 500  # points: up to here, products in long double cost milliseconds
    known: float = 1e-9  # relative rounding of the objective that is not worth a second look
    share: float = 0.05  # of the tolerance: what rounding of the objective may take of it
    lost: float = 8.0  # from this ratio on between terms and their sum, the sum loses its digits


PRECISION = PrecisionOptions()


class PrimalValue(NamedTuple):
    """What is returned of one machine: its primal value and function, and what is not known."""

    value: float
    noise: float
    coef: Array
    multipliers: Multipliers


@dataclass(frozen=True, eq=False)
class CombinedKernel:
    """K(w), and its diagonal if what cancels in it is counted: what rounding is relative to."""

    family: Family
    weights: Array
    K: Array
    diagonal: Array

    @classmethod
    def at(cls, family: Family, weights: Array, K: Array | None = None) -> CombinedKernel:
        """K(w) at these weights, or a matrix that is known to be it."""
        K = family.combine(weights) if K is None else K
        diagonal = np.abs(K.diagonal())
        if (weights < 0).any():
            terms = family.combine(np.abs(weights)).diagonal().copy()  # and no more of the matrix
            if (terms > PRECISION.lost * diagonal).any():  # what cancels takes its digits along
                del K
                K = family.combine_exactly(weights).astype(float)
            else:
                diagonal = terms
        return cls(family, weights, K, diagonal)


def primal_value(
    combined: CombinedKernel, machine: Machine, solution: MachineSolution, tol: float
) -> PrimalValue:
    """The machine's function as it is returned, with its value and a bound on the rounding."""
    a, multipliers = solution.coef, _as_returned(solution.multipliers, machine)
    # Rounding in the entries of K is that of terms of size s sᵀ.
    K, sizes = combined.K, np.sqrt(combined.diagonal + machine.offset)
    off = 0.5 * (rounding(len(a)) + np.count_nonzero(combined.weights) * EPS)  # of one sum, not two
    f = blocked_product(a, K) + machine.offset * a.sum()
    candidates = [(a, tightened(machine, f, multipliers))]
    found = _roughly(f, sizes, off, machine, *candidates[0])
    longer = _stretched(f, sizes, off, machine, multipliers, found)
    if longer is not None:
        # Without a loss, the value is that of the function with margins of one, so return that.
        candidates = [longer] if machine.homogeneous else [*candidates, longer]
        f_longer = blocked_product(longer[0], K) + machine.offset * longer[0].sum()
        other = _roughly(f_longer, sizes, off, machine, *longer)
        found = other if machine.homogeneous or other.value < found.value else found
    enough = min(PRECISION.share * tol, PRECISION.known) * abs(found.value)
    if found.noise <= enough or len(a) > PRECISION.largest:
        return found
    if not machine.homogeneous:
        candidates.append((a, _as_returned(best_multipliers(machine, f), machine)))
    exact = combined.family.combine_exactly(combined.weights)
    off = (2.0 * len(a) + np.count_nonzero(combined.weights)) * LONG_EPS
    return min(
        (_exactly(exact, sizes, off, machine, *one) for one in candidates),
        key=lambda one: one.value,
    )


def _stretched(
    f: Array,
    sizes: Array,
    off: float,
    machine: Machine,
    multipliers: Multipliers,
    found: PrimalValue,
) -> tuple[Array, Multipliers] | None:
    """The function made longer until every margin is one, where that may be better."""
    size = stretch(machine, f, multipliers)
    if size is None:
        return None
    # A little more than asked for, so that no margin falls short of one by rounding.
    size *= 1.0 + 4.0 * float(_product_error(sizes, found.coef, off).max())
    norm = 0.5 * size**2 * float(found.coef @ f)
    if norm > found.value + found.noise and not machine.homogeneous:
        return None
    longer = machine.feasible(found.coef * size)
    return None if longer is None else (longer, Multipliers(multipliers.rows * size, 0.0))


def _roughly(
    f: Array, sizes: Array, off: float, machine: Machine, a: Array, multipliers: Multipliers
) -> PrimalValue:
    """The value of one function f = Ka in double precision."""
    value = machine.upper_value(a, f, multipliers, stretch=False)
    noise = value_noise(machine, a, f, multipliers, _product_error(sizes, a, off))
    return PrimalValue(value, noise, a, multipliers)


def _product_error(sizes: Array, a: Array, off: float) -> Array:
    """Bounds on the rounding of Ka: entries are at most as large as their diagonals allow.

    A sum over the points and one over the kernels are off by ``off`` of their terms.
    """
    return np.asarray(off * sizes * float(np.abs(a) @ sizes))


def _exactly(
    K: LongArray, sizes: Array, off: float, machine: Machine, a: Array, multipliers: Multipliers
) -> PrimalValue:
    """The value of one function in long double."""
    long: Any = a.astype(np.longdouble)
    f = K @ long + machine.offset * long.sum()
    multipliers = tightened(machine, f, multipliers)
    value = machine.upper_value(long, f, multipliers, stretch=False)
    # Long double has digits of its own to lose, in sums that cancel.
    steepest = np.abs(machine.breakpoints).max(axis=1)
    steepest = np.where(np.isfinite(steepest), steepest, np.abs(a))
    terms = np.abs(f) + np.abs(machine.rows.T @ multipliers.rows) + np.abs(machine.linear)
    lost = _product_error(sizes, a, off) + (len(a) + 8.0) * LONG_EPS * terms.astype(float)
    noise = 4 * EPS * abs(value) + float(np.maximum(steepest, np.abs(a)) @ lost)
    return PrimalValue(value, noise, a, multipliers)


def _as_returned(multipliers: Multipliers, machine: Machine) -> Multipliers:
    """With the intercept rounded as it is when a shift of the targets is added to it."""
    if not machine.shift:
        return multipliers
    rows = multipliers.rows.copy()
    rows[0] = (rows[0] + machine.shift) - machine.shift
    return Multipliers(rows, multipliers.budget)


def squared_norms(solutions: Sequence[MachineSolution]) -> float:
    """Σ‖a‖²: twice the change of the machines' values for a change of K by one."""
    return float(sum(s.coef @ s.coef for s in solutions))
