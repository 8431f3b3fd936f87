r"""
A kernel expanded in sections of a hyperkernel, in the form of the programs of Ong et al. (2005).

The programs are homogeneous. With α = s x, y = v y' and β = c b, every one of them has vs times the
value of the same program for x and b, in which the sections are (sc/v)Kₚ, the box is C/s, the ridge
ρs/v and λ_Q is cλ_Q/(vs), or c²λ_Q/(vs) for the squared norm. Solvers stop at absolute tolerances,
so s and v are chosen such that all of these are of the order of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import (
    check_grams,
    check_labels,
    check_one_for_each,
    check_pivots,
    check_positive,
    check_positive_semidefinite,
)
from kernlearn.reference._cvxpy import Expression, as_vector, load_cvxpy, solve
from kernlearn.reference._lmi import square_root, whitened_lmi
from kernlearn.reference._margins import alpha_unit
from kernlearn.reference.solution import ReferenceSolution, in_user_units
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class SectionFamily:
    """
    K(β) = Σ βₚKₚ and its norm ‖K̲^½β‖ in natural units; inputs are checked.

    `scaled` says whether 1ᵀβ = c, which is one here; `box` and `ridge` are what bounds α and what
    is added to the diagonal of K, where the program has them. The units are s, v and c.
    """

    sections: Array
    pivots_root: Array
    y: Array
    lambda_q: float
    scaled: bool
    squared: bool
    box: float
    ridge: float
    alpha_unit: float
    target_unit: float
    weight_unit: float

    @property
    def signed(self) -> Array:
        """The sections with the signs of the labels, so that G(β) = Σ βₚYKₚY."""
        signed: Array = self.sections * np.outer(self.y, self.y)
        return signed

    def _traces(self) -> Array:
        """Traces of the sections in the user's units."""
        unit = self.alpha_unit * self.weight_unit / self.target_unit
        return np.asarray(np.trace(self.sections, axis1=1, axis2=2) / unit)

    def minimise(
        self,
        stack: Array,
        column: Expression,
        solver: str,
        *,
        loss: Expression = 0.0,
        positive: tuple[Expression, ...] = (),
        fixed: Array | float = 0.0,
        coefficients: Callable[[Array], Array] | None = None,
        trace: float | None = None,
    ) -> ReferenceSolution:
        """
        Minimise ½t₁ + loss + ½λ_Qt₂ over β ≥ 0, and return the solution in the user's units.

        With a `trace`, of K in the user's units, β has any sign.

        t₁ bounds columnᵀ(Σ βₚ stackₚ + fixed)⁻¹column, t₂ the norm. The first of the `positive`
        variables is η, the multiplier of α ≥ 0, so that the multiplier of η ≥ 0 is α; in programs
        without η, `coefficients` finds α from β.
        """
        cp = load_cvxpy()
        beta, t1, t2 = cp.Variable(len(stack)), cp.Variable(), cp.Variable()
        coordinates = self.pivots_root @ beta
        norm = cp.sum_squares(coordinates) if self.squared else cp.norm(coordinates)
        bounds = [variable >= 0 for variable in positive]
        constraints = [
            *bounds[1:],
            *([beta >= 0] if trace is None else [self._traces() @ beta == trace]),
            norm <= t2,
            *([cp.sum(beta) == 1.0] if self.scaled else []),
            *whitened_lmi(stack, beta, column, t1, fixed),
            *bounds[:1],
        ]

        def alpha() -> Array | None:
            if coefficients is not None:
                return coefficients(beta.value)
            return as_vector(bounds[0].dual_value) if bounds else None

        solution = solve(
            cp.Minimize(t1 / 2 + loss + self.lambda_q / 2 * t2),
            constraints,
            solver,
            weights=lambda: as_vector(beta.value),
            alpha=alpha,
        )
        s = self.alpha_unit
        return in_user_units(
            solution, value=self.target_unit * s, alpha=s, weights=self.weight_unit
        )


def expand(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    lambda_q: float,
    c: float | None,
    squared: bool,
    *,
    check_y: Callable[[ArrayLike, int], Array] = check_labels,
    C: float = np.inf,
    lam: float = 0.0,
    fixed_sum: bool = False,
) -> SectionFamily:
    """
    Check the data of a program, and go over to natural units.

    λ_Q multiplies the norm or its square; c is the scale of 1ᵀβ = c, None without this constraint.
    The box is C/m and the ridge λm, as the paper writes them. With `fixed_sum` the program itself
    says how large α is, and only the kernel has a unit.
    """
    stack = check_grams(sections, "sections")
    check_positive_semidefinite(stack, "sections")
    n_pivots, m, _ = stack.shape
    root = square_root(check_pivots(K_pivots, n_pivots))
    targets = check_one_for_each(check_y(y, m), m)
    lambda_q = check_positive("lambda_q", lambda_q)
    unit = 1.0 if c is None else check_positive("c", c)
    size = unit * float(np.trace(stack, axis1=1, axis2=2).mean()) / m
    box, ridge = C / m, lam * m
    v = size if fixed_sum else float(np.abs(targets).max()) or 1.0
    s = 1.0 if fixed_sum else alpha_unit(size / v, box, ridge / v)
    return SectionFamily(
        sections=stack * (s * unit / v),
        pivots_root=root,
        y=targets if fixed_sum else targets / v,
        lambda_q=lambda_q * unit ** (2 if squared else 1) / (v * s),
        scaled=c is not None,
        squared=squared,
        box=box / s,
        ridge=ridge * s / v,
        alpha_unit=s,
        target_unit=v,
        weight_unit=unit,
    )
