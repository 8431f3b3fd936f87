r"""Free signs with a penalty: directions that change the penalty, but not the kernel.

Where matrices depend on one another, weights can move along a direction D without changing K(w).
A machine does not mind, but a penalty does: the smallest value along D is part of the minimum. Such
directions become coordinates of their own, bounded because weights that are better than those at
hand have a bounded penalty, :math:`\lVert M w\rVert \le \varrho`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.families.weights import LARGEST_PART, Domain
from kernlearn.solvers.core.oracle import Evaluation
from kernlearn.solvers.core.units import RescaledPenalty

FLAT = 1e-9  # of the largest slope: directions in which the penalty does not change either


def with_null_directions(
    domain: Domain, penalty: RescaledPenalty, best: Evaluation, least_quality: float
) -> Domain:
    """The domain with coordinates for what the penalty alone can see.

    Parameters
    ----------
    domain : Domain
        Coordinates of the kernel.
    penalty : RescaledPenalty
        The penalty.
    best : Evaluation
        Only weights with a smaller objective matter.
    least_quality : float
        No kernel of the set has a smaller quality, the penalty aside.
    """
    length = float(np.linalg.norm(domain.basis, axis=0).max())
    directions = domain.dropped * (length / np.linalg.norm(domain.dropped, axis=0))
    known = penalty.sublevel(best.upper - least_quality, len(domain.basis))
    if known is None:
        turned, reach = directions, np.full(directions.shape[1], LARGEST_PART)
    else:
        matrix, radius = known
        _, slopes, rotation = np.linalg.svd(matrix @ directions, full_matrices=True)
        slopes = np.pad(slopes, (0, len(rotation) - len(slopes)))
        seen = slopes > FLAT * float(np.linalg.norm(matrix, 2)) * length
        turned, slopes = (directions @ rotation.T)[:, seen], slopes[seen]
        # A unit ball of the other coordinates can make up for this much.
        radius += float(np.linalg.norm(matrix @ domain.basis, 2))
        reach = radius / slopes
    p, q = len(domain.equality), turned.shape[1]
    return replace(
        domain,
        basis=np.hstack([domain.basis, turned]),
        equality=np.append(domain.equality, np.zeros(q)),
        low=np.append(domain.low, -reach),
        high=np.append(domain.high, reach),
        start=np.append(domain.start, np.zeros(q)),
        n_ball=p,
    )
