r"""
A kernel expanded in sections of a hyperkernel, as the programs of Ong et al. (2005) see it.

The programs are homogeneous. With α = s x, y = v y' and β = c b, every one of them has vs times the
value of the same program for x and b, in which the sections are (sc/v)Kₚ, the box is C/s, the ridge
ρs/v and λ_Q is cλ_Q/(vs), or c²λ_Q/(vs) for the squared norm. Solvers stop at absolute tolerances,
so s and v are chosen such that all of these are of the order of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._family import square_root
from kernlearn.reference._solve import SOLVED, as_vector, solve, unsolved
from kernlearn.reference._units import alpha_unit
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class HyperRegulariser:
    """λ_Q, the scale c of 1ᵀβ = c (None: no such constraint), and whether the norm is squared."""

    lambda_q: float
    c: float | None
    squared: bool


@dataclass(frozen=True, eq=False)
class Expansion:
    """
    K(β) = Σ βₚKₚ and its norm ‖K̲^½β‖ in natural units; inputs are checked.

    `scale` is the constant of 1ᵀβ = c, here one or None; `box` and `ridge` are what bounds α and
    what is added to the diagonal of K, where the program has them; `kernel_unit`, `alpha_unit` and
    `weight_unit` are s/v, s and c, and `value_unit` is vs.
    """

    sections: Array
    pivots_root: Array
    y: Array
    lambda_q: float
    scale: float | None
    squared: bool
    box: float
    ridge: float
    kernel_unit: float
    alpha_unit: float
    weight_unit: float
    value_unit: float

    @property
    def signed(self) -> Array:
        """The sections with the signs of the labels, so that G(β) = Σ βₚYKₚY."""
        signed: Array = self.sections * np.outer(self.y, self.y)
        return signed

    def variables(self) -> tuple[Any, Any, Any]:
        """β, t₁ and t₂."""
        cp = load_cvxpy()
        return cp.Variable(len(self.sections)), cp.Variable(), cp.Variable()

    def regularised(self, beta: Any, t2: Any) -> list[Any]:
        """The constraints β ≥ 0, ‖K̲^½β‖ ≤ t₂ (or its square), and 1ᵀβ = c."""
        cp = load_cvxpy()
        coordinates = self.pivots_root @ beta
        norm = cp.sum_squares(coordinates) if self.squared else cp.norm(coordinates)
        broken = [] if self.scale is None else [cp.sum(beta) == self.scale]
        return [beta >= 0, norm <= t2, *broken]

    def minimise(
        self, objective: Any, constraints: list[Any], beta: Any, alpha_bound: Any, solver: str
    ) -> ReferenceSolution:
        """
        Solve, and return the solution in the user's units.

        η entered a program as the multiplier of α ≥ 0, so that the multiplier of `alpha_bound`,
        the constraint η ≥ 0, is α; None where the program has no η.
        """
        bounds = [] if alpha_bound is None else [alpha_bound]
        problem = load_cvxpy().Problem(load_cvxpy().Minimize(objective), [*constraints, *bounds])
        status = solve(problem, solver)
        if status not in SOLVED:
            return unsolved(problem, status)
        return ReferenceSolution(
            value=self.value_unit * float(problem.value),
            weights=self.weight_unit * as_vector(beta.value),
            alpha=self.alpha_unit * as_vector(alpha_bound.dual_value) if bounds else None,
            tau=None,
            status=status,
        )


def expand(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    regulariser: HyperRegulariser,
    *,
    check_y: Callable[[ArrayLike, int], Array] = check_labels,
    C: float = np.inf,
    lam: float = 0.0,
    fixed_sum: bool = False,
) -> Expansion:
    """
    Check the data of a program, and go over to natural units.

    The box is C/m and the ridge λm, as the paper writes them. With `fixed_sum` the program itself
    says how large α is, and only the kernel has a unit.
    """
    stack = check_grams(sections, "sections")
    check_positive_semidefinite(stack, "sections")
    n_pivots, m, _ = stack.shape
    root = square_root(check_pivots(K_pivots, n_pivots))
    targets = check_one_for_each(check_y(y, m), m)
    lambda_q = check_positive("lambda_q", regulariser.lambda_q)
    c = 1.0 if regulariser.c is None else check_positive("c", regulariser.c)
    size = c * float(np.trace(stack, axis1=1, axis2=2).mean()) / m
    box, ridge = C / m, lam * m
    v = size if fixed_sum else float(np.abs(targets).max()) or 1.0
    s = 1.0 if fixed_sum else alpha_unit(size / v, box, ridge / v)
    return Expansion(
        sections=stack * (s * c / v),
        pivots_root=root,
        y=targets if fixed_sum else targets / v,
        lambda_q=lambda_q * c ** (2 if regulariser.squared else 1) / (v * s),
        scale=None if regulariser.c is None else 1.0,
        squared=regulariser.squared,
        box=box / s,
        ridge=ridge * s / v,
        kernel_unit=s / v,
        alpha_unit=s,
        weight_unit=c,
        value_unit=v * s,
    )
