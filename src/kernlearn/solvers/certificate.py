r"""Lower bounds on the optimum, recomputed from their definition.

Any plane below the objective bounds the optimum by its own minimum over the feasible weights:

* positive weights: the minimum over a simplex is at a corner;
* free-sign weights: for any :math:`\eta` and any cuts weighted by :math:`\zeta \ge 0`, feasible
  coordinates satisfy :math:`g^\top x \ge \eta - \lVert g - \eta e - C^\top\zeta\rVert\,\varrho`,
  where ϱ bounds their length (less what rounding in the cuts may cost). The multipliers come
  from a linear program, but the bound holds whether or not that was solved well.
"""

from __future__ import annotations

import numpy as np

from kernlearn.families.weights import Array, Domain
from kernlearn.solvers.oracle import Plane
from kernlearn.solvers.quadratic import quadratic_program


def lower_bound(plane: Plane, domain: Domain) -> float:
    """The smallest value of ``plane`` over the feasible weights, or something below it."""
    g = domain.basis.T @ plane.gradient
    if not domain.free_sign:
        return plane.constant + float(g.min())
    minimum, _ = linear_minimum(g, domain)
    return plane.constant + minimum


def linear_minimum(g: Array, domain: Domain) -> tuple[float, Array]:
    """A valid bound on min gᵀx over a free-sign domain, and the point where cuts place it."""
    p = len(g)
    scale = float(np.abs(g).max())
    if scale == 0:
        return 0.0, domain.start
    solution = quadratic_program(
        P=np.zeros((p, p)),
        q=g / scale,
        A=domain.equality[None, :],
        b=np.ones(1),
        low=domain.low * domain.radius,
        high=np.full(p, domain.radius),
        G=-domain.cuts,
        h=np.zeros(len(domain.cuts)),
    )
    if solution is None:
        return -np.inf, domain.start
    eta = -float(solution.equality[0]) * scale
    zeta = np.maximum(solution.inequality, 0.0) * scale
    residual = g - eta * domain.equality - domain.cuts.T @ zeta
    # A coordinate that is known to be non-negative only hurts where its residual is negative.
    residual = np.where(domain.low == 0.0, np.minimum(residual, 0.0), residual)
    slack = float(np.linalg.norm(residual)) + float(zeta @ domain.cut_noise)
    return eta - domain.radius * slack, solution.x
