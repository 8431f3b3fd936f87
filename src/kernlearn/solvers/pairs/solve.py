"""Solve a pair program to a certified gap, and express the result by few pairs."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.linalg import solve_triangular

from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.pairs.caratheodory import few_generators, without_dust
from kernlearn.solvers.pairs.certificate import Candidate, Certificate, balanced, certify
from kernlearn.solvers.pairs.interior import Point, iterates
from kernlearn.solvers.pairs.program import PairProgram, PairSolution
from kernlearn.solvers.pairs.search import Candidates, Search
from kernlearn.solvers.pairs.sifting import sift
from kernlearn.solvers.pairs.spaces import DenseSpace, FactorSpace
from kernlearn.solvers.pairs.systems import CoordinateSystem, FreeSystem, RowSystem, System
from kernlearn.typing import Array

# The gap is looked at when what the iterates say of it is below this many tolerances.
_LOOK = 2.0


def solve_pairs(
    program: PairProgram,
    tol: float = 1e-6,
    max_iter: int = 100,
    stopping: StoppingControl | None = None,
) -> PairSolution:
    """Solve the program to a relative duality gap of `tol`; inputs are checked.

    What is returned is judged by `certify`, and the status is what that says. A conic program is
    sifted first, and what sifting leaves open is for the interior-point method.

    Parameters
    ----------
    program : PairProgram
        The program.
    tol : float
        Relative duality gap to reach.
    max_iter : int
        Limit on the number of rounds of sifting and Newton steps together.
    stopping : StoppingControl, optional
        Told of each of these; may end it early, with the best certificate so far.
    """
    stopping = StoppingControl() if stopping is None else stopping
    if np.ptp(program.labels) == 0:
        return certify(program, _nothing_learned(program)).solution(tol, Status.INACCURATE, 0)
    search = Search(program, tol, max_iter, stopping)
    try:
        over = program.conic and search.follow(_sifted(program))
        if not over:
            search.follow(_interior(program, tol))
    except (Stopped, KeyboardInterrupt) as stop:
        if search.latest is None:
            raise
        search.end(stopping.accept(stop))
    best = search.best or certify(program, _nothing_learned(program))
    best = _with_few(program, best, tol) if program.conic else best
    return _settled(program, best, tol).solution(tol, search.status, search.n_iter)


def _nothing_learned(program: PairProgram) -> Candidate:
    """What is known before the first step: w = 0, and the best equal multipliers."""
    labels = program.labels
    a = balanced(np.full(len(labels), program.C), labels, program.C)
    square = float(program.space.squared_norm(program.space.lift(labels * a)))
    share = min(1.0, float(a.sum()) / square) if square > 0 else 1.0
    # Beyond the margin of pairs that all have one label.
    return Candidate(np.zeros(len(a)), 2.0 * float(np.sign(labels.sum())), share * a)


def _settled(program: PairProgram, found: Certificate, tol: float) -> Certificate:
    """What is returned: with more digits where too few may be in the way.

    Nothing is returned where it is good enough and what was learned is not.
    """
    if found.gap <= tol:
        return found
    nothing = certify(program, _nothing_learned(program))
    if nothing.gap <= tol:
        return nothing
    same = Candidate(found.coef, found.intercept, found.dual_coef)
    return min(found, certify(program, same, precise=True), key=lambda one: one.gap)


def _sifted(program: PairProgram) -> Candidates:
    for found in sift(program):
        yield found.right, found.candidate


def _interior(program: PairProgram, tol: float) -> Candidates:
    columns = program.generators if program.conic else program.space.factored.pivots >= 0
    if not columns.any():
        return  # a matrix of zeros
    system = _system(program)
    for point in iterates(system, program.labels):
        # The objective as the iterate has it, before anything is made feasible.
        estimate = 0.5 * float(point.x @ system.curvature(point.x)) + point.loss
        yield point.complementarity <= _LOOK * tol * estimate, partial(_candidate, program, point)


def _system(program: PairProgram) -> System:
    space, C = program.space, program.C
    if not program.conic:
        return FreeSystem(space.factored.factor, C)
    rows = np.flatnonzero(program.generators)
    everybody = len(rows) == space.n_pairs
    if isinstance(space, DenseSpace):
        F = space.K if everybody else np.ascontiguousarray(space.K[rows]).T
        return CoordinateSystem(F, F[rows] / C, program.reach[rows])
    factor = space.factored.factor
    part = factor if everybody else np.ascontiguousarray(factor.T[:, rows]).T
    return RowSystem(factor, part, C, program.interior)


def _candidate(program: PairProgram, point: Point) -> Candidate:
    a = program.C * point.a
    if not program.conic:
        return Candidate(_on_pivots(program.space.factored, point.x), point.b, a)
    coef = np.zeros(len(program.labels))
    coef[program.generators] = point.alpha
    return Candidate(coef, point.b, a)


def _with_few(program: PairProgram, found: Certificate, tol: float) -> Certificate:
    """The same kernel by few pairs, if that is as good as asked for; else by all of them."""
    space = program.space
    if isinstance(space, DenseSpace):
        coef = without_dust(found.coef, space.lengths)
    else:
        coef = few_generators(space.factored.factor, found.coef, space.lift(found.coef))
    if np.array_equal(coef, found.coef):
        return found
    few = certify(program, Candidate(coef, found.intercept, found.dual_coef))
    return few if few.gap <= max(tol, found.gap) else found


def _on_pivots(space: FactorSpace, w: Array) -> Array:
    """Coefficients of the pivots alone with Gᵀα = w, by substitution."""
    coef = np.zeros(space.n_pairs)
    coef[space.pivots] = solve_triangular(space.factor[space.pivots], w, lower=True, trans="T")
    return coef
