"""The one place that imports CVXPY, solves with it and reads its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from kernlearn.reference.solution import ReferenceSolution
from kernlearn.runtime import optional
from kernlearn.runtime.warning_filters import quiet_about
from kernlearn.typing import Array

Expression: TypeAlias = Any
"""A CVXPY variable, expression or constraint; mypy does not see CVXPY, an optional package."""

# An oracle should be more exact than the solutions held against it (1e-6), so Clarabel is first
# asked for 1e-10. If it stalls on the way, a solution within its ordinary tolerances (1e-8) counts
# as optimal all the same. If these are missed as well, shorter steps often carry it through.
_TIGHT = {
    **dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-10),
    **dict.fromkeys(("reduced_tol_gap_abs", "reduced_tol_gap_rel", "reduced_tol_feas"), 1e-8),
}
_SHORT_STEPS = {"max_step_fraction": 0.9}
_WITHOUT_SOLUTION = ("infeasible", "unbounded")
_SOLVED = ("optimal", "optimal_inaccurate")
# Imported at the first call, not with the package: it is optional, and takes a second to import.
load_cvxpy = partial(optional.load_cvxpy, "a reference program")


def solve(
    goal: Expression,
    constraints: list[Expression],
    solver: str,
    *,
    weights: Callable[[], Array],
    alpha: Callable[[], Array | None] = lambda: None,
    tau: Callable[[], float | None] = lambda: None,
) -> ReferenceSolution:
    """
    Solve a program; the functions read its solution and are called only if there is one.

    Without a solution the value is ±∞ as CVXPY reports it, or NaN if the solver failed.
    """
    problem = load_cvxpy().Problem(goal, constraints)
    status = _status(problem, solver)
    if status in _SOLVED:
        return ReferenceSolution(float(problem.value), weights(), alpha(), tau(), status)
    infinite = problem.value is not None and np.isinf(problem.value)
    value = float(problem.value) if infinite and status != "solver_error" else float("nan")
    return ReferenceSolution(value, None, None, None, status)


def as_vector(array: Expression) -> Array:
    """A copy of a CVXPY value as a vector of floats."""
    return np.array(array, dtype=np.float64).reshape(-1)


@cache
def _installed_solvers() -> frozenset[str]:
    """Names of the solvers; CVXPY looks for the packages of all that it knows."""
    return frozenset(load_cvxpy().installed_solvers())


def _status(problem: Expression, solver: str) -> str:
    """Solve `problem` in place and return the status; a failing solver is a status, too."""
    if solver not in _installed_solvers():
        raise ValueError(
            f"solver: expected one of {sorted(_installed_solvers())}, got {solver!r}; install "
            f"that solver or choose 'CLARABEL'."
        )
    if solver != "CLARABEL":
        return _attempt(problem, solver, {})
    status = _attempt(problem, solver, _TIGHT)
    if status in _SOLVED:
        return "optimal"
    for options in (_SHORT_STEPS, {}):
        if status in _SOLVED or status in _WITHOUT_SOLUTION:
            break
        status = _attempt(problem, solver, options)
    return status


def _attempt(problem: Expression, solver: str, options: Mapping[str, float]) -> str:
    with quiet_about(UserWarning):  # CVXPY's, of inaccurate solutions: here the status says so
        try:
            # A warm start would silently keep the options of the attempt before.
            problem.solve(solver=solver, warm_start=False, **options)
        except load_cvxpy().error.SolverError:
            return "solver_error"
    return str(problem.status)
