"""Solving a CVXPY problem and reading the solution off it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.runtime.warning_filters import quiet_about

# An oracle should be more exact than what is held against it (1e-6), so Clarabel is first asked
# for 1e-10; where it stalls on the way, what meets its own ordinary tolerances (1e-8) is optimal
# all the same. Where not even that is reached, shorter steps often carry it through.
_TIGHT = {
    **dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-10),
    **dict.fromkeys(("reduced_tol_gap_abs", "reduced_tol_gap_rel", "reduced_tol_feas"), 1e-8),
}
_SHORT_STEPS = {"max_step_fraction": 0.9}
_WITHOUT_SOLUTION = ("infeasible", "unbounded")
SOLVED = ("optimal", "optimal_inaccurate")


def solve(problem: Any, solver: str) -> str:
    """Solve `problem` in place and return the status; a failing solver is a status, too."""
    cp = load_cvxpy()
    if solver not in cp.installed_solvers():
        raise ValueError(
            f"solver: expected one of {sorted(cp.installed_solvers())}, got {solver!r}; install "
            f"that solver or choose 'CLARABEL'."
        )
    if solver != "CLARABEL":
        return _attempt(problem, solver, {})
    status = _attempt(problem, solver, _TIGHT)
    if status in SOLVED:
        return "optimal"
    for options in (_SHORT_STEPS, {}):
        if status in SOLVED or status in _WITHOUT_SOLUTION:
            break
        status = _attempt(problem, solver, options)
    return status


def _attempt(problem: Any, solver: str, options: Mapping[str, float]) -> str:
    with quiet_about(UserWarning):  # CVXPY's, of inaccurate solutions: here the status says so
        try:
            # A warm start would silently keep the options of the attempt before.
            problem.solve(solver=solver, warm_start=False, **options)
        except load_cvxpy().error.SolverError:
            return "solver_error"
    return str(problem.status)


def solve_margin_sdp(
    t: Any, constraints: list[Any], mu: Any, nu_bound: Any, solver: str, *, tau: Any = None
) -> ReferenceSolution:
    """
    Minimise t subject to the constraints and to `nu_bound`, ν ≥ 0; inputs are checked.

    ν entered the program as the multiplier of α ≥ 0, by 2νᵀα; so its own multiplier is 2α.
    """
    cp = load_cvxpy()
    problem = cp.Problem(cp.Minimize(t), [*constraints, nu_bound])
    status = solve(problem, solver)
    if status not in SOLVED:
        return unsolved(problem, status)
    alpha = 0.5 * as_vector(nu_bound.dual_value)
    learned = None if tau is None else float(tau.value)
    return ReferenceSolution(float(problem.value), as_vector(mu.value), alpha, learned, status)


def solve_margin_qcqp(
    objective: Any,
    alpha: Any,
    quadratic: list[Any],
    others: list[Any],
    traces: NDArray[np.float64],
    solver: str,
    *,
    identity_last: bool = False,
) -> ReferenceSolution:
    """
    Maximise the objective subject to the quadratic and the other constraints; inputs are checked.

    The multipliers of the quadratic constraints ``t ≥ (1/rᵢ) …`` are μᵢrᵢ, and add up to c.
    With `identity_last` the last of them belongs to the identity, and its weight is τ.
    """
    cp = load_cvxpy()
    problem = cp.Problem(cp.Maximize(objective), [*quadratic, *others])
    status = solve(problem, solver)
    if status not in SOLVED:
        return unsolved(problem, status)
    mu = np.concatenate([as_vector(q.dual_value) for q in quadratic]) / traces
    tau = float(mu[-1]) if identity_last else None
    weights = mu[:-1] if identity_last else mu
    return ReferenceSolution(float(problem.value), weights, as_vector(alpha.value), tau, status)


def unsolved(problem: Any, status: str) -> ReferenceSolution:
    """The solution of a problem that has none: ±∞ as CVXPY reports it, or NaN after a failure."""
    infinite = problem.value is not None and np.isinf(problem.value)
    value = float(problem.value) if infinite and status != "solver_error" else float("nan")
    return ReferenceSolution(value, None, None, None, status)


def as_vector(array: Any) -> NDArray[np.float64]:
    """A copy of a CVXPY value as a vector of floats."""
    return np.array(array, dtype=np.float64).reshape(-1)
