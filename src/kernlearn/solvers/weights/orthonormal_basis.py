"""Orthonormal combinations of matrices that all but depend on one another, and their weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.identity import WithIdentity
from kernlearn.families.weights import (
    ORTHONORMAL,
    Domain,
    even_weights,
    free_weights,
)
from kernlearn.numerics.sums import EPS
from kernlearn.solvers.core.problem import WeightSet
from kernlearn.typing import Array


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
    return of_combinations(family, free_domain(family, unit), unit, start)


def of_combinations(
    family: Family, domain: Domain, weight_set: WeightSet, start: Array
) -> tuple[Family, Domain, Array]:
    """The family of orthonormal combinations, its domain, and what they are combined by.

    Parameters
    ----------
    family : Family
        The matrices.
    domain : Domain
        Free signs of their weights.
    weight_set : WeightSet
        The constraint on them.
    start : ndarray of shape (m,)
        Weights to start from.
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
    if extra:
        equality[-1] *= basis[-1, -1]
    if n_ball < len(x):  # what only a penalty sees
        rest = (start - transform[:, :n_ball] @ x[:n_ball]) * family.norms
        null = transform[:, n_ball:] * family.norms[:, None]
        x[n_ball:] = np.linalg.lstsq(null, rest, rcond=None)[0]
    x[:n_ball] /= float(equality @ x)
    recast = replace(domain, basis=basis, radius=radius, start=x, equality=equality, loose=loose)
    return combined, recast, transform
