r"""The largest alignment over the weights: a quadratic program, and a bound from one plane.

The alignment :math:`q^\top w / \lVert K(w)\rVert` does not depend on the scale of w, so it is
largest where :math:`\tfrac12 w^\top S w` is smallest over :math:`q^\top w = 1`. The bound needs no
solver: for any unit matrix D, :math:`\lVert K(w)\rVert \ge \langle K(w), D\rangle = d^\top w`, so
that α is an upper bound on the alignment as soon as :math:`(\alpha d - q)^\top w \ge 0` for all
feasible weights. D is K(w) at the weights found. With positive weights this asks for
:math:`\alpha d_i \ge q_i`, or with limits :math:`Lw \ge 0` for
:math:`\alpha d_i \ge (q + L^\top\zeta)_i` at any :math:`\zeta \ge 0`; with free signs it is one
linear minimum over K(w) ⪰ 0 of trace one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.matrices import ROWS_AT_A_TIME
from kernlearn.families.weight_limits import WeightLimits, smallest_over_shares
from kernlearn.families.weights import Domain, even_weights
from kernlearn.numerics.rounding import without_rounding
from kernlearn.numerics.sums import EPS, blocked_product, column_means, inner_product, rounding
from kernlearn.quality.alignment import FamilyAlignment, alignment
from kernlearn.runtime.numerical_errors import NumericalError
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.certificate import certified_status, linear_minimum
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution, Step, report_step
from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.solvers.weights.feasible_weights import (
    lowest_eigenpair,
    orthonormal_family,
    pulled_into_cone,
    rescaled_to_total,
    without_negligible,
)
from kernlearn.solvers.weights.psd_cuts import PSD_TOLERANCE, PsdCuts
from kernlearn.typing import AnyFloatArray, Array, Indices

MAX_ROUNDS = 1000
BOUND_ROUNDS = 300
FLAT = 1e-11
NULL = 1e-9  # the same for what changes no kernel, and only limits see
LONG_EPS = float(np.finfo(np.longdouble).eps)
KNOWN = 1e-8  # of K(w): what may be lost where large terms cancel
STRICT = 1e-7  # of the largest agreement: by so much a zero matrix's share of a proof is negative
SMALL = 0.01  # of the largest: what a matrix without a size counts as
SANE = 2.0
NEARLY_CONSTANT = 1e-3  # of a kernel's length: where centring takes too many of its digits


def learn_by_alignment(
    family: Family, targets: Array, centered: bool, weight_set: WeightSet, control: Control
) -> Solution:
    """Maximise the alignment with the columns of ``targets`` (inputs are checked)."""
    alignments = alignment(family, targets, centered)
    sizes = np.sqrt(np.diagonal(alignments.inner_products))
    largest = float(sizes.max())
    agreement = without_rounding(alignments.agreement, sizes * alignments.target_norm, len(targets))
    if largest < np.inf and not (agreement > 0).any():
        raise NumericalError(
            "expected a kernel that agrees with the labels, got none: yᵀKy is zero for all; "
            "add a kernel, or use quality='soft_margin'"
        )
    if not 0 < largest < np.inf:
        raise ValueError(
            f"expected kernels whose squares are numbers, got a largest norm of {largest:.3g}; "
            "rescale the data, or normalise the kernels"
        )
    free = weight_set.free_sign and not family.psd_means_positive
    ended = Status.INACCURATE
    if free:
        weights, best, ended = _free(family, targets, centered, weight_set, control)
    else:
        weights, best = _positive(family, alignments, weight_set)
    weights = rescaled_to_total(weights, weight_set.normaliser, weight_set.total)
    if not weight_set.allows(weights):  # of sizes that the program could not tell apart
        weights = _inside(weight_set)
    K = family.combine(weights, labelled_only=False)
    indefinite = 0.0
    if free:
        inside = _inside(weight_set)
        allowed = PSD_TOLERANCE * float(inside @ family.traces) / family.n_points
        weights = pulled_into_cone(family, weights, inside)[0]
        weights = rescaled_to_total(weights, weight_set.normaliser, weight_set.total)
        K = family.combine(weights, labelled_only=False)
        indefinite = -lowest_eigenpair(K)[0]
        # Weights that no longer mean anything once they are written down, or that cancel so far
        # that nobody could say what K(w) is.
        vague = not weight_set.allows(weights)
        vague |= LONG_EPS * float(np.abs(weights) @ family.norms) > KNOWN * float(np.linalg.norm(K))
        if indefinite > allowed or vague:
            weights, indefinite = inside, 0.0
            K = family.combine(weights, labelled_only=False)
    value, noise = _value(family, weights, targets, centered, indefinite)
    bound = min(max(-best, -1.0) - noise, -value)
    report_step(control.stopping, Step(0, -value, bound))
    return Solution(
        weights=weights,
        objective=-value,
        lower_bound=bound,
        dual_coef=None,
        intercept=None,
        n_machine_solves=0,
        status=certified_status(-value, bound, control.tol, ended),
        negative_eigenvalue=lowest_eigenpair(K)[0],
    )


def _inside(weight_set: WeightSet) -> Array:
    """Positive weights that are allowed: the even ones, or some well within limits."""
    if weight_set.limits is None:
        return even_weights(weight_set.normaliser, weight_set.total)
    domain = replace(weight_set, start=None).positive_domain()
    return domain.weights(domain.start)


def _positive(
    family: Family, alignments: FamilyAlignment, weight_set: WeightSet
) -> tuple[Array, float]:
    """Weights, and an upper bound on the alignment of any others."""
    limits, length = weight_set.limits, np.sqrt(np.diagonal(alignments.inner_products))
    # A matrix that is zero, or centred to zero, counts where it is tied to others.
    tied = np.False_ if limits is None else limits.rows.any(axis=0) & (weight_set.normaliser > 0)
    used = np.flatnonzero((length > 0) | tied)
    size = np.where(length > 0, length, SMALL * float(length.max()))
    S, q = _of_unit_size(alignments, size, used)
    if limits is None:
        x = _smallest(S, q, np.zeros(len(q)), np.zeros((0, len(q))))
    else:
        limits = limits.combined(np.eye(len(size))[:, used] / size[used])
        limits = limits.scaled(np.maximum(np.abs(limits.rows).max(axis=1), 1e-300))
        ties, rows = limits.rows[limits.is_tie], limits.rows[~limits.is_tie]
        x = _smallest(S, q, np.zeros(len(q)), rows, ties)
        if not np.isfinite(x).all():
            raise NumericalError(
                "expected constraints under which some kernel agrees with the labels, got none: "
                "yᵀK(w)y is zero or less for all weights that they allow; drop or loosen one, or "
                "use quality='soft_margin'"
            )
    x = np.where(x > 1e-9 * x[length[used] > 0].max(), x, 0.0)
    # Matrices of unit size, or what centring leaves of matrices of norms far above it.
    d, off, noise = _direction(S, x, family.norms[used] / size[used], family.n_points)
    off, noise = np.where(length[used] > 0, [off, noise], 0.0)
    if limits is not None:
        q, noise = _with_multipliers(S, q, x, d, noise, limits)
    # No combination is above α ≤ 1 if α (d − off) ≥ q + noise for each matrix.
    least, most = d - off, q + noise
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.where(least > 0.0, most / np.maximum(least, 1e-300), np.inf)
    best = np.where(most <= np.minimum(least, 0.0), -np.inf, ratio).max()
    weights = np.zeros(family.n_matrices)
    weights[used] = x / size[used]
    return weights, float(best)


def _with_multipliers(
    S: Array, q: Array, x: Array, d: Array, noise: Array, limits: WeightLimits
) -> tuple[Array, Array]:
    """The agreement q with what the limits add to it at the best multipliers, and its rounding.

    A zero matrix (d = 0) proves nothing unless its sum is negative: a little more is asked of it.
    """
    value = float(q @ x) / float(np.sqrt(x @ S @ x))
    slopes = value * d - q - np.where(d == 0.0, STRICT * float(np.abs(q).max()), 0.0)
    found = smallest_over_shares(slopes, limits)
    zeta = np.zeros(len(limits.rows)) if found is None else found.multipliers
    size_of_sum = np.abs(zeta) @ np.abs(limits.rows)
    added = np.abs(zeta) @ limits.noise + (len(zeta) + 4) * EPS * size_of_sum
    return q + zeta @ limits.rows, noise + added


def most_aligned(alignments: FamilyAlignment) -> Array:
    """The non-negative weights of the largest alignment, up to a factor, without a bound on it."""
    size = np.sqrt(np.diagonal(alignments.inner_products))
    used = np.flatnonzero(size > 0)
    S, q = _of_unit_size(alignments, size, used)
    x = _smallest(S, q, np.zeros(len(q)), np.zeros((0, len(q))))
    weights = np.zeros(len(size))
    weights[used] = np.where(x > 1e-9 * x.max(), x, 0.0) / size[used]
    return weights


def _of_unit_size(alignments: FamilyAlignment, size: Array, used: Indices) -> tuple[Array, Array]:
    """S and q of matrices of unit size."""
    S = alignments.inner_products[np.ix_(used, used)] / size[used] / size[used, None]
    return S, alignments.agreement[used] / size[used] / alignments.target_norm


def _free(
    family: Family, targets: Array, centered: bool, weight_set: WeightSet, control: Control
) -> tuple[Array, float, Status]:
    """The same over K(w) ⪰ 0, by cuts, over orthonormal combinations of the matrices."""
    # Only ratios matter: kernels of trace one keep their squares within the range of numbers.
    original = family
    family, domain, transform = orthonormal_family(original, weight_set)
    alignments = alignment(family, targets, centered)
    S, q = alignments.inner_products, alignments.agreement / alignments.target_norm
    S[domain.n_ball :], S[:, domain.n_ball :], q[domain.n_ball :] = 0.0, 0.0, 0.0
    cuts, ended = PsdCuts(family, domain, (original, transform)), Status.INACCURATE
    x, free = domain.start, np.full(len(q), -np.inf)
    # No entry of a kernel is larger than its trace, which scales the point found to the slice.
    reach = np.outer(domain.high, domain.equality)
    within = np.vstack([reach - np.eye(len(q)), reach + np.eye(len(q))])
    ties, limits = domain.step_rows
    for _ in range(MAX_ROUNDS):
        found = _smallest(S, q, free, np.vstack([limits, domain.cuts, within]), ties)
        trace = float(domain.equality @ found)
        if not trace * SANE > float(np.abs(found[: domain.n_ball]).max()):
            break  # no entry is larger than the trace: the program was not solved
        x = found / trace
        if cuts.cut_in_subspace(x):
            continue
        if cuts.n_full_checks >= control.max_iter:
            ended = Status.ITERATION_LIMIT
            break
        step = Step(0, -float(q @ x) / float(np.sqrt(x @ S @ x)), -np.inf)
        stopped = report_step(control.stopping, step)
        if stopped is not None:
            ended = stopped
            break
        if not cuts.cut_in_full(x):
            break
    best = _free_bound(S, q, x, domain, cuts, control.tol)
    weights = np.asarray(transform @ x)
    return without_negligible(weights, weights * weight_set.normaliser), best, ended


def _direction(S: Array, x: Array, norms: Array, n: int) -> tuple[Array, Array, Array]:
    r"""The inner products d with the unit matrix at ``x``, their rounding, and that of q.

    An entry :math:`S_{ij}` is off by ε of the larger of two norms, of which centring may have left
    little. With :math:`\ell^2 = x^\top S x` the unit matrix :math:`K(x)/\ell` is then longer or
    shorter than one by half the relative error of :math:`\ell^2`.
    """
    length = float(np.sqrt(x @ S @ x))
    d = S @ x / length
    # Inner products are summed over some rows at once. The terms of centring have sums over the
    # points: ⟨K1, L1⟩ of three, twice, and 1ᵀK1 · 1ᵀL1 of four, each half of rounding(n).
    eps = rounding(ROWS_AT_A_TIME * n) + 6.0 * rounding(n)
    size = np.abs(x)
    ends, long = float(size.sum()), float(size @ norms)
    off = eps * (norms * ends + long) / length
    off += np.abs(d) * eps * ends * long / length**2
    return d, off, eps * norms


def _free_bound(S: Array, q: Array, x: Array, domain: Domain, cuts: PsdCuts, tol: float) -> float:
    """The smallest α that cuts can prove, from the alignment at ``x`` on."""
    d, off, noise = _direction(S, x, cuts.family.norms, cuts.family.n_points)
    alpha = float(q @ x) / float(np.sqrt(x @ S @ x)) * (1.0 + 0.3 * tol)
    alpha = min(alpha, 1.0)  # no alignment exceeds one
    for _ in range(BOUND_ROUNDS):
        g = alpha * d - q
        minimum, lowest = linear_minimum(g, domain)
        slack = float(np.linalg.norm(noise)) + alpha * float(np.linalg.norm(off))
        slack += (float(np.abs(q).max()) + alpha) * domain.loose
        if minimum - slack >= 0.0:
            return alpha
        if cuts.cut_in_subspace(lowest) or cuts.cut_in_full(lowest):
            continue
        slope = float(d @ lowest)
        if not slope > 0 or alpha >= 1.0:
            return np.inf  # which says no more than that no alignment exceeds one
        alpha += max((slack - minimum) / slope, 1e-3 * tol * alpha)
    return np.inf


def _smallest(S: Array, q: Array, low: Array, cuts: Array, ties: Array | None = None) -> Array:
    """The minimiser of ½xᵀSx over qᵀx = 1, x ≥ low, cuts · x ≥ 0 and ties · x = 0."""
    size = float(np.linalg.norm(q))
    if size == 0.0:  # what agreed with the labels was rounding
        return np.full(len(q), np.nan)
    P = S + FLAT * np.eye(len(q))
    null = np.flatnonzero(q == 0.0)
    P[null, null] += NULL
    ties = np.zeros((0, len(q))) if ties is None else ties
    solution = quadratic_program(
        P=P / float(np.abs(P).max()),
        q=np.zeros(len(q)),
        A=np.vstack([q / size, ties]),
        b=np.append(1.0, np.zeros(len(ties))),
        low=low,
        high=np.full(len(q), np.inf),
        G=-cuts,
        h=np.zeros(len(cuts)),
    )
    return np.full(len(q), np.nan) if solution is None else solution.x


def _value(
    family: Family, weights: Array, targets: Array, centered: bool, indefinite: float
) -> tuple[float, float]:
    """The alignment of K(w) from its definition, and what of it is not known."""
    K = family.combine(weights, labelled_only=False)
    size, eps = float(np.abs(K).max()), rounding(len(targets))
    whole = _length(K / size)
    Y = targets
    if centered:
        Y = Y - Y.mean(axis=0)
        centred = _centred(K / size)
        if _length(centred) < NEARLY_CONSTANT * whole:
            # Centring takes most of the digits; there are more of them in long double, and a
            # constant kernel that is centred before it is added takes none of the others'.
            each = np.eye(len(weights))
            centred = np.zeros(centred.shape, dtype=np.longdouble)
            for i in np.flatnonzero(weights):
                part = _centred(family.combine_exactly(each[i], False))
                centred += np.longdouble(weights[i]) / size * part
            eps *= LONG_EPS / EPS
        K = centred.astype(float)
    else:
        K = K / size
    n = len(Y)
    length, target = _length(K), float(np.linalg.norm(Y.T @ Y))
    if length == 0.0:
        return 0.0, 0.0
    value = inner_product(Y.T, blocked_product(Y.T, K[:n, :n])) / (length * target)
    off = rounding(n) + (eps * whole + indefinite / size * float(np.sqrt(len(K)))) / length
    return value, 2.0 * off + 4.0 * EPS


def _length(K: AnyFloatArray) -> float:
    """The Frobenius norm."""
    return float(np.sqrt(inner_product(K, K)))


def _centred(K: AnyFloatArray) -> AnyFloatArray:
    K = K - column_means(K)
    return K - column_means(K.T)[:, None]
