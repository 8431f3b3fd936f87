r"""The model of the objective that one step minimises.

.. math::

    \max_j \bigl(\text{constant}_j + g_j^\top w\bigr) + \tfrac12 (w - w_0)^\top H (w - w_0)

over the domain, in coordinates x: a small quadratic program in x and the height t of the planes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernlearn.families.weights import Domain
from kernlearn.solvers.core.oracle import Evaluation, Plane
from kernlearn.solvers.optimize.active_set_qp import active_set_program
from kernlearn.solvers.optimize.quadratic import QuadraticSolution
from kernlearn.typing import Array

ZERO = 1e-9  # coordinates below this are what an interior-point method leaves of zero
FLAT = 1e-9  # curvature added so that the minimiser is unique where the model is flat


@dataclass(frozen=True, eq=False)
class ModelMinimum:
    """Where the model is smallest, what it promises there, and which planes hold it up.

    The height is that of the planes, without the curvature.
    """

    x: Array
    value: float
    height: float
    shares: Array


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
    H[np.arange(p), np.arange(p)] += FLAT
    G, h = np.zeros((k + len(domain.cuts), p + 1)), np.zeros(k + len(domain.cuts))
    np.matmul([plane.gradient for plane in planes], domain.basis / scale, out=G[:k, :p])
    G[:k, p], G[k:, :p] = -1.0, -domain.cuts
    # The variable t counts from the present value, which keeps the program well scaled.
    h[:k] = [(centre.upper - plane.constant) / scale for plane in planes]
    low, high = domain.low, domain.high
    if np.isfinite(radius):
        room = radius * reach(x0, domain)
        low, high = np.maximum(low, x0 - room), np.minimum(high, x0 + room)
    # Of all that the bounds speak of, t is the last, and free.
    of_all = np.array([-H @ x0, domain.equality, low, high])
    q, A, lower, upper = np.column_stack([of_all, [1.0, 0.0, -np.inf, np.inf]])
    solution = active_set_program(P, q, A[None, :], np.ones(1), lower, upper, G, h)
    if solution is None:
        return None
    step = solution.x[:p] - x0
    height = centre.upper + scale * float(solution.x[p])
    value = height + scale * float(0.5 * step @ H @ step)
    shares = np.maximum(solution.inequality[:k], 0.0)
    shares /= max(float(shares.sum()), 1e-300)
    return ModelMinimum(_clean(solution, low, domain), value, height, shares)


def reach(x: Array, domain: Domain) -> Array:
    """How far each coordinate goes in a step of length one: about as far as it has come."""
    return domain.high if domain.free_sign else np.asarray(x + 0.1 * domain.high / len(x))


def _clean(solution: QuadraticSolution, low: Array, domain: Domain) -> Array:
    """Exact zeros for coordinates at a bound of zero, and the slice restored."""
    x = solution.x[:-1].copy()
    # Both of the kernel and of the total: a small part of the one may be most of the other.
    share = np.maximum(x / max(float(np.abs(x).sum()), 1e-300), x * domain.equality)
    at_bound = (share < 1e-5) & (solution.lower[:-1] > x) & (low == 0.0)
    x[(domain.low == 0.0) & (at_bound | (share < ZERO))] = 0.0
    return np.asarray(x / float(domain.equality @ x))
