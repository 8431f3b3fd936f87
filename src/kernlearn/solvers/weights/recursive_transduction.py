r"""Rows that come after weights of free signs were learned: recursive transduction.

Lanckriet et al. (2004), section 4.8, leave it open how the solution on n rows may serve for n + l
rows; Kondor and Jebara (2007), section 6, name such on-line settings. In the formula
``min over k in F of Q(k) + λΩ(k)``, F is :math:`\{\sum_i w_iK_i \succeq 0\}`. The constraint
:math:`\sum_i w_ir_i = c`, which is Ω, and the quality Q stay those of the rows of the fit: only the
labelled block of the kernel enters Q. New rows add that the Schur complement

.. math::

    K_{nn}(w) - K_{no}(w) K_{oo}(w)^{-1} K_{on}(w) \succeq 0,

which together with :math:`K_{oo}(w) \succeq 0` is K(w) ⪰ 0 on all rows. So the set of weights only
shrinks, and a lower bound of the smaller problem is one of the larger.

1. Weights that are feasible for all rows are still optimal, with the certificate that they have.
   One Cholesky factor tells.
2. Otherwise they are moved towards even weights until K(w) ⪰ 0, and evaluated there. The old bound
   may certify them as they are. If it does not, Newton's method goes on from there, with the old
   machine's plane, the old bound, and cuts by eigenvectors over all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, eigh

from kernlearn.families.base import Family
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.numerics.sums import EPS
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.oracle import MachineEvaluation, Penalty, Plane
from kernlearn.solvers.core.problem import (
    Control,
    Units,
    WeightProblem,
    WeightSet,
)
from kernlearn.solvers.core.solution import Solution, Step
from kernlearn.solvers.weights.feasible_weights import is_psd_to_rounding, rescaled_to_total
from kernlearn.solvers.weights.finalize import OPTIONS as FINAL
from kernlearn.solvers.weights.finalize import certified_solution
from kernlearn.solvers.weights.psd_cuts import rough_eigenpairs
from kernlearn.solvers.weights.search import free_search
from kernlearn.typing import Array

FIRST_CUTS = 4  # lowest eigenvectors of K(w), whose cuts are close to those at the optimum
SHIFT = 1e-3  # of the mean eigenvalue, to begin with, for the inverse whose Lanczos steps find them
STEP = 1.5  # by which the share of even weights grows on the way into the cone


@dataclass(frozen=True, eq=False)
class ExtendedSolution:
    """Weights for more rows, and the number of cuts added for them."""

    solution: Solution
    n_cuts: int  # eigenvector cuts that were added


@dataclass(frozen=True, eq=False)
class LowestEigenpairs:
    """Lowest eigenpairs of K(w) on all rows, at weights that are not feasible there."""

    values: Array  # (k,), the lowest first
    vectors: Array  # (n, k)

    @classmethod
    def of(cls, K: Array) -> LowestEigenpairs | None:
        """Eigenpairs of a kernel; None if a fit would let it pass as positive semidefinite."""
        if is_psd_to_rounding(K):
            return None
        mean = float(np.trace(K)) / len(K)
        values, vectors = rough_eigenpairs(K, min(FIRST_CUTS, len(K)), SHIFT * mean)
        if len(values) == 0 or -float(values[0]) <= FINAL.indefinite * mean:
            values, vectors = lowest_eigenpairs(K, FIRST_CUTS)
        return None if -float(values[0]) <= FINAL.indefinite * mean else cls(values, vectors)


def extend_weights(
    family: Family,
    rows: Family,
    lowest: LowestEigenpairs,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    known: Solution,
    control: Control,
    penalty: Penalty | None = None,
) -> ExtendedSolution:
    """Weights with K(w) ⪰ 0 on more rows than those of the fit (inputs are checked).

    `family` holds the matrices of the fit, `rows` those of the same kernels with the new rows below
    them, and `known` the solution of the fit, whose kernel has these lowest eigenpairs on `rows`.
    """
    problem, units = WeightProblem.in_units(family, machines, weight_set, penalty, rows)
    objective = problem.objective
    weights = _into_cone(problem, known.weights / units.kernel, lowest.vectors)
    first = objective.evaluate(weights, None, FINAL.exact)
    if first is None:  # a machine without a loss that the narrower kernel does not separate
        first = objective.evaluate(problem.even, None, FINAL.exact)
    if first is None:
        raise ValueError(
            "expected kernels with which a machine can be trained on all rows, got none whose "
            "K(w) is positive semidefinite; fit again with these rows as X_unlabeled"
        )
    # No better than the fit was: what it could not close, no rows can.
    control = replace(control, tol=max(control.tol, known.gap))
    search = free_search(problem, first, control, units)
    newton, cuts = search.newton, search.newton.cuts
    assert cuts is not None
    cuts.add_vectors(lowest.vectors)
    newton.objective.n_solves = objective.n_solves
    newton.bundle.lower = known.lower_bound / units.value
    if search.transform is None:
        newton.first = first
        newton.bundle.add(_plane_of(problem, first, known, units))
    else:
        newton.history = [Step(objective.n_solves, first.upper, newton.bundle.lower)]
    outcome = search.outcome(first)
    solution, _ = certified_solution(
        problem, outcome, newton.objective.n_solves, control.tol, units, free=True
    )
    return ExtendedSolution(solution, cuts.vectors.shape[1])


def _into_cone(problem: WeightProblem, weights: Array, vectors: Array) -> Array:
    """The weights moved towards even ones until K(w) ⪰ 0 on all rows, hardly more than needed.

    As far as the span of the vectors asks for to begin with.
    """
    weight_set, even = problem.weight_set, problem.even
    forms = problem.cone.forms(vectors, vectors)
    here, there = np.tensordot(weights, forms, 1), np.tensordot(even, forms, 1)
    try:
        ratio = float(eigh(there - here, there, eigvals_only=True, check_finite=False)[-1])
    except LinAlgError:  # even weights are on the boundary of the cone
        return even
    share = STEP * max(1.0 - 1.0 / ratio, EPS) if ratio > 0 else EPS
    while share < 1.0:
        moved = (1.0 - share) * weights + share * even
        moved = rescaled_to_total(moved, weight_set.normaliser, weight_set.total)
        if is_psd_to_rounding(problem.cone.combine(moved, labelled_only=False)):
            return moved
        share *= STEP
    return even


def _plane_of(
    problem: WeightProblem, first: MachineEvaluation, known: Solution, units: Units
) -> Plane:
    """The plane that the coefficients of the fit make, in the solver's units."""
    coefs = list(np.atleast_2d(np.asarray(known.dual_coef)) / units.coef)
    applied = [problem.family.apply(coef) for coef in coefs]
    return first.objective.plane(coefs, applied, known.weights / units.kernel)
