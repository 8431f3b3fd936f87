r"""The largest determinant over the weights: Newton's method, and a bound from one plane.

.. math::

    f(w) = -\log\det K(w), \qquad \partial_i f = -\langle K^{-1}, K_i\rangle, \qquad
    \partial_{ij} f = \langle K^{-1} K_i K^{-1}, K_j\rangle ,

convex, and its own barrier: f grows without bound towards the edge of K(w) ⪰ 0. It is
self-concordant, so that a step to the minimum of its quadratic model over the feasible weights,
shortened to :math:`1/(1+\lambda)` with :math:`\lambda^2 = d^\top \nabla^2 f\, d`, stays where K(w)
is positive definite, and decreases f by at least :math:`\lambda - \log(1+\lambda)`. With positive
weights the model is minimised over a simplex, a quadratic program; with free signs over a plane,
one linear system, since the cone is never left. Limits of positive weights are rows of the program.

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

A linear term :math:`b^\top w` may be added to f. The planes below log det then leave

.. math::

    -\log\det K(w) + b^\top w \;\ge\; 2\sum_a\log W_{aa} + n
    - \max_w \bigl(\langle W^\top W, K(w)\rangle - b^\top w\bigr).

Without that term, at the optimum the share of a matrix in the total is its share in the rank,
:math:`\langle K^{-1}, w_i K_i\rangle / n`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernlearn.families.base import Family
from kernlearn.families.weights import Domain, even_weights, limited
from kernlearn.numerics.sums import EPS
from kernlearn.runtime.status import Status
from kernlearn.solvers.core.certificate import certified_status, largest_over_positive
from kernlearn.solvers.core.problem import Control, WeightSet
from kernlearn.solvers.core.solution import Solution, Step, report_step
from kernlearn.solvers.optimize.quadratic import quadratic_program
from kernlearn.solvers.weights.feasible_weights import (
    orthonormal_family,
    rescaled_to_total,
    without_negligible,
)
from kernlearn.solvers.weights.finalize import PRECISION
from kernlearn.solvers.weights.inverse_factor import InverseFactor, inverse_factor
from kernlearn.typing import Array

ROWS_AT_A_TIME = 64


@dataclass(frozen=True)
class DeterminantOptions:
    """Steps of the search, and the rounding that may remain."""

    share: float = 0.05  # of the tolerance: rounding that may be left
    known: float = 1e-8  # and of the value
    singular: float = 0.5  # a log determinant whose rounding is larger than this is not known
    positive_steps: int = 10  # that free signs begin with
    negligible: float = 1e-9
    flat: float = 1e-11
    enough: float = 0.1  # of the tolerance: a gap that the search need not narrow
    quadratic: float = 1e-2  # Newton decrement below which every step must halve it
    nothing: float = 1e-9  # half its square is what a step may still gain


OPTIONS = DeterminantOptions()


def learn_by_determinant(
    family: Family, weight_set: WeightSet, control: Control, linear: Array | None = None
) -> Solution:
    """Maximise the determinant of K(w) over all points (inputs are checked).

    With a linear term, minimise −log det K(w) and ``linear @ w`` together.
    """
    search = _positive(family, weight_set, linear)
    first = search.at(search.domain.start)
    if first is None or search.rounding(first) > OPTIONS.singular:
        raise _singular(family.n_points)
    if weight_set.free_sign and not family.psd_means_positive:
        search, found = _learn_free(family, weight_set, search, first, control, linear)
    else:
        found = newton_steps(search, first, control)
    return _solution(family, weight_set, search, found, control.tol, linear)


def _learn_free(
    family: Family,
    weight_set: WeightSet,
    positive: DeterminantSearch,
    first: DeterminantPoint,
    control: Control,
    linear: Array | None,
) -> tuple[DeterminantSearch, DeterminantOptimum]:
    """Newton's method from where positive weights have led it.

    From a kernel that is all but singular every step no more than doubles the smallest eigenvalues.
    """
    few = replace(control, max_iter=min(OPTIONS.positive_steps, control.max_iter))
    begun = newton_steps(positive, first, few, certify=False)
    combined, domain, transform = orthonormal_family(
        family, weight_set, positive.domain.weights(begun.best.x)
    )
    size = weight_set.kernel_size(family) * family.n_points
    if linear is not None and domain.dropped.shape[1]:
        raise ValueError(
            "expected matrices that do not depend on one another for weights='free' with a linear "
            "term, got some that do: their weights could make the term as small as any number; "
            "leave out the repeated ones, or use weights='positive'"
        )
    slopes = None if linear is None else size * domain.basis.T @ (transform.T @ linear)
    search = DeterminantSearch(combined, domain, transform, size, slopes)
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


def _positive(family: Family, weight_set: WeightSet, linear: Array | None) -> DeterminantSearch:
    """Coordinates are shares of the total."""
    r, total = weight_set.normaliser, weight_set.total
    size = weight_set.kernel_size(family)
    used = np.flatnonzero(r > 0)
    p = len(used)
    basis = np.zeros((len(r), p))
    basis[used, np.arange(p)] = total / r[used] / size
    even, one = np.full(p, 1.0 / p), np.ones(p)
    domain = limited(Domain(basis, one, np.zeros(p), one, even, False), weight_set.limits)
    slopes = None if linear is None else size * domain.basis.T @ linear
    return DeterminantSearch(family, domain, None, size, slopes)


def _solution(
    family: Family,
    weight_set: WeightSet,
    search: DeterminantSearch,
    found: DeterminantOptimum,
    tol: float,
    linear: Array | None,
) -> Solution:
    """The final solution: the weights tidied, then evaluated as they are."""
    weights = search.domain.weights(found.best.x)
    if search.transform is not None:
        weights = search.transform @ weights
    weights = np.asarray(weights)
    tidy = without_negligible(weights, weights * weight_set.normaliser)
    even = even_weights(weight_set.normaliser, weight_set.total)
    candidates = [one for one in (tidy, weights, even) if weight_set.allows(one)]
    settled: _FinalDeterminant | None = None
    reached = search.value(found.best)
    for candidate in candidates:
        candidate = rescaled_to_total(candidate, weight_set.normaliser, weight_set.total)
        trial = _final_determinant(family, weight_set, candidate, tol, linear)
        if trial is None:
            continue
        if settled is None or trial.value < settled.value:
            settled = trial
        if trial.value <= reached + OPTIONS.negligible * abs(reached):
            break
    if settled is None:
        raise _singular(family.n_points)
    factor = settled.factor
    bound = max(found.bound, search.bound(factor, *search.slopes(factor)))
    bound = min(bound - settled.noise, settled.value)
    return Solution(
        weights=settled.weights,
        objective=settled.value,
        lower_bound=bound,
        dual_coef=None,
        intercept=None,
        n_machine_solves=0,
        status=certified_status(settled.value, bound, tol, found.ended),
        history=found.history,
    )


@dataclass(frozen=True, eq=False)
class _FinalDeterminant:
    """Weights as they are returned, their value, and what of it is not known."""

    weights: Array
    value: float
    noise: float
    factor: InverseFactor


def _final_determinant(
    family: Family, weight_set: WeightSet, weights: Array, tol: float, linear: Array | None
) -> _FinalDeterminant | None:
    """The value at these weights, in long double where rounding would show."""
    n, exact = family.n_points, False
    # Weights that cancel miss the total by their rounding, which scales K(w).
    total = weights.astype(np.longdouble) @ weight_set.normaliser
    missed = abs(float(total / weight_set.total - 1.0))
    while True:
        combine = family.combine_exactly if exact else family.combine
        factor = inverse_factor(combine(weights, labelled_only=False))
        last = exact or n > PRECISION.largest
        if factor is not None:
            value = -factor.log_det
            noise = factor.noise(family, weights) + n * missed
            if linear is not None:
                value += float(linear @ weights)
                noise += (missed + 2.0 * len(weights) * EPS) * float(np.abs(linear * weights).sum())
            enough = min(OPTIONS.share * tol, OPTIONS.known) * abs(value)
            if noise <= enough or (last and noise <= OPTIONS.singular * n):
                return _FinalDeterminant(weights, value, noise, factor)
        if last:
            return None
        exact = True


@dataclass(frozen=True, eq=False)
class DeterminantSearch:
    """f in coordinates x of the weights, for kernels K(w) in units of ``size``."""

    family: Family  # the matrices, or combinations of them
    domain: Domain
    transform: Array | None  # what combines the matrices given
    size: float
    linear: Array | None = None  # the slopes of a linear term in the coordinates

    def at(self, x: Array) -> DeterminantPoint | None:
        """The point with its factor, or None where K is not positive definite."""
        factor = inverse_factor(self.family.combine(self.domain.weights(x), labelled_only=False))
        return None if factor is None else DeterminantPoint(x, factor)

    def value(self, point: DeterminantPoint) -> float:
        """F in the units of the kernels given."""
        added = 0.0 if self.linear is None else float(self.linear @ point.x)
        return -point.factor.log_det - self.family.n_points * float(np.log(self.size)) + added

    def rounding(self, point: DeterminantPoint) -> float:
        """Bound on the rounding error of a value."""
        return point.factor.noise(self.family, self.domain.weights(point.x))

    def bound(self, factor: InverseFactor, slopes: Array, noise: Array) -> float:
        """A value that no feasible weights are below, from ⟨WᵀW, ·⟩ in the coordinates."""
        n = self.family.n_points
        most = self._largest(factor, slopes, noise)
        if not -np.inf < most < np.inf:
            return -np.inf
        if self.linear is not None:
            own = np.array([-factor.log_det, n - most, -n * np.log(self.size)])
            return float(own.sum()) - 8.0 * EPS * float(np.abs(own).sum() + n + factor.log_size)
        if not most > 0.0:
            return -np.inf
        terms = np.array([-factor.log_det, -n * np.log(most / n), -n * np.log(self.size)])
        return float(terms.sum()) - 8.0 * EPS * float(np.abs(terms).sum() + factor.log_size)

    def _largest(self, factor: InverseFactor, slopes: Array, noise: Array) -> float:
        """Largest value of ⟨WᵀW, K(w)⟩ less the linear term over the feasible weights."""
        domain = self.domain
        if self.linear is not None:
            noise = noise + 4.0 * EPS * (np.abs(slopes) + np.abs(self.linear))
            slopes = slopes - self.linear
        if not domain.free_sign:
            return largest_over_positive(slopes, noise, domain)
        e = domain.equality
        eta = float(e @ slopes) / float(e @ e)
        rest = np.abs(slopes - eta * e) + noise + 8.0 * EPS * (abs(slopes) + abs(eta * e))
        most = eta + domain.radius * float(np.linalg.norm(rest))
        return most + factor.inverse_norm * domain.loose + abs(eta) * domain.loose_equality

    def slopes(self, factor: InverseFactor) -> tuple[Array, Array]:
        """⟨WᵀW, ·⟩ of every coordinate, and bounds on their rounding."""
        products, noise = factor.products(self.family)
        basis = self.domain.basis
        return basis.T @ products, np.abs(basis).T @ (noise + 4.0 * EPS * np.abs(products))

    def curvature(self, factor: InverseFactor) -> Array:
        """The Hessian ⟨BᵢBⱼ⟩ with Bᵢ = W Kᵢ Wᵀ, a few columns at a time."""
        W, p = factor.W, self.domain.basis.shape[1]
        H = np.zeros((p, p))
        for start in range(0, len(W), ROWS_AT_A_TIME):
            block = self.family.forms(W.T, W[start : start + ROWS_AT_A_TIME].T)
            flat = np.tensordot(self.domain.basis.T, block, 1).reshape(p, -1)
            H += flat @ flat.T
        return H

    def direction(self, x: Array, slopes: Array, H: Array) -> Array:
        """Direction from x to the minimum of the quadratic model."""
        domain, p = self.domain, len(x)
        scale = 1.0 / np.sqrt(np.maximum(H.diagonal(), 1e-300))
        if domain.free_sign:
            bordered = np.zeros((p + 1, p + 1))
            bordered[:p, :p] = H * np.outer(scale, scale)
            normal = domain.equality * scale
            bordered[p, :p] = bordered[:p, p] = normal / float(np.linalg.norm(normal))
            right = np.append(slopes * scale, 0.0)
            return np.asarray(np.linalg.lstsq(bordered, right, rcond=1e-15)[0][:p] * scale)
        size, (ties, rows) = float(np.abs(H).max()), domain.step_rows
        solution = quadratic_program(
            P=H / size + OPTIONS.flat * np.eye(p),
            q=-(slopes + H @ x) / size - OPTIONS.flat * x,
            A=np.vstack([domain.equality, ties]),
            b=np.append(1.0, np.zeros(len(ties))),
            low=domain.low,
            high=domain.high,
            G=-rows,
            h=np.zeros(len(rows)),
        )
        return np.zeros(p) if solution is None else solution.x - x


@dataclass(frozen=True, eq=False)
class DeterminantPoint:
    """Coordinates, and the factor of K there."""

    x: Array
    factor: InverseFactor


@dataclass(frozen=True, eq=False)
class DeterminantOptimum:
    """The optimum that the search found, and its status."""

    best: DeterminantPoint
    bound: float
    ended: Status
    history: tuple[Step, ...]


def newton_steps(
    search: DeterminantSearch, point: DeterminantPoint, control: Control, certify: bool = True
) -> DeterminantOptimum:
    """Newton's method; its bounds are told of unless they say nothing of what is sought."""
    best, ended = -np.inf, Status.INACCURATE
    history: list[Step] = []
    decrement = np.inf
    for step in range(control.max_iter):
        slopes, noise = search.slopes(point.factor)
        value = search.value(point)
        if certify:
            best = max(best, min(search.bound(point.factor, slopes, noise), value))
        history.append(Step(0, value, best))
        stopped = report_step(control.stopping, history[-1])
        if stopped is not None:
            ended = stopped
            break
        if value - best <= OPTIONS.enough * control.tol * abs(value):
            break
        if step == control.max_iter - 1:
            ended = Status.ITERATION_LIMIT
            break
        H = search.curvature(point.factor)
        falling = slopes if search.linear is None else slopes - search.linear
        d = search.direction(point.x, falling, H)
        gained = float(d @ H @ d)
        if search.linear is not None:  # along which f may be flat
            gained = max(gained, float(falling @ d))
        last, decrement = decrement, float(np.sqrt(max(gained, 0.0)))
        moved = None
        if OPTIONS.nothing < decrement < np.inf and not OPTIONS.quadratic > decrement > 0.5 * last:
            moved = _moved(search, point, d, decrement)
        if moved is None:
            break  # what is left is rounding
        point = moved
    return DeterminantOptimum(point, best, ended, tuple(history))


def _moved(
    search: DeterminantSearch, point: DeterminantPoint, d: Array, decrement: float
) -> DeterminantPoint | None:
    """The full step along d if it lowers the value, else a damped one; None if none does."""
    value = search.value(point)
    allowed = 4.0 * search.rounding(point) if decrement < OPTIONS.quadratic else 0.0
    for length in (1.0, 1.0 / (1.0 + decrement), 0.25 / (1.0 + decrement)):
        x = point.x + length * d
        if not search.domain.free_sign:
            x = np.maximum(x, 0.0)
        moved = search.at(x / float(search.domain.equality @ x))
        if moved is not None and search.value(moved) < value + allowed:
            return moved
    return None
