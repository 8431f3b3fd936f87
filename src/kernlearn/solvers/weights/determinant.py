r"""The largest determinant over the weights: Newton's method, and a bound from one plane.

.. math::

    f(w) = -\log\det K(w), \qquad \partial_i f = -\langle K^{-1}, K_i\rangle, \qquad
    \partial_{ij} f = \langle K^{-1} K_i K^{-1}, K_j\rangle ,

convex, and its own barrier: f grows without bound towards the edge of K(w) ⪰ 0. It is
self-concordant, so that a step to the minimum of its quadratic model over the feasible weights,
shortened to :math:`1/(1+\lambda)` with :math:`\lambda^2 = d^\top \nabla^2 f\, d`, stays where K(w)
is positive definite, and decreases f by at least :math:`\lambda - \log(1+\lambda)`. With positive
weights the model is minimised over a simplex, a quadratic program; with free signs over a plane,
one linear system, since the cone is never left.

The bound: log det is concave, with slope :math:`S^{-1}` at S, so for any lower triangular matrix W
with a positive diagonal, :math:`S^{-1} = W^\top W` and any scale of it,

.. math::

    -\log\det K(w) \;\ge\; 2 \sum_a \log W_{aa} - n \log \frac{G}{n}, \qquad
    G \ge \max_w \langle W^\top W, K(w) \rangle \text{ over the feasible } w .

Here W is the inverse of the Cholesky factor found at K(w), but the bound holds for what the
computer has in its place, so that only the rounding of the inner products counts. With positive
weights G is the largest corner. With free signs all inner products are :math:`\eta` times the
normaliser at the optimum, where the maximum is η at any weights; what they differ by is multiplied
by the radius of the ball that holds the feasible coordinates. No program need be solved for either.

At the optimum the share of a matrix in the total is its share in the rank,
:math:`\langle K^{-1}, w_i K_i\rangle / n`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.weights import Domain, even_weights
from kernlearn.solvers.core.certificate import certified_status
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution, relative_gap
from kernlearn.solvers.weights.determinant_search import (
    DeterminantSearch,
    Found,
    Point,
    newton_steps,
)
from kernlearn.solvers.weights.feasible_weights import rescaled_to_total, without_negligible
from kernlearn.solvers.weights.free_domain import orthonormal_family
from kernlearn.solvers.weights.inverse_factor import InverseFactor, inverse_factor
from kernlearn.solvers.weights.primal_value import PRECISION
from kernlearn.typing import Array

SETTLED_SHARE, KNOWN = 0.05, 1e-8  # of the tolerance, and of the value: rounding that may be left
SINGULAR = 0.5  # a log determinant whose rounding is larger than this is not known
POSITIVE_STEPS = 10  # that free signs begin with
CRUMBS = 1e-9


def learn_by_determinant(family: Family, weight_set: WeightSet, control: Control) -> Solution:
    """Maximise the determinant of K(w) over all points (inputs are checked)."""
    search = _positive(family, weight_set)
    first = search.at(search.domain.start)
    if first is None or search.rounding(first) > SINGULAR:
        raise _singular(family.n_points)
    if weight_set.free_sign and not family.psd_means_positive:
        search, found = _learn_free(family, weight_set, search, first, control)
    else:
        found = newton_steps(search, first, control)
    return _solution(family, weight_set, search, found, control.tol)


def _learn_free(
    family: Family,
    weight_set: WeightSet,
    positive: DeterminantSearch,
    first: Point,
    control: Control,
) -> tuple[DeterminantSearch, Found]:
    """Newton's method from where positive weights have led it.

    From a kernel that is all but singular every step no more than doubles the smallest eigenvalues.
    """
    few = replace(control, max_iter=min(POSITIVE_STEPS, control.max_iter))
    begun = newton_steps(positive, first, few, certify=False)
    combined, domain, transform = orthonormal_family(
        family, weight_set, positive.domain.weights(begun.best.x)
    )
    size = weight_set.kernel_size(family) * family.n_points
    search = DeterminantSearch(combined, domain, transform, size)
    start = search.at(domain.start)
    if start is None:
        raise _singular(family.n_points)
    if control.stopping.stopped is not None:
        return search, replace(begun, best=start)
    return search, newton_steps(search, start, control)


def _singular(n: int) -> ValueError:
    return ValueError(
        "expected kernels that together are positive definite by more than rounding, got a K(w) "
        f"that is singular at equal weights, on {n} points; add the identity (a ridge) or a narrow "
        "Gaussian as one more kernel, or drop points that are repeated; do not centre"
    )


def _positive(family: Family, weight_set: WeightSet) -> DeterminantSearch:
    """Coordinates are shares of the total."""
    r, total = weight_set.normaliser, weight_set.total
    size = weight_set.kernel_size(family)
    used = np.flatnonzero(r > 0)
    p = len(used)
    basis = np.zeros((len(r), p))
    basis[used, np.arange(p)] = total / r[used] / size
    even, one = np.full(p, 1.0 / p), np.ones(p)
    return DeterminantSearch(family, Domain(basis, one, np.zeros(p), one, even, False), None, size)


def _solution(
    family: Family, given: WeightSet, search: DeterminantSearch, found: Found, tol: float
) -> Solution:
    """What is returned: the weights tidied, then evaluated as they are."""
    weights = search.domain.weights(found.best.x)
    if search.transform is not None:
        weights = search.transform @ weights
    weights = np.asarray(weights)
    shares = weights * given.normaliser
    even = even_weights(given.normaliser, given.total)
    candidates = [without_negligible(weights, shares), weights, even]
    settled: _Settled | None = None
    reached = search.value(found.best)
    for candidate in candidates:
        candidate = rescaled_to_total(candidate, given.normaliser, given.total)
        trial = _settle(family, given, candidate, tol)
        if trial is None:
            continue
        if settled is None or trial.value < settled.value:
            settled = trial
        if trial.value <= reached + CRUMBS * abs(reached):
            break
    if settled is None:
        raise _singular(family.n_points)
    factor = settled.factor
    bound = max(found.bound, search.bound(factor, *search.slopes(factor)))
    bound = min(bound - settled.noise, settled.value)
    gap = relative_gap(settled.value, bound)
    return Solution(
        weights=settled.weights,
        objective=settled.value,
        lower_bound=bound,
        gap=gap,
        dual_coef=None,
        intercept=None,
        n_machine_solves=0,
        status=certified_status(settled.value, bound, tol, found.ended),
        history=found.history,
    )


@dataclass(frozen=True, eq=False)
class _Settled:
    """Weights as they are returned, their value, and what of it is not known."""

    weights: Array
    value: float
    noise: float
    factor: InverseFactor


def _settle(family: Family, given: WeightSet, weights: Array, tol: float) -> _Settled | None:
    """The value at these weights, in long double where rounding would show."""
    n = family.n_points
    # Weights that cancel miss the total by their rounding, which f sees as a scale.
    missed = abs(float((weights.astype(np.longdouble) @ given.normaliser) / given.total - 1.0))
    exact = False
    while True:
        combine = family.combine_exactly if exact else family.combine
        factor = inverse_factor(combine(weights, labelled_only=False))
        last = exact or n > PRECISION.largest
        if factor is not None:
            value = -factor.log_det
            noise = factor.noise(family, weights) + n * missed
            enough = min(SETTLED_SHARE * tol, KNOWN) * abs(value)
            if noise <= enough or (last and noise <= SINGULAR * n):
                return _Settled(weights, value, noise, factor)
        if last:
            return None
        exact = True
