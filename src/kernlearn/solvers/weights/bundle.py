r"""Planes below the objective: their bounds, and the model of the objective that a step minimises.

.. math::

    \max_j \bigl(\text{constant}_j + g_j^\top w\bigr) + \tfrac12 (w - w_0)^\top H (w - w_0)

over the domain, in coordinates x: a small quadratic program in x and the height t of the planes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.families.weight_limits import nearest_shares
from kernlearn.families.weights import Domain
from kernlearn.solvers.core.certificate import (
    free_noise,
    in_coordinates,
    linear_minimum,
    lower_bound,
)
from kernlearn.solvers.core.oracle import Evaluation, Plane
from kernlearn.solvers.optimize.quadratic import QuadraticSolution, active_set_program
from kernlearn.solvers.weights.psd_cuts import PsdCuts
from kernlearn.typing import Array

MAX_PLANES = 60
MAX_CUT_ROUNDS = 60
MAX_FULL_CHECKS = 12
ZERO = 1e-9  # coordinates below this are what an interior-point method leaves of zero
MISSED = 1e-10  # of the total: limits that are missed by less count as kept
FLAT = 1e-9  # curvature added so that the minimiser is unique where the model is flat


@dataclass(frozen=True, eq=False)
class ModelMinimum:
    """Minimiser of the model, its value there, and the shares of the planes that are active.

    The height is that of the planes, without the curvature.
    """

    x: Array
    value: float
    height: float
    shares: Array
    value_at: Callable[[Array], float]  # of the model, at other coordinates


def minimise_model(
    centre: Evaluation,
    planes: Sequence[Plane],
    x0: Array,
    domain: Domain,
    damping: float,
    radius: float,
) -> ModelMinimum | None:
    """Minimise the model within ``radius`` of x0 (inputs are checked); None if that fails.

    `centre` gives the curvature at the coordinates x0, multiplied by the damping. All planes are
    below the objective. The radius is in units of :func:`reach`, and may be infinite.
    """
    p, k = len(x0), len(planes)
    if k == 0:
        return None
    scale = max(abs(centre.upper), 1e-300)
    P = np.zeros((p + 1, p + 1))
    with np.errstate(over="ignore"):
        P[:p, :p] = domain.basis.T @ (centre.hessian @ domain.basis) * (damping / scale)
    if not np.isfinite(P).all():  # where K(w) all but vanishes: planes alone tell where to go
        P[:p, :p] = 0.0
    H = P[:p, :p]
    H.flat[:: p + 1] += FLAT
    ties, limits = domain.step_rows
    rows = np.concatenate([limits, domain.cuts])
    G, h = np.zeros((k + len(rows), p + 1)), np.zeros(k + len(rows))
    G[:k, :p] = domain.slopes(np.array([plane.gradient for plane in planes])) / scale
    G[:k, p], G[k:, :p] = -1.0, -rows
    # The variable t counts from the present value, which keeps the program well scaled.
    h[:k] = [(centre.upper - plane.constant) / scale for plane in planes]
    low, high = domain.low, domain.high
    if np.isfinite(radius):
        room = radius * reach(x0, domain)
        low, high = np.maximum(low, x0 - room), np.minimum(high, x0 + room)
    # The last variable is t, which is free.
    q, lower, upper = np.ones(p + 1), np.full(p + 1, -np.inf), np.full(p + 1, np.inf)
    q[:p], lower[:p], upper[:p] = -H @ x0, low, high
    A, b = np.zeros((1 + len(ties), p + 1)), np.zeros(1 + len(ties))
    A[0, :p], A[1:, :p], b[0] = domain.equality, ties, 1.0
    solution = active_set_program(P, q, A, b, lower, upper, G, h)
    if solution is None:
        return None
    step = solution.x[:p] - x0
    height = centre.upper + scale * float(solution.x[p])
    value = height + scale * float(0.5 * step @ H @ step)
    shares = np.maximum(solution.inequality[:k], 0.0)
    shares /= max(float(shares.sum()), 1e-300)
    x = _clean(solution, low, domain)
    if len(ties) + len(limits):
        held = solution.inequality[k : k + len(limits)]
        x = _onto_limits(x, np.vstack([ties, limits[limits @ x < held]]), domain)
        x = _within_limits(x, domain)
    slopes, offsets = G[:k, :p], h[:k]

    def value_at(other: Array) -> float:
        step = other - x0
        return centre.upper + scale * float(
            (slopes @ other - offsets).max() + 0.5 * step @ H @ step
        )

    return ModelMinimum(x, value, height, shares, value_at)


def reach(x: Array, domain: Domain) -> Array:
    """Length of a unit step in each coordinate; with positive weights, about the coordinate."""
    return domain.high if domain.free_sign else np.asarray(x + 0.1 * domain.high / len(x))


def _clean(solution: QuadraticSolution, low: Array, domain: Domain) -> Array:
    """Exact zeros for coordinates at a bound of zero, and the slice restored."""
    x = solution.x[:-1].copy()
    # Both of the kernel and of the total: a small part of the one may be most of the other.
    share = np.maximum(x / max(float(np.abs(x).sum()), 1e-300), x * domain.equality)
    at_bound = (share < 1e-5) & (solution.lower[:-1] > x) & (low == 0.0)
    x[(domain.low == 0.0) & (at_bound | (share < ZERO))] = 0.0
    return np.asarray(x / float(domain.equality @ x))


def _onto_limits(x: Array, rows: Array, domain: Domain) -> Array:
    """The coordinates moved to where these rows are zero, which an interior point misses a little.

    Zeros stay zeros. If the moved point is not feasible or no better, x is returned as it is.
    """
    size = domain.high * (x != 0.0)
    A = np.vstack([domain.equality, rows])
    missed = np.append(1.0, np.zeros(len(rows))) - A @ x
    moved = x + size * np.linalg.lstsq(A * size, missed, rcond=1e-12)[0]
    if not np.isfinite(moved).all() or (moved < domain.low).any():
        return x
    moved = moved / float(domain.equality @ moved)
    return np.asarray(moved) if _violation(moved, domain) < _violation(x, domain) else x


def _within_limits(x: Array, domain: Domain) -> Array:
    """The coordinates within the limits of positive weights, if the program missed these.

    A program may miss them if a penalty is of another size for each weight.
    """
    limits = domain.share_limits
    if domain.free_sign or limits is None or _violation(x, domain) <= MISSED:
        return x
    shares = nearest_shares(domain.equality * x, limits)
    return x if shares is None else np.asarray(shares / domain.equality)


def _violation(x: Array, domain: Domain) -> float:
    ties, limits = domain.step_rows
    return float(np.abs(ties @ x).max(initial=0.0) + (-(limits @ x)).max(initial=0.0))


class PlaneBundle:
    """The latest planes, the lower bound and, with positive weights, the plane that proves it."""

    def __init__(self, domain: Domain, cuts: PsdCuts | None) -> None:
        self.domain, self.cuts = domain, cuts
        self.planes: list[Plane] = []
        self.lower = -np.inf
        self.proof: Plane | None = None
        self.n_programs = 0
        self._halved = np.inf, 0  # the gap when it was last halved, and the programs until then

    def programs_in_vain(self, upper: float) -> int:
        """Number of quadratic programs since the gap to the best value was last halved."""
        gap = upper - self.lower
        if gap <= 0.5 * self._halved[0]:
            self._halved = gap, self.n_programs
        return self.n_programs - self._halved[1]

    def add(self, plane: Plane) -> None:
        """Keep a plane for the model."""
        if np.isfinite(plane.constant):
            self.planes.append(plane)
        del self.planes[:-MAX_PLANES]

    def raise_by(self, plane: Plane, upper: float, enough: float, predicted: float) -> None:
        """Bound by one plane; with free signs, refine the cuts where the bound is attained.

        `upper` is the best value, `enough` the gap to it that needs no narrowing, and `predicted`
        what the model promises.
        """
        if self.cuts is None:
            self._bound_by(plane)
            return
        if plane.constant == -np.inf:
            return
        g, noise = in_coordinates(plane, self.domain)
        constant = plane.constant - free_noise(noise, plane, self.domain)
        previous, full_checks = -np.inf, MAX_FULL_CHECKS
        for _ in range(MAX_CUT_ROUNDS):
            minimum, x = linear_minimum(g, self.domain)
            self.n_programs += 1
            self.lower = max(self.lower, constant + minimum)
            gap = upper - self.lower
            if gap <= enough:
                return
            if not self.cuts.cut_in_subspace(x):
                # A look at the whole matrix is expensive: only if it is the bound that lags behind.
                if upper - predicted > 0.3 * gap or full_checks == 0:
                    return
                full_checks -= 1
                if not self.cuts.cut_in_full(x):
                    return
            elif minimum - previous < 0.03 * gap:
                # Far from the solution, the last digits of a bound are not worth their price.
                return
            previous = minimum

    def raise_by_mixture(self, minimum: ModelMinimum) -> None:
        """The planes weighted by their multipliers make one plane, and one more bound.

        It is no higher than the planes are at the model's minimum, and one plane alone is known.
        """
        shares = minimum.shares
        known = self.cuts is None and np.count_nonzero(shares) == 1
        if len(shares) == 1 or not shares.any() or known or minimum.height <= self.lower:
            return
        self._bound_by(Plane.mixture(shares, self.planes))

    def _bound_by(self, plane: Plane) -> None:
        bound = lower_bound(plane, self.domain)
        if bound > self.lower:
            self.lower, self.proof = bound, plane
