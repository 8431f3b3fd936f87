r"""Solve a pair program to a certified gap, and express the result by few pairs.

The interior-point method gives every pair a coefficient. By Carathéodory's theorem r of them
suffice for the same :math:`w = G^\top\alpha`, and non-negative least squares finds such ones: a
learned kernel then costs r sections, however many pairs it was learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.solvers.pairs.certificate import (
    Candidate,
    Certificate,
    PairProgram,
    PairSolution,
    balanced,
    certify,
)
from kernlearn.solvers.pairs.interior import (
    CoordinateSystem,
    FreeSystem,
    Iterate,
    RowSystem,
    iterates,
)
from kernlearn.solvers.pairs.pair_kernel import DensePairKernel
from kernlearn.solvers.pairs.working_set import working_set_rounds
from kernlearn.typing import Array

# After every iteration: whether a certificate is worth its price, and what it would be of.
Candidates = Iterator[tuple[bool, Callable[[], Candidate]]]
# A method proposes candidates for a program and a tolerance.
PairMethod = Callable[[PairProgram, float], Candidates]

# The gap is certified once the iterates' own estimate is below this many tolerances.
_LOOK = 2.0
# Certified gaps that may fail to improve before a method has stopped.
_PATIENCE = 3


def working_sets(program: PairProgram, tol: float) -> Candidates:
    """The minimisers of working sets; a program that is not conic has none."""
    for found in working_set_rounds(program) if program.conic else ():
        yield found.right, found.candidate


def interior_points(program: PairProgram, tol: float) -> Candidates:
    """The iterates of the interior-point method."""
    columns = program.generators if program.conic else program.kernel.factored.pivots >= 0
    if not columns.any():
        return  # a matrix of zeros
    system = _system(program)
    for point in iterates(system, program.labels):
        # The objective as the iterate has it, before anything is made feasible.
        estimate = 0.5 * float(point.x @ system.curvature(point.x)) + point.loss
        yield point.complementarity <= _LOOK * tol * estimate, partial(_candidate, program, point)


def solve_pairs(
    program: PairProgram,
    tol: float = 1e-6,
    max_iter: int = 100,
    stopping: StoppingControl | None = None,
    methods: Sequence[PairMethod] = (working_sets, interior_points),
) -> PairSolution:
    """Solve the program to a relative duality gap of `tol`; inputs are checked.

    `certify` judges the solution and sets the status. Working sets come first; the interior-point
    method continues from their result. `max_iter` limits the iterations of both. `stopping` reports
    each iteration, and may end the search with the best certificate so far.
    """
    stopping = StoppingControl() if stopping is None else stopping
    if np.ptp(program.labels) == 0:
        return certify(program, _nothing_learned(program)).solution(tol, Status.INACCURATE, 0)
    search = _CertifiedSearch(program, tol, max_iter, stopping)
    try:
        for method in methods:
            if search.follow(method(program, tol)):
                break
    except (Stopped, KeyboardInterrupt) as stop:
        if search.latest is None:
            raise
        search.end(stopping.accept(stop))
    best = search.best or certify(program, _nothing_learned(program))
    best = _with_few_pairs(program, best, tol) if program.conic else best
    return _best_judged(program, best, tol).solution(tol, search.status, search.n_iter)


def _nothing_learned(program: PairProgram) -> Candidate:
    """The candidate before the first step: w = 0, and the best equal multipliers."""
    labels = program.labels
    a = balanced(np.full(len(labels), program.C), labels, program.C)
    square = float(program.kernel.squared_norm(program.kernel.lift(labels * a)))
    share = min(1.0, float(a.sum()) / square) if square > 0 else 1.0
    # Beyond the margin of pairs that all have one label.
    return Candidate(np.zeros(len(a)), 2.0 * float(np.sign(labels.sum())), share * a)


def _best_judged(program: PairProgram, found: Certificate, tol: float) -> Certificate:
    """The best certificate, in more digits if too few may be in the way.

    With w = 0 as good as the tolerance asks, and `found` not, the certificate of w = 0 is returned.
    """
    if found.gap <= tol:
        return found
    nothing = certify(program, _nothing_learned(program))
    if nothing.gap <= tol:
        return nothing
    return min(found, certify(program, found, precise=True), key=lambda one: one.gap)


def _system(program: PairProgram) -> FreeSystem:
    kernel, C = program.kernel, program.C
    if not program.conic:
        return FreeSystem(kernel.factored.factor, C)
    rows = np.flatnonzero(program.generators)
    everybody = len(rows) == kernel.n_pairs
    if isinstance(kernel, DensePairKernel):
        F = kernel.K if everybody else np.ascontiguousarray(kernel.K[rows]).T
        return CoordinateSystem(F, F[rows] / C, program.reach[rows])
    factor = kernel.factored.factor
    part = factor if everybody else np.ascontiguousarray(factor.T[:, rows]).T
    return RowSystem(factor, part, C, program.interior)


def _candidate(program: PairProgram, point: Iterate) -> Candidate:
    coef = np.zeros(len(program.labels))
    if program.conic:
        coef[program.generators] = point.alpha
    else:  # coefficients of the pivots alone with Gᵀα = w, by substitution
        factor, pivots = program.kernel.factored.factor, program.kernel.factored.pivots
        coef[pivots] = solve_triangular(factor[pivots], point.x, lower=True, trans="T")
    return Candidate(coef, point.b, program.C * point.a)


def _with_few_pairs(program: PairProgram, found: Certificate, tol: float) -> Certificate:
    """The same kernel by few pairs, if that reaches the tolerance; otherwise by all of them."""
    kernel = program.kernel
    if isinstance(kernel, DensePairKernel):
        coef = without_negligible_pairs(found.coef, kernel.lengths)
    else:
        coef = sparse_generators(kernel.factored.factor, found.coef, kernel.lift(found.coef))
    if np.array_equal(coef, found.coef):
        return found
    few = certify(program, Candidate(coef, found.intercept, found.dual_coef))
    return few if few.gap <= max(tol, found.gap) else found


@dataclass
class _CertifiedSearch:
    """The best certificate so far, and the steps of the search."""

    program: PairProgram
    tol: float
    max_iter: int
    stopping: StoppingControl
    n_iter: int = 0
    # Status of a search that did not end with a certificate that is good enough
    status: Status = Status.INACCURATE
    latest: Callable[[], Candidate] | None = None
    best: Certificate | None = None

    def follow(self, candidates: Candidates) -> bool:
        """Run a method to its end; return whether the search has ended too."""
        idle, unseen = 0, None
        for promising, candidate in candidates:
            self.n_iter += 1
            self.latest = candidate
            self._report(candidate)
            if self.n_iter >= self.max_iter:
                self.status = Status.ITERATION_LIMIT
                self.keep_if_better(candidate())
                return True
            if not promising:
                unseen = candidate
                continue
            unseen = None
            idle = 0 if self.keep_if_better(candidate()) else idle + 1
            if idle >= _PATIENCE or self._over:
                break
        if unseen is not None:
            self.keep_if_better(unseen())
        return self._over

    @property
    def _over(self) -> bool:
        return self.best is not None and self.best.gap <= self.tol

    def end(self, status: Status) -> None:
        """End early: the latest candidate counts too, whatever it promised."""
        self.status = status
        if self.latest is not None:
            self.keep_if_better(self.latest())

    def keep_if_better(self, candidate: Candidate) -> bool:
        """Whether it is better than all before; anything learned is better than nothing."""
        found = certify(self.program, candidate)
        better = self.best is None or found.gap < self.best.gap
        if better:
            self.best = found
        return better

    def _report(self, candidate: Callable[[], Candidate]) -> None:
        """A certificate takes a small part of a step's time; without a listener it is skipped."""
        if not self.stopping.listens:
            self.stopping.check()
            return
        found = certify(self.program, candidate())
        if self.best is not None:
            found = min(self.best, found, key=lambda one: one.gap)
        message = (
            f"{self.n_iter} steps, objective {found.objective:.6g}, lower bound "
            f"{found.lower_bound:.6g}"
        )
        self.stopping.report(message, found.objective, found.lower_bound, found.gap)


# A generator is a candidate if its share of w is above this part of the largest share. Shares of
# zero end near the tolerance of the method, far below.
_SHARE = 1e-6
# More candidates than this many times the rank are cut to those with the largest shares.
_CANDIDATES = 4


def sparse_generators(factor: Array, coef: Array, w: Array) -> Array:
    """Coefficients, mostly zero, with Gᵀα as near to w as the candidates allow."""
    lengths = np.sqrt(np.einsum("ij,ij->i", factor, factor))
    kept = without_negligible_pairs(coef, lengths)
    candidates = np.flatnonzero(kept)
    if len(candidates) == 0:
        return kept
    order = np.argsort(-(kept * lengths)[candidates], kind="stable")
    chosen = candidates[order[: _CANDIDATES * factor.shape[1]]]
    # Columns of one length: the method chooses by the gradient, which their scale would bend.
    try:
        solution = nnls(factor[chosen].T / lengths[chosen], w)[0]
    except RuntimeError:  # no convergence: the coefficients stay as they came
        return kept
    sparse: Array = np.zeros(len(coef))
    sparse[chosen] = solution / lengths[chosen]
    return sparse


def without_negligible_pairs(coef: Array, lengths: Array) -> Array:
    """The coefficients with zero for every share of w, α_p‖g_p‖, that is negligible."""
    shares = coef * lengths
    return np.where(shares > _SHARE * shares.max(initial=0.0), coef, 0.0)
