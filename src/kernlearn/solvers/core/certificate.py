r"""Lower bounds on the optimum, recomputed from their definition, and what they certify.

Any plane below the objective bounds the optimum by its own minimum over the feasible weights:

* positive weights: the minimum over a simplex is at a corner, and within further limits at a
  corner of the plane shifted by their multipliers (:mod:`kernlearn.families.weight_limits`);
* free-sign weights: for any :math:`\eta` and any cuts weighted by :math:`\zeta \ge 0`, feasible
  coordinates satisfy
  :math:`g^\top x \ge \eta - \lVert g - \eta e - C^\top\zeta\rVert\varrho`, since they lie in a ball
  of radius ϱ (less what rounding in the cuts may cost). The multipliers come from a linear
  program, but the bound holds whether or not that was solved well.

Solvers hand in candidates; whether one of them is optimal is decided here and nowhere else.
"""

from __future__ import annotations

import math

import numpy as np

from kernlearn.families.weight_limits import smallest_over_shares
from kernlearn.families.weights import Domain
from kernlearn.numerics.sums import EPS
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.oracle import Plane
from kernlearn.solvers.core.problem import program_within
from kernlearn.solvers.core.solution import relative_gap
from kernlearn.typing import Array


def certified_status(objective: float, lower_bound: float, tol: float, ended: Status) -> Status:
    """Optimal if the gap is within the tolerance, else how the search ended."""
    if relative_gap(objective, lower_bound) <= tol:
        return Status.OPTIMAL
    return Status.INACCURATE if ended is Status.OPTIMAL else ended


def lower_bound(plane: Plane, domain: Domain) -> float:
    """The smallest value of ``plane`` over the feasible weights, or something below it."""
    if plane.constant == -np.inf:
        return -np.inf
    g, noise = in_coordinates(plane, domain)
    if not domain.free_sign:
        g, further = shifted_by_limits(g, domain)
        # At the i-th corner, x is 1/eᵢ and all else is zero.
        return plane.constant + float(((g - noise - further) / domain.equality).min())
    return plane.constant + linear_minimum(g, domain)[0] - free_noise(noise, plane, domain)


def shifted_by_limits(g: Array, domain: Domain) -> tuple[Array, Array | float]:
    """A slope that is nowhere above g within the limits, and a bound on its further rounding."""
    limits, of_shares = domain.coordinate_limits, domain.share_limits
    if limits is None or of_shares is None:
        return g, 0.0
    found = smallest_over_shares(g / domain.equality, of_shares)
    zeta = np.zeros(len(limits.rows)) if found is None else found.multipliers
    size = np.abs(zeta)
    rounding = size @ limits.noise
    rounding += (len(zeta) + 4) * EPS * (np.abs(g) + size @ np.abs(limits.rows))
    return g - zeta @ limits.rows, rounding


def largest_over_positive(g: Array, noise: Array, domain: Domain) -> float:
    """Upper bound of gᵀx over positive weights, for a slope of this rounding."""
    shifted, further = shifted_by_limits(-g, domain)
    return float(((noise + further - shifted) / domain.equality).max())


def lowest_point(g: Array, domain: Domain) -> Array:
    """Minimiser of gᵀx over positive weights: a corner of the feasible set."""
    slopes = g / domain.equality
    if domain.share_limits is not None:
        found = smallest_over_shares(slopes, domain.share_limits)
        return domain.start if found is None else found.shares / domain.equality
    corner = np.zeros(len(g))
    corner[slopes.argmin()] = 1.0 / domain.equality[slopes.argmin()]
    return corner


def corner_bound(plane: Plane, normaliser: Array, total: float) -> float:
    """The same over w ≥ 0, Σ wᵢrᵢ = total, for any number of weights: the smallest corner.

    Kernels of which rᵢ is zero have no effect and no weight.
    """
    if plane.constant == -np.inf:
        return -np.inf
    used = normaliser > 0
    low = plane.gradient - plane.noise - 4 * EPS * np.abs(plane.gradient)
    return plane.constant + float((total * low[used] / normaliser[used]).min())


def in_coordinates(plane: Plane, domain: Domain) -> tuple[Array, Array]:
    """The slope of a plane in the coordinates, and a bound on its rounding."""
    noise = plane.noise + (len(plane.gradient) + 4) * EPS * np.abs(plane.gradient)
    noise = noise @ np.abs(domain.basis)
    if domain.unseen:
        noise[domain.n_ball :] = 0.0
    return domain.slopes(plane.gradient), noise


def free_noise(noise: Array, plane: Plane, domain: Domain) -> float:
    """Error of a plane's minimum by rounding and by directions without a coordinate."""
    ball, boxed = noise[: domain.n_ball], noise[domain.n_ball :]
    return (
        domain.radius * math.sqrt(ball @ ball)
        + float(boxed @ domain.high[domain.n_ball :])
        + plane.weight * domain.loose
    )


def linear_minimum(g: Array, domain: Domain) -> tuple[float, Array]:
    """A valid bound on min gᵀx over a free-sign domain, and the point where cuts place it."""
    p = len(g)
    scale = float(np.abs(g).max())
    if scale == 0:
        return 0.0, domain.start
    ties, limits = domain.step_rows
    rows = np.concatenate([limits, domain.cuts])
    solution = program_within(domain, np.zeros((p, p)), g / scale, rows)
    if solution is None:
        return -np.inf, domain.start
    eta = -float(solution.equality[0]) * scale
    theta = -solution.equality[1:] * scale
    zeta = np.maximum(solution.inequality, 0.0) * scale
    residual = g - eta * domain.equality - rows.T @ zeta - ties.T @ theta
    size = np.abs(g) + np.abs(eta * domain.equality) + zeta @ np.abs(rows)
    size += np.abs(theta) @ np.abs(ties)
    rounding = (len(zeta) + len(theta) + 8) * EPS * size
    of_limits, zeta = zeta[: len(limits)], zeta[len(limits) :]
    if domain.coordinate_limits is not None:
        noise, tie = domain.coordinate_limits.noise, domain.coordinate_limits.is_tie
        rounding = rounding + of_limits @ noise[~tie] + np.abs(theta) @ noise[tie]
    # A coordinate that is known to be non-negative only hurts where its residual is negative.
    residual = np.where(domain.low == 0.0, np.minimum(residual, 0.0), residual)
    residual = np.abs(residual) + rounding
    slack = domain.radius * math.sqrt(residual[: domain.n_ball] @ residual[: domain.n_ball])
    slack += float(residual[domain.n_ball :] @ domain.high[domain.n_ball :])
    # Directions without a coordinate change the trace in the equality.
    loose = abs(eta) * domain.loose_equality
    return eta - slack - float(zeta @ domain.cut_noise) * domain.radius - loose, solution.x
