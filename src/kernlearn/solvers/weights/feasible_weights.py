"""Coordinates of weights of either sign, and weights as they are returned.

Coordinates are those of the kernel, and of directions that only a penalty sees. Returned weights
have zeros in place of negligible ones, the total restored, and K(w) ⪰ 0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import LinAlgError

from kernlearn._device import lower_factor
from kernlearn.families.base import Family
from kernlearn.families.matrices import WithIdentity
from kernlearn.families.weights import LARGEST_PART, ORTHONORMAL, Domain, even_weights, free_weights
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.numerics.sums import EPS, rounding
from kernlearn.solvers.core.problem import RescaledPenalty, WeightSet
from kernlearn.typing import Array

FLAT = 1e-9  # of the largest slope: directions in which the penalty does not change either


def free_domain(family: Family, weight_set: WeightSet) -> Domain:
    """Domain of weights of either sign."""
    n_signed = family.n_matrices - isinstance(family, WithIdentity)
    r, total = weight_set.normaliser, weight_set.total
    # K ⪰ 0 and tr K = c bound the length; with Σwᵢ fixed, equal traces fix tr K as well.
    length = total * float(family.traces.max() / r[family.traces.argmax()])
    domain = free_weights(family.inner_products, r, total, n_signed, length, family.n_points)
    return replace(domain, limits=weight_set.limits)


def orthonormal_family(
    family: Family, weight_set: WeightSet, start: Array | None = None
) -> tuple[Family, Domain, Array]:
    """Orthonormal combinations of the matrices at a trace of one, from even weights on.

    The weights to start from may also be given, in any scale. The domain of the combinations'
    weights comes with them, and the coefficients of the combinations.
    """
    even = even_weights(weight_set.normaliser, 1.0)
    trace = float(even @ family.traces)
    unit = replace(weight_set, total=1.0 / trace)
    start = even if start is None else start
    start = start / float(start @ family.traces)
    domain = free_domain(family, unit)
    if domain.limits is not None and domain.dropped.shape[1]:
        domain = with_null_directions(domain)
    transform = combinations(family, domain)
    combined = family.combined(transform)
    return combined, combined_domain(family, combined, domain, unit, start), transform


def combinations(family: Family, domain: Domain) -> Array:
    """The coefficients of orthonormal combinations of the matrices; an identity stays as it is."""
    transform = domain.basis.copy()
    if isinstance(family, WithIdentity):
        transform[-1, -1] = 1.0
    return transform


def combined_domain(
    family: Family, combined: Family, domain: Domain, weight_set: WeightSet, start: Array
) -> Domain:
    """The domain of the weights of orthonormal combinations.

    The domain given is that of free signs of the matrices' weights, and `start` holds such weights.
    """
    extra = isinstance(family, WithIdentity)
    transform, basis = combinations(family, domain), np.eye(domain.basis.shape[1])
    if extra:
        basis[-1, -1] = domain.basis[-1, -1]
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
    limits = None if domain.limits is None else domain.limits.combined(transform)
    return replace(
        domain,
        basis=basis,
        radius=radius,
        start=x,
        equality=equality,
        loose=loose,
        limits=limits,
    )


def with_null_directions(
    domain: Domain, penalty: RescaledPenalty | None = None, level: float = np.inf
) -> Domain:
    """The domain with coordinates for directions that the penalty or the limits alone can see.

    If matrices depend on one another, weights can move along a direction D without changing
    K(w). A machine does not see it, but a penalty does: the smallest value along D is part of the
    minimum. Limits of the weights see it, too. Each of these directions becomes a coordinate of its
    own. Coordinates are bounded, because weights that are better than the best known have a penalty
    of at most `level`.
    """
    length = float(np.linalg.norm(domain.basis, axis=0).max())
    directions = domain.dropped * (length / np.linalg.norm(domain.dropped, axis=0))
    known = None
    if penalty is not None and domain.limits is None:
        known = penalty.sublevel(level, len(domain.basis))
    if known is None:
        turned, reach = directions, np.full(directions.shape[1], LARGEST_PART)
    else:
        matrix, radius = known
        _, slopes, rotation = np.linalg.svd(matrix @ directions, full_matrices=True)
        slopes = np.pad(slopes, (0, len(rotation) - len(slopes)))
        is_visible = slopes > FLAT * float(np.linalg.norm(matrix, 2)) * length
        turned, slopes = (directions @ rotation.T)[:, is_visible], slopes[is_visible]
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
        unseen=penalty is None,
    )


NEGLIGIBLE = 1e-9  # share of the sum of all shares
MOST_PULLED = 1e-3  # share of the inner weights: beyond it, moving is not worth it


def without_negligible(weights: Array, shares: Array) -> Array:
    """The weights with exact zeros where a matrix has a share that is rounding.

    The shares are terms of the constraint or of the trace, whichever are larger.
    """
    # Relative to the sum of the shares: small weights count beside large ones that cancel.
    kept = np.abs(shares) > NEGLIGIBLE * abs(float(shares.sum()))
    if kept.all() or not kept.any():
        return weights
    return np.asarray(np.where(kept, weights, 0.0))


def rescaled_to_total(weights: Array, normaliser: Array, total: float) -> Array:
    """The weights stretched until Σ wᵢrᵢ = total."""
    exact = weights.astype(np.longdouble)
    size = exact @ normaliser
    if not size > 0 or abs(size / total - 1.0) <= 4 * EPS:
        return weights
    return np.asarray(exact * (total / size)).astype(float)


def pulled_into_cone(
    family: Family, weights: Array, inside: Array, allowed: float = 0.0
) -> tuple[Array, float]:
    """Weights moved towards ``inside`` until K(w) ⪰ 0 to rounding, or as far as is worth it.

    With them comes the lowest eigenvalue of K(w), if it is negative; down to −`allowed` it may be.
    The bound is one over the cone: were weights outside of it returned, their value could lie
    below that of all others. At ``inside``, K(w) ⪰ 0 for certain.
    """
    value, vector = lowest_eigenpair(family.combine(weights, labelled_only=False))
    moved = weights
    for _ in range(4):
        if -value <= allowed:
            break
        # If the lowest eigenvector has no more than rounding at the inner point, nothing helps.
        room = float(vector @ family.combine(inside, labelled_only=False) @ vector)
        share = 1.1 * -value / (room - value) if room > 0 else 1.0
        if share > MOST_PULLED:
            break
        moved = (1.0 - share) * moved + share * inside
        value, vector = lowest_eigenpair(family.combine(moved, labelled_only=False))
    return moved, value


def lowest_eigenpair(K: Array) -> tuple[float, Array]:
    """The most negative eigenvalue, zero if it is rounding, and its eigenvector."""
    if is_psd_to_rounding(K):
        return 0.0, np.zeros(len(K))
    values, vectors = lowest_eigenpairs(K, 1)
    value = float(values[0])
    return (0.0 if value >= -_rounding_of(K) else value), vectors[:, 0]


def is_psd_to_rounding(K: Array) -> bool:
    """Whether a Cholesky factor shows that no eigenvalue is negative by more than rounding."""
    allowed = _rounding_of(K)
    # Single precision takes half the time. It has more rounding, so as much is taken off the
    # diagonal, and an indefinite matrix breaks down early.
    coarse = allowed * float(np.finfo(np.float32).eps) / EPS
    return _has_factor(K, np.float32, -coarse) or _has_factor(K, np.float64, allowed)


def _rounding_of(K: Array) -> float:
    """Size of an eigenvalue that may be rounding."""
    n = len(K)
    size = float(np.abs(K.diagonal()).max())
    return 4.0 * rounding(n) * max(size, float(np.linalg.norm(K) / np.sqrt(n)))


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
