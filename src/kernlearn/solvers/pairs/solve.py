"""Solve a pair program to a certified gap, and express the result by few pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from kernlearn.solvers.pairs.certificate import Certificate, certify, certify_free
from kernlearn.solvers.pairs.few import few_generators, without_dust
from kernlearn.solvers.pairs.interior import Point, iterates
from kernlearn.solvers.pairs.program import PairProgram, PairSolution
from kernlearn.solvers.pairs.spaces import DenseSpace, FactorSpace, Space
from kernlearn.solvers.pairs.systems import CoordinateSystem, FreeSystem, RowSystem, System
from kernlearn.solvers.solution import relative_gap
from kernlearn.solvers.status import Status

Array = NDArray[np.float64]
Report = Callable[[int, Certificate], None]

# The gap is looked at when what the iterates say of it is below this many tolerances.
_LOOK = 2.0
# Certified gaps that may fail to improve before the method has stopped.
_PATIENCE = 3


def solve_pairs(
    program: PairProgram, tol: float = 1e-6, max_iter: int = 100, report: Report | None = None
) -> PairSolution:
    """Solve the program to a relative duality gap of `tol`; inputs are checked.

    Parameters
    ----------
    program : PairProgram
        The program; one that is not conic comes with a factor.
    tol : float
        Relative duality gap to reach.
    max_iter : int
        Limit on the number of Newton steps.
    report : callable, optional
        Called with the number of steps and every certificate.
    """
    best: Certificate | None = None
    idle, n_iter, status = 0, 0, Status.INACCURATE
    for n_iter, point in enumerate(iterates(_system(program), program.labels), start=1):
        if n_iter < max_iter and program.C * point.complementarity > _LOOK * tol * abs(
            _estimate(program, point)
        ):
            continue
        found = _certificate(program, point)
        idle = 0 if best is None or _gap(found) < _gap(best) else idle + 1
        best = found if best is None else _better(best, found)
        if report is not None:
            report(n_iter, best)
        if _gap(best) <= tol or n_iter >= max_iter or idle >= _PATIENCE:
            status = Status.INACCURATE if n_iter < max_iter else Status.ITERATION_LIMIT
            break
    if best is None:
        best = _certificate(program, point)
    return _solution(program, best, status, n_iter, tol)


def _system(program: PairProgram) -> System:
    space, C = program.space, program.C
    if not program.conic:
        return FreeSystem(_factor_of(space).factor, C)
    rows = np.flatnonzero(program.generators)
    everybody = len(rows) == space.n_pairs
    if isinstance(space, DenseSpace):
        F = space.K if everybody else np.ascontiguousarray(space.K[rows]).T
        return CoordinateSystem(F, F[rows] / C, program.reach[rows])
    factor = _factor_of(space).factor
    part = factor if everybody else np.ascontiguousarray(factor.T[:, rows]).T
    return RowSystem(factor, part, C, program.interior)


def _estimate(program: PairProgram, point: Point) -> float:
    """The objective as the iterate has it, before anything is made feasible."""
    return program.C * point.loss


def _certificate(program: PairProgram, point: Point) -> Certificate:
    a = program.C * point.a
    if not program.conic:
        return certify_free(program, point.x, point.b, a)
    coef = np.zeros(len(program.labels))
    coef[program.generators] = point.alpha
    return certify(program, coef, point.b, a)


def _better(one: Certificate, other: Certificate) -> Certificate:
    return one if _gap(one) <= _gap(other) else other


def _gap(found: Certificate) -> float:
    return relative_gap(found.objective, found.lower_bound)


def _solution(
    program: PairProgram, found: Certificate, status: Status, n_iter: int, tol: float
) -> PairSolution:
    if program.conic:
        found = _with_few(program, found, tol)
    gap = _gap(found)
    return PairSolution(
        coef=found.coef if program.conic else _on_pivots(program, found.w),
        intercept=found.intercept,
        dual_coef=found.dual_coef,
        objective=found.objective,
        lower_bound=min(found.lower_bound, found.objective),
        gap=gap,
        status=Status.OPTIMAL if gap <= tol else status,
        n_iter=n_iter,
    )


def _with_few(program: PairProgram, found: Certificate, tol: float) -> Certificate:
    """The same kernel by few pairs, if that is as good as asked for; else by all of them."""
    space = program.space
    if isinstance(space, DenseSpace):
        coef = without_dust(found.coef, np.sqrt(space.K.diagonal()))
    else:
        coef = few_generators(_factor_of(space).factor, found.coef, found.w)
    few = certify(program, coef, found.intercept, found.dual_coef)
    return few if _gap(few) <= max(tol, _gap(found)) else found


def _on_pivots(program: PairProgram, w: Array) -> Array:
    """Coefficients of the pivots alone with Gᵀα = w, by substitution."""
    space = _factor_of(program.space)
    coef = np.zeros(space.n_pairs)
    coef[space.pivots] = solve_triangular(space.factor[space.pivots], w, lower=True, trans="T")
    return coef


def _factor_of(space: Space) -> FactorSpace:
    assert isinstance(space, FactorSpace)
    return space
