"""The multipliers of a machine for a function K a, and the rounding of its value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernlearn.numerics.sums import EPS
from kernlearn.quality.entropy import entropy_slope
from kernlearn.quality.machine import Machine, Multipliers, signed_widths
from kernlearn.typing import Array, Mask

LARGE = 1e30  # in place of infinity, where infinities of both signs are added up


def stretch(machine: Machine, Ka: Array, multipliers: Multipliers) -> float | None:
    """Factor that raises every margin of a function to one or more; None if no factor does."""
    if not machine.stretchable:
        return None
    margin = float(((Ka + machine.rows.T @ multipliers.rows) / machine.linear).min())
    return 1.0 / margin if margin > 0 else None


def tightened(machine: Machine, Ka: Array, multipliers: Multipliers) -> Multipliers:
    """The multipliers with the best width of a tube, or margin, for the same intercept."""
    upper = np.abs(machine.breakpoints).max(axis=1)
    if len(machine.rows) == 1 and machine.rhs[0] > 0:  # of one class: the intercept is the margin
        return Multipliers(np.array([weighted_quantile(-Ka, upper, float(machine.rhs[0]))]), 0.0)
    fitted = Ka + multipliers.rows[:1].sum()
    if np.isfinite(machine.budget):
        width = weighted_quantile(np.abs(machine.linear - fitted), upper, machine.budget)
        return Multipliers(multipliers.rows, max(width, 0.0))
    if len(machine.rows) == 2:
        # Beyond the function's own values an intercept changes nothing but the rounding.
        reach = float(np.abs(Ka).max())
        intercept = float(np.clip(multipliers.rows[0], -reach, reach))
        margin = weighted_quantile(
            -machine.rows[1] * (Ka + intercept), upper, float(machine.rhs[1])
        )
        return Multipliers(np.array([intercept, margin]), 0.0)
    return multipliers


def best_multipliers(machine: Machine, Ka: Array) -> Multipliers:
    """The multipliers with the smallest primal value for a given function ``K a``.

    They are constants added to the function: one for all points, one for each class, or one
    for either end of a tube. Each is found where the coefficients that answer to it have the
    sum they should have, which falls as the constant rises.
    """
    if machine.risk_sets is not None:  # which constants do not change
        return Multipliers(np.zeros(1), 0.0)
    residual = machine.linear - Ka
    if np.isfinite(machine.budget):
        above = balancing_constant(residual, conjugate_slope(machine, 1), 0.5 * machine.budget)
        below = balancing_constant(residual, conjugate_slope(machine, 0), -0.5 * machine.budget)
        middle, half = 0.5 * (above + below), max(0.5 * (above - below), 0.0)
        return Multipliers(np.array([middle]), half)
    # An entropy balances classes of very different sizes by their log-odds.
    reach = 40.0 * machine.temperature
    found = [
        balancing_constant(residual[members], conjugate_slope(machine, None, members), total, reach)
        for members, total in machine.sums
    ]
    if len(found) == 2:  # b + ρ for one class, b − ρ for the other
        return Multipliers(
            np.array([0.5 * (found[0] + found[1]), 0.5 * (found[0] - found[1])]), 0.0
        )
    return Multipliers(np.array(found), 0.0)


def value_noise(
    machine: Machine, a: Array, Ka: Array, multipliers: Multipliers, error: Array
) -> float:
    """Rounding of `Machine.upper_value` where ``Ka`` is known up to ``error``.

    A loss changes with the function no faster than its steepest slope within the error, which
    is the largest coefficient that answers to it.
    """
    fitted = Ka + machine.rows.T @ multipliers.rows
    relative = 8.0 * EPS
    in_sums = len(a) * EPS  # in whatever order the points are added up
    quadratic = float(np.abs(a) @ (error + (relative + in_sums) * np.abs(Ka)))
    if machine.homogeneous:
        margin = float((fitted / machine.linear).min())
        value = float(a @ Ka) / max(margin, 1e-300) ** 2
        return quadratic + 2.0 * value * float(error.max()) / max(margin, 1e-300)
    error = error + relative * (np.abs(Ka) + np.abs(machine.rows.T @ multipliers.rows))
    if machine.risk_sets is not None:  # each logarithm changes by the largest error, at most
        size = float(np.abs(machine.risk_sets.losses(fitted)).sum())
        changed = 2.0 * float(machine.risk_sets.totals.sum() * error.max()) + 8.0 * in_sums * size
        return quadratic + changed
    steepest, slope_of = np.zeros(len(a)), conjugate_slope(machine)
    for shift in (-error, error):
        slopes = machine.linear - fitted + shift
        tube = [0.0] if np.isinf(machine.budget) else [-multipliers.budget, multipliers.budget]
        for epsilon in tube:
            steepest = np.maximum(steepest, np.abs(slope_of(slopes + epsilon)))
    steepest = np.minimum(steepest, np.abs(machine.breakpoints).max(axis=1))
    loss = float(machine.conjugate(machine.linear - fitted, multipliers.budget).sum())
    changed = float(np.maximum(steepest, np.abs(a)) @ error)
    return (quadratic + changed) * (1.0 + in_sums) + in_sums * abs(loss)


def conjugate_slope(
    machine: Machine, segment: int | None = None, members: Mask | slice = slice(None)
) -> Callable[[Array], Array]:
    """The coefficients t at slopes g, which maximise g·t − φ(t)."""
    if machine.risk_sets is not None:
        of_function = machine.risk_sets.coefficients
        return lambda g: of_function(-g)
    if machine.temperature:
        widths = signed_widths(machine)[members]
        return lambda g: entropy_slope(g, widths, machine.temperature)
    segments = range(machine.slopes.shape[1]) if segment is None else [segment]
    points = machine.breakpoints[members]
    # A box or a ridge bounds the coefficients, which may be larger than LARGE.
    is_unbounded = np.isinf(points) & (machine.ridge[members][:, None] == 0)
    points = np.where(is_unbounded, np.copysign(LARGE, points), points)
    pieces = [(machine.slopes[members, j], points[:, j], points[:, j + 1]) for j in segments]
    ridge = machine.ridge[members]

    def slope_of(g: Array) -> Array:
        t = np.zeros(len(g))
        for slope, low, high in pieces:
            excess = g - slope
            with np.errstate(divide="ignore", invalid="ignore"):
                step = excess / ridge
            step[excess == 0.0] = 0.0
            t += np.minimum(np.maximum(step, low), high)
        return t

    return slope_of


def weighted_quantile(losses: Array, upper: Array, price: float) -> float:
    """The t with the smallest price·t + Σ uᵢ max(0, lossᵢ − t): where their weight meets it."""
    order = np.argsort(-losses, kind="stable")
    beyond = np.searchsorted(np.cumsum(upper[order]), price * (1.0 - 1e-15))
    return float(losses[order[min(int(beyond), len(losses) - 1)]])


def balancing_constant(
    residual: Array, slope_of: Callable[[Array], Array], total: float, reach: float = 0.0
) -> float:
    """The constant c at which Σ answer(residual − c) crosses ``total``, by bisection.

    It is within ``reach`` of four times the residuals' size.
    """
    spread = float(np.abs(residual).max()) + 1.0 + reach
    low, high = -4.0 * spread, 4.0 * spread
    for _ in range(64):
        middle = 0.5 * (low + high)
        ends = low, high
        if float(slope_of(residual - middle).sum()) > total:
            low = middle
        else:
            high = middle
        if middle in ends:  # there is no number between them
            break
    return 0.5 * (low + high)
