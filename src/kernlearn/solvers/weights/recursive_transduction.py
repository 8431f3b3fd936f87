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
2. Otherwise a Newton step is taken from them: the model of the objective at the old weights, which
   are the minimum over the larger set, is minimised with cuts by eigenvectors over all rows. Its
   minimum is inside of the cone and near that of the objective. Newton's method goes on from there,
   with the old machine's plane and the old bound, if the gap is not closed yet.
3. If no such step is found, the old weights are moved towards even ones until K(w) ⪰ 0. If the gap
   cannot be closed from where the search began, the weights are learned anew, as by a fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, eigh

from kernlearn.families.base import Family
from kernlearn.families.matrices import GramStack
from kernlearn.gram.eigen import lowest_eigenpairs
from kernlearn.numerics.sums import EPS
from kernlearn.quality.machine import Machine
from kernlearn.solvers.core.oracle import MachineEvaluation, MachineObjective, Penalty
from kernlearn.solvers.core.problem import (
    Control,
    Units,
    WeightProblem,
    WeightSet,
)
from kernlearn.solvers.core.solution import Solution
from kernlearn.solvers.weights.feasible_weights import is_psd_to_rounding, rescaled_to_total
from kernlearn.solvers.weights.finalize import OPTIONS as FINAL
from kernlearn.solvers.weights.finalize import certified_solution
from kernlearn.solvers.weights.newton import Newton
from kernlearn.solvers.weights.psd_cuts import rough_eigenpairs
from kernlearn.solvers.weights.search import FreeCoordinates, free_search, learn_free
from kernlearn.typing import Array

FIRST_CUTS = 4  # lowest eigenvectors of K(w), whose cuts are close to those at the optimum
SHIFT = 1e-3  # of the mean eigenvalue, to begin with, for the inverse whose Lanczos steps find them
STEP = 1.5  # by which the share of even weights grows on the way into the cone


@dataclass(frozen=True, eq=False)
class ExtendedSolution:
    """Weights for more rows, and the number of cuts added for them."""

    solution: Solution
    n_cuts: int  # eigenvector cuts that were added
    coordinates: FreeCoordinates  # of use to a further extension


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


@dataclass(frozen=True, eq=False)
class FurtherRows:
    """The matrices with the new rows below those of the fit, and what is known of them."""

    matrices: GramStack
    lowest: LowestEigenpairs  # of K(w) on all rows at the weights of the fit
    coordinates: FreeCoordinates | None = None  # those of an earlier extension


def extend_weights(
    family: Family,
    rows: FurtherRows,
    machines: Sequence[Machine],
    weight_set: WeightSet,
    known: Solution,
    control: Control,
    penalty: Penalty | None = None,
) -> ExtendedSolution:
    """Weights with K(w) ⪰ 0 on more rows than those of the fit (inputs are checked).

    `family` holds the matrices of the fit, and `known` its solution.
    """
    matrices = rows.matrices
    problem, units = WeightProblem.in_units(family, machines, weight_set, penalty, matrices)
    coordinates = rows.coordinates
    if coordinates is None:
        coordinates = FreeCoordinates.of(problem, problem.even)
    else:
        coordinates = coordinates.on_rows(matrices)
    # No better than the fit was: what it could not close, no rows can.
    near = replace(control, tol=max(control.tol, known.gap))
    newton = free_search(problem, coordinates, near, units)
    assert newton.cuts is not None
    newton.bundle.lower = known.lower_bound / units.value
    newton.cuts.add_vectors(rows.lowest.vectors)
    _begin(newton, coordinates, problem, known, rows.lowest, units)
    outcome = replace(newton.run(), transform=coordinates.transform)
    n_solves, n_cuts = newton.objective.n_solves, newton.cuts.vectors.shape[1]
    solution, _ = certified_solution(problem, outcome, n_solves, control.tol, units, free=True)
    found = ExtendedSolution(solution, n_cuts, coordinates)
    if solution.status.is_optimal or known.gap > control.tol or control.stopping.stopped:
        return found
    again, n_further = learn_free(problem, control, units)
    again = replace(again, lower=max(again.lower, outcome.lower))
    n_solves = n_further + solution.n_machine_solves
    anew, _ = certified_solution(problem, again, n_solves, control.tol, units, free=True)
    best = anew if anew.gap < solution.gap else replace(solution, n_machine_solves=n_solves)
    return replace(found, solution=best)


def _begin(
    newton: Newton,
    coordinates: FreeCoordinates,
    problem: WeightProblem,
    known: Solution,
    lowest: LowestEigenpairs,
    units: Units,
) -> None:
    """The first evaluation inside of the cone: by a step from the fit, or towards even weights."""
    objective, weights = newton.objective, known.weights / units.kernel
    assert isinstance(objective, MachineObjective)

    def searched(weights: Array) -> Array:
        return newton.domain.weights(coordinates.coordinates(weights))

    coefs = list(np.atleast_2d(np.asarray(known.dual_coef)) / units.coef)
    before = objective.evaluate_near(searched(weights), coefs, FINAL.exact)
    if before is not None and _stepped_inside(newton, before):
        return
    moved = _into_cone(problem, weights, lowest.vectors)
    newton.first = objective.evaluate(searched(moved), before, FINAL.exact)
    if newton.first is None:  # a machine without a loss that the narrower kernel does not separate
        newton.first = objective.evaluate(searched(problem.even), None, FINAL.exact)
    if newton.first is None:
        raise ValueError(
            "expected kernels with which a machine can be trained on all rows, got none whose "
            "K(w) is positive semidefinite; fit again with these rows as X_unlabeled"
        )


def _stepped_inside(newton: Newton, outside: MachineEvaluation) -> bool:
    """Begin with a step from an evaluation outside of the cone; False if there is none.

    The model at the minimum over the larger cone is good near that of the smaller one.
    """
    domain = newton.domain
    newton.bundle.add(outside.plane)
    x, is_inside = newton.minimum_in_cone(outside, domain.coordinates(outside.weights))
    if is_inside:
        newton.first = newton.objective.evaluate(domain.weights(x), outside, 0.25 * newton.tol)
    return newton.first is not None


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
