"""
The margin programs of Lanckriet et al. (2004), for every C and τ, in natural units.

Definition (20) is homogeneous: ω_{C,τ}(K) = s · ω_{C/s, sτ}(sK) for every s > 0, with α = s α'.
Solvers stop at absolute tolerances, so at C = 1e-3, where everything is a thousandth, they would
lose three digits. Each program is therefore solved as printed, but in units in which α is of the
order of one, and its kernels too; the solution is given back in the user's units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import (
    check_grams,
    check_labels,
    check_positive,
    check_positive_semidefinite,
    check_vectors,
)
from kernlearn.reference._cvxpy import Expression, as_vector, load_cvxpy, solve
from kernlearn.reference._lmi import margin_lmi, positive_semidefinite, square_root
from kernlearn.reference.solution import ReferenceSolution, in_user_units
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class MarginProblem:
    """
    K = Σ μᵢKᵢ on all N points, of which the first n carry the labels y; inputs are checked.

    The names are the paper's: rᵢ = trace Kᵢ, c the fixed trace, C and τ the bound and the ridge.
    `kernels` holds a Gram matrix or a vector v for each i, where Kᵢ is vvᵀ. τ is None if it is
    learned. `alpha_unit` is s, and `kernel_units` has one unit for each Kᵢ.
    """

    kernels: Array
    y: Array
    c: float
    C: float
    tau: float | None
    r: Array
    alpha_unit: float
    kernel_units: Array
    rows: Callable[[Expression], list[Expression]] = lambda mu: []  # further constraints on μ

    @property
    def n_points(self) -> int:
        """Number of points, labelled or not."""
        return int(self.kernels.shape[-1])

    def quadratic_forms(self, alpha: Expression) -> list[Expression]:
        """αᵀG(Kᵢ,tr)α for each i, as sums of squares, which CVXPY accepts as convex."""
        cp, n = load_cvxpy(), self.y.size
        signed = cp.multiply(self.y, alpha)
        if self.kernels.ndim == 2:
            return [cp.square(v[:n] @ signed) for v in self.kernels]
        return [cp.sum_squares(square_root(gram[:n, :n]).T @ signed) for gram in self.kernels]

    def in_user_units(self, solution: ReferenceSolution) -> ReferenceSolution:
        """Return the solution in the user's units."""
        s = self.alpha_unit
        weights = 1.0 / (s * self.kernel_units)
        return in_user_units(solution, value=s, alpha=s, weights=weights, tau=1.0 / s)


def gram_family(
    grams: ArrayLike,
    y: ArrayLike,
    c: float | None = None,
    *,
    C: float = np.inf,
    tau: float | None = 0.0,
    psd: bool = False,
) -> MarginProblem:
    """
    Check the data of a program over a stack, fill in c, and go over to natural units.

    `psd` asks for positive semidefinite matrices. With τ learned, None, the identity on all points
    is one more matrix of the family, and its trace N is counted in the default of c.
    """
    stack = check_grams(grams)
    if psd:
        check_positive_semidefinite(stack)
    sizes = np.abs(stack).max(axis=(1, 2))
    units = np.where(sizes > 0.0, sizes, 1.0)
    return _family(stack, np.trace(stack, axis1=1, axis2=2), units, y, c, C, tau)


def rank_one_family(
    vectors: ArrayLike,
    y: ArrayLike,
    c: float | None = None,
    *,
    C: float = np.inf,
    tau: float | None = 0.0,
) -> MarginProblem:
    """Do the same for a rank-one program; each vᵢvᵢᵀ has trace one, so c is m by default."""
    rows = check_vectors(vectors).T
    return _family(rows, np.ones(len(rows)), np.ones(len(rows)), y, c, C, tau)


def _family(
    kernels: Array,
    traces: Array,
    units: Array,
    y: ArrayLike,
    c: float | None,
    C: float,
    tau: float | None,
) -> MarginProblem:
    n_points = kernels.shape[-1]
    labels = check_labels(y, n_points)
    default = float(traces.sum()) + (n_points if tau is None else 0)
    total = check_positive("c", default if c is None else c)
    s = alpha_unit(total / n_points, C, tau or 0.0)
    return MarginProblem(
        kernels=kernels / units.reshape(-1, *[1] * (kernels.ndim - 1)),
        y=labels,
        c=s * total,
        C=C / s,
        tau=None if tau is None else s * tau,
        r=traces / units,
        alpha_unit=s,
        kernel_units=units,
    )


def alpha_unit(mean_diagonal: float, C: float, tau: float) -> float:
    """
    The size of α to expect: 1 / (K_ii + τ) for the margin, but not above C.

    Their harmonic sum is as good as the smaller one, and has no case to tell apart.
    """
    return 1.0 / (mean_diagonal + tau + 1.0 / C)


def margin_sdp(family: MarginProblem, solver: str) -> ReferenceSolution:
    """
    Minimise the margin over weights of any sign: program (26), and those that follow from it.

    Without an upper bound, C = ∞, the corner t − 2Cδᵀe is finite only for δ = 0. ν entered as the
    multiplier of α ≥ 0, by 2νᵀα; so its own multiplier is 2α.
    """
    cp = load_cvxpy()
    n, learned = family.y.size, family.tau is None
    mu, t, lam, nu = cp.Variable(len(family.r)), cp.Variable(), cp.Variable(), cp.Variable(n)
    tau: Expression = cp.Variable() if learned else family.tau
    column, corner, positive = 1 + nu + lam * family.y, t, [nu >= 0]
    if np.isfinite(family.C):
        delta = cp.Variable(n)
        column, corner = column - delta, t - 2 * family.C * cp.sum(delta)
        positive.append(delta >= 0)
    if learned:
        positive.append(tau >= 0)
    signed = family.kernels[:, :n, :n] * np.outer(family.y, family.y)
    constraints = [
        family.r @ mu + (family.n_points * tau if learned else 0) == family.c,
        positive_semidefinite(family.kernels, mu),
        *margin_lmi(signed, mu, column, corner, tau if learned or tau > 0.0 else None),
        *positive,
        *family.rows(mu),
    ]
    solution = solve(
        cp.Minimize(t),
        constraints,
        solver,
        weights=lambda: as_vector(mu.value),
        alpha=lambda: 0.5 * as_vector(positive[0].dual_value),
        tau=lambda: float(tau.value) if learned else None,
    )
    return family.in_user_units(solution)


def margin_qcqp(family: MarginProblem, solver: str) -> ReferenceSolution:
    """
    Minimise the margin over positive weights: program (27), and those that follow from it.

    The multipliers of the quadratic constraints ``t ≥ (1/rᵢ) …`` are μᵢrᵢ, and add up to c. With
    τ learned, the last of them belongs to the identity, and its weight is τ.
    """
    cp = load_cvxpy()
    alpha, t = cp.Variable(family.y.size), cp.Variable()
    forms, traces = family.quadratic_forms(alpha), family.r
    if family.tau is None:
        forms, traces = [*forms, cp.sum_squares(alpha)], np.append(traces, family.n_points)
    quadratic = [t >= form / r for form, r in zip(forms, traces, strict=True)]
    box = [alpha >= 0, *([alpha <= family.C] if np.isfinite(family.C) else [])]
    ridge = family.tau * cp.sum_squares(alpha) if family.tau else 0.0
    objective = 2 * cp.sum(alpha) - ridge - family.c * t

    def multipliers() -> Array:
        return np.concatenate([as_vector(q.dual_value) for q in quadratic]) / traces

    solution = solve(
        cp.Maximize(objective),
        [*quadratic, alpha @ family.y == 0, *box],
        solver,
        weights=lambda: multipliers()[: len(family.r)],
        alpha=lambda: as_vector(alpha.value),
        tau=lambda: float(multipliers()[-1]) if family.tau is None else None,
    )
    return family.in_user_units(solution)
