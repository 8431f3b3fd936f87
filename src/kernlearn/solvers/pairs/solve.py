"""Solve a pair program to a certified gap, and express the result by few pairs."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from kernlearn._patience import Patience, Stopped
from kernlearn.solvers.pairs.certificate import Certificate, certify, certify_free
from kernlearn.solvers.pairs.few import few_generators, without_dust
from kernlearn.solvers.pairs.interior import Point, iterates
from kernlearn.solvers.pairs.program import PairProgram, PairSolution
from kernlearn.solvers.pairs.search import Candidates, Search, gap_of
from kernlearn.solvers.pairs.sifting import sift
from kernlearn.solvers.pairs.spaces import DenseSpace, FactorSpace, Space
from kernlearn.solvers.pairs.systems import CoordinateSystem, FreeSystem, RowSystem, System
from kernlearn.solvers.status import Status

Array = NDArray[np.float64]

# The gap is looked at when what the iterates say of it is below this many tolerances.
_LOOK = 2.0


def solve_pairs(
    program: PairProgram,
    tol: float = 1e-6,
    max_iter: int = 100,
    patience: Patience | None = None,
) -> PairSolution:
    """Solve the program to a relative duality gap of `tol`; inputs are checked.

    A conic program is sifted first, and what sifting leaves open is for the interior-point method.

    Parameters
    ----------
    program : PairProgram
        The program; one that is not conic comes with a factor.
    tol : float
        Relative duality gap to reach.
    max_iter : int
        Limit on the number of rounds of sifting and Newton steps together.
    patience : Patience, optional
        Told of each of these; may end it early, with the best certificate so far.
    """
    patience = Patience() if patience is None else patience
    search = Search(_nothing_learned(program), tol, max_iter, patience)
    try:
        over = program.conic and search.follow(_sifted(program))
        if not over:
            search.follow(_interior(program, tol))
    except (Stopped, KeyboardInterrupt) as stop:
        if search.latest is None:
            raise
        search.end(patience.accept(stop))
    return _solution(program, search.best, search.status, search.n_iter, tol)


def _nothing_learned(program: PairProgram) -> Certificate:
    """What is known before the first step: w = 0."""
    nothing = np.zeros(len(program.labels))
    if program.conic:
        return certify(program, nothing, 0.0, nothing)
    return certify_free(program, program.space.lift(nothing), 0.0, nothing)


def _sifted(program: PairProgram) -> Candidates:
    for found in sift(program):
        yield found.right, found.certificate


def _interior(program: PairProgram, tol: float) -> Candidates:
    for point in iterates(_system(program), program.labels):
        left = program.C * point.complementarity
        promising = left <= _LOOK * tol * abs(_estimate(program, point))
        yield promising, partial(_certificate, program, point)


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


def _solution(
    program: PairProgram, found: Certificate, status: Status, n_iter: int, tol: float
) -> PairSolution:
    if program.conic:
        found = _with_few(program, found, tol)
    gap = gap_of(found)
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
    return few if gap_of(few) <= max(tol, gap_of(found)) else found


def _on_pivots(program: PairProgram, w: Array) -> Array:
    """Coefficients of the pivots alone with Gᵀα = w, by substitution."""
    space = _factor_of(program.space)
    coef = np.zeros(space.n_pairs)
    coef[space.pivots] = solve_triangular(space.factor[space.pivots], w, lower=True, trans="T")
    return coef


def _factor_of(space: Space) -> FactorSpace:
    assert isinstance(space, FactorSpace)
    return space
