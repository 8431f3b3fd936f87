r"""From where a search ended to what is returned, with the certificate of just that.

The weights are tidied first (crumbs of weight set to zero, the total restored, K(w) brought back
into the cone) and evaluated after it, so that the objective is that of the weights returned. What
cannot be known is carried by the bound: the rounding of the primal value, and the most negative
eigenvalue that is left in K(w), which by weak duality takes at most
:math:`2\delta\lVert a\rVert^2` off the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor
from kernlearn.families.base import Family
from kernlearn.gram._eigenpairs import lowest_eigenpairs
from kernlearn.numerics.sums import EPS, blocked_product, rounding
from kernlearn.quality.machine import Machine, Multipliers
from kernlearn.solvers.machine.active_set import MachineSolution
from kernlearn.typing import Array, LongArray

NO_SHARE = 1e-9
LONG_DOUBLE_SIZE = 500  # up to this many points, products in long double cost milliseconds
LONG_EPS = float(np.finfo(np.longdouble).eps)  # that of a double, where there is nothing longer
KNOWN = 1e-9  # relative rounding of the objective that is not worth a second look
LOST = 8.0  # from this ratio on between terms and their sum, the sum is taken in long double
SETTLED_SHARE = 0.05  # of the tolerance: what rounding of the objective may take of it
MOST_PULLED = 1e-3


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


def into_the_cone(
    family: Family, weights: Array, inside: Array, allowed: float = 0.0
) -> tuple[Array, float]:
    """Weights moved towards ``inside`` until K(w) ⪰ 0 to rounding, or as far as is worth it.

    With them comes the lowest eigenvalue of K(w), if it is negative.

    The bound is one over the cone: were weights outside of it returned, their value could lie
    below that of all others.

    Parameters
    ----------
    family : Family
        The matrices.
    weights, inside : ndarray of shape (m,)
        Where to start, and where K(w) ⪰ 0 for certain.
    allowed : float
        A negative part that may be left.
    """
    K = family.combine(weights, labelled_only=False)
    value, vector = lowest_eigenpair(K)
    moved = weights
    for _ in range(4):
        if -value <= allowed:
            break
        # Where the lowest eigenvector has no more than rounding at the inner point, nothing helps.
        room = float(vector @ family.combine(inside, labelled_only=False) @ vector)
        share = 1.1 * -value / (room - value) if room > 0 else 1.0
        if share > MOST_PULLED:
            break
        moved = (1.0 - share) * moved + share * inside
        K = family.combine(moved, labelled_only=False)
        value, vector = lowest_eigenpair(K)
    return moved, value


def lowest_eigenpair(K: Array) -> tuple[float, Array]:
    """The most negative eigenvalue, zero if it is rounding, and its eigenvector."""
    n = len(K)
    size = float(np.abs(K.diagonal()).max())
    allowed = 4.0 * rounding(n) * max(size, float(np.linalg.norm(K)) / np.sqrt(n))
    # Single precision takes half the time. It has more rounding, so the matrix must bear to lose as
    # much, and where it does not its factor breaks down early.
    coarse = allowed * float(np.finfo(np.float32).eps) / EPS
    if _has_factor(K, np.float32, -coarse) or _has_factor(K, np.float64, allowed):
        return 0.0, np.zeros(n)
    values, vectors = lowest_eigenpairs(K, 1)
    value = float(values[0])
    return (0.0 if value >= -allowed else value), vectors[:, 0]


def _has_factor(K: Array, dtype: type, shift: float) -> bool:
    """Whether K with a shift of its diagonal has a Cholesky factor in this precision."""
    with np.errstate(over="ignore"):
        shifted: Array = K.astype(dtype)
        shifted.flat[:: len(K) + 1] = K.diagonal() + shift
    try:
        factor = lower_factor(shifted)
    except LinAlgError:
        return False
    # Beyond its range there are no numbers, of which every row has its share on the diagonal.
    return bool(np.isfinite(factor.diagonal()).all())


class Settled(NamedTuple):
    """What is returned of one machine: its primal value and function, and what is not known."""

    value: float
    noise: float
    coef: Array
    multipliers: Multipliers


@dataclass(frozen=True, eq=False)
class Combined:
    """K(w), and its diagonal if what cancels in it is counted: what rounding is relative to."""

    family: Family
    weights: Array
    K: Array
    diagonal: Array

    @classmethod
    def at(cls, family: Family, weights: Array, K: Array | None = None) -> Combined:
        """K(w) at these weights, or a matrix that is known to be it."""
        K = family.combine(weights) if K is None else K
        diagonal = np.abs(K.diagonal())
        if (weights < 0).any():
            terms = family.combine(np.abs(weights)).diagonal().copy()  # and no more of the matrix
            if (terms > LOST * diagonal).any():  # what cancels takes its digits along
                del K
                K = family.combine_exactly(weights).astype(float)
            else:
                diagonal = terms
        return cls(family, weights, K, diagonal)


def settled_machine(
    combined: Combined, machine: Machine, solution: MachineSolution, tol: float
) -> Settled:
    """The machine's function as it is returned, with its value and a bound on the rounding."""
    a, multipliers = solution.coef, _as_returned(solution.multipliers, machine)
    # Rounding in the entries of K is that of terms of size s sᵀ.
    K, sizes = combined.K, np.sqrt(combined.diagonal + machine.offset)
    off = 0.5 * (rounding(len(a)) + np.count_nonzero(combined.weights) * EPS)  # of one sum, not two
    f = blocked_product(a, K) + machine.offset * a.sum()
    candidates = [(a, machine.tightened(f, multipliers))]
    found = _roughly(f, sizes, off, machine, *candidates[0])
    longer = _stretched(f, sizes, off, machine, multipliers, found)
    if longer is not None:
        # Without a loss, the value is that of the function with margins of one, so return that.
        candidates = [longer] if machine.homogeneous else [*candidates, longer]
        f_longer = blocked_product(longer[0], K) + machine.offset * longer[0].sum()
        other = _roughly(f_longer, sizes, off, machine, *longer)
        found = other if machine.homogeneous or other.value < found.value else found
    enough = min(SETTLED_SHARE * tol, KNOWN) * abs(found.value)
    if found.noise <= enough or len(a) > LONG_DOUBLE_SIZE:
        return found
    if not machine.homogeneous:
        candidates.append((a, _as_returned(machine.best_multipliers(f), machine)))
    exact = combined.family.combine_exactly(combined.weights)
    off = (2.0 * len(a) + np.count_nonzero(combined.weights)) * LONG_EPS
    return min(
        (_exactly(exact, sizes, off, machine, *one) for one in candidates),
        key=lambda one: one.value,
    )


def _stretched(
    f: Array, sizes: Array, off: float, machine: Machine, multipliers: Multipliers, found: Settled
) -> tuple[Array, Multipliers] | None:
    """The function made longer until every margin is one, where that may be better."""
    size = machine.stretch(f, multipliers)
    if size is None:
        return None
    # A hair more than asked for, so that no margin falls short of one by rounding.
    size *= 1.0 + 4.0 * float(_product_error(sizes, found.coef, off).max())
    norm = 0.5 * size**2 * float(found.coef @ f)
    if norm > found.value + found.noise and not machine.homogeneous:
        return None
    longer = machine.feasible(found.coef * size)
    return None if longer is None else (longer, Multipliers(multipliers.rows * size, 0.0))


def _roughly(
    f: Array, sizes: Array, off: float, machine: Machine, a: Array, multipliers: Multipliers
) -> Settled:
    """The value of one function f = Ka in double precision."""
    value = machine.upper_value(a, f, multipliers, stretch=False)
    noise = machine.value_noise(a, f, multipliers, _product_error(sizes, a, off))
    return Settled(value, noise, a, multipliers)


def _product_error(sizes: Array, a: Array, off: float) -> Array:
    """Bounds on the rounding of Ka: entries are at most as large as their diagonals allow.

    A sum over the points and one over the kernels are off by ``off`` of their terms.
    """
    return np.asarray(off * sizes * float(np.abs(a) @ sizes))


def _exactly(
    K: LongArray, sizes: Array, off: float, machine: Machine, a: Array, multipliers: Multipliers
) -> Settled:
    """The value of one function in long double."""
    long: Any = a.astype(np.longdouble)
    f: Any = K @ long + machine.offset * long.sum()
    multipliers = machine.tightened(f, multipliers)
    value = machine.upper_value(long, f, multipliers, stretch=False)
    # Long double has digits of its own to lose, in sums that cancel.
    steepest = np.abs(machine.breakpoints).max(axis=1)
    steepest = np.where(np.isfinite(steepest), steepest, np.abs(a))
    terms = np.abs(f) + np.abs(machine.rows.T @ multipliers.rows) + np.abs(machine.linear)
    lost = _product_error(sizes, a, off) + (len(a) + 8.0) * LONG_EPS * terms.astype(float)
    noise = 4 * EPS * abs(value) + float(np.maximum(steepest, np.abs(a)) @ lost)
    return Settled(value, noise, a, multipliers)


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
