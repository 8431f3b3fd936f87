"""Coordinates of weights of either sign: of the kernel, and of what only a penalty sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.identity import WithIdentity
from kernlearn.families.weights import LARGEST_PART, ORTHONORMAL, Domain, even_weights, free_weights
from kernlearn.numerics.sums import EPS
from kernlearn.solvers.core.oracle import Evaluation
from kernlearn.solvers.core.problem import WeightSet
from kernlearn.solvers.core.units import RescaledPenalty
from kernlearn.typing import Array

FLAT = 1e-9  # of the largest slope: directions in which the penalty does not change either


def free_domain(family: Family, weight_set: WeightSet) -> Domain:
    """Where weights of either sign may lie."""
    n_signed = family.n_matrices - isinstance(family, WithIdentity)
    r, total = weight_set.normaliser, weight_set.total
    # K ⪰ 0 and tr K = c bound the length; with Σwᵢ fixed, equal traces fix tr K as well.
    length = total * float(family.traces.max() / r[family.traces.argmax()])
    return free_weights(family.inner_products, r, total, n_signed, length, family.n_points)


def orthonormal_family(
    family: Family, weight_set: WeightSet, start: Array | None = None
) -> tuple[Family, Domain, Array]:
    """Orthonormal combinations of the matrices at a trace of one, from even weights on.

    Or from others, in any scale. The domain of their weights comes with them, and what they are
    combined by.
    """
    even = even_weights(weight_set.normaliser, 1.0)
    trace = float(even @ family.traces)
    unit = replace(weight_set, total=1.0 / trace)
    start = even if start is None else start
    start = start / float(start @ family.traces)
    return combined_domain(family, free_domain(family, unit), unit, start)


def combined_domain(
    family: Family, domain: Domain, weight_set: WeightSet, start: Array
) -> tuple[Family, Domain, Array]:
    """The family of orthonormal combinations, its domain, and what they are combined by.

    The domain is that of free signs of the matrices' weights, and `start` holds such weights.
    """
    extra = isinstance(family, WithIdentity)  # the identity stays as it is
    transform, basis = domain.basis.copy(), np.eye(domain.basis.shape[1])
    if extra:
        basis[-1, -1] = transform[-1, -1]
        transform[-1, -1] = 1.0
    combined = family.combined(transform)
    # Rounding of large weights keeps combinations from being exactly orthonormal.
    S = combined.inner_products(basis)
    n_ball = domain.n_ball
    lengths = np.linalg.eigvalsh(S[:n_ball, :n_ball])
    length = float(np.sqrt(np.trace(S[:n_ball, :n_ball]) / n_ball))
    radius = (1.0 + ORTHONORMAL) * length / float(np.sqrt(max(lengths[0], 1e-300)))
    # Traces are rounded, and their rounding is multiplied by large weights.
    sizes = family.norms @ np.abs(transform)
    radius *= 1.0 + 4 * EPS * float(sizes.max()) / length
    # Long double has digits of its own to lose.
    lost = float(np.finfo(np.longdouble).eps) * float(np.linalg.norm(sizes[:n_ball]))
    loose = domain.loose + 2.0 * family.n_matrices * radius * lost
    exact = transform.astype(np.longdouble)
    equality = np.asarray((exact.T @ weight_set.normaliser) / weight_set.total).astype(float)
    equality[n_ball:] = 0.0  # of directions that change no kernel
    x = np.zeros(len(basis))
    signed = slice(0, n_ball - extra)
    K = family.combine(start, labelled_only=False)
    x[signed] = np.linalg.solve(S[signed, signed], combined.products(K)[signed])
    if extra:
        x[-1] = start[-1] / basis[-1, -1]
        equality[-1] *= basis[-1, -1]
    if n_ball < len(x):  # what only a penalty sees
        rest = (start - transform[:, :n_ball] @ x[:n_ball]) * family.norms
        null = transform[:, n_ball:] * family.norms[:, None]
        x[n_ball:] = np.linalg.lstsq(null, rest, rcond=None)[0]
    x[:n_ball] /= float(equality @ x)
    recast = replace(domain, basis=basis, radius=radius, start=x, equality=equality, loose=loose)
    return combined, recast, transform


def with_null_directions(
    domain: Domain, penalty: RescaledPenalty, best: Evaluation, least_quality: float
) -> Domain:
    """The domain with coordinates for what the penalty alone can see.

    Where matrices depend on one another, weights can move along a direction D without changing
    K(w). A machine does not see it, but a penalty does: the smallest value along D is part of the
    minimum. Such directions become coordinates of their own. They are bounded, because weights that
    are better than those of `best` have a bounded penalty: no kernel of the set has a quality below
    `least_quality`.
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
