"""The result of learning a combination of kernels, and the reports of its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from kernlearn.runtime.status import Status
from kernlearn.runtime.stopping import Stopped, StoppingControl
from kernlearn.typing import Array

# Ordinary problems take 3 to 10 evaluations of the objective; from here on one may wonder.
MANY_EVALUATIONS = 15


@dataclass(frozen=True)
class Step:
    """Objective and lower bound after one evaluation.

    Attributes
    ----------
    n_machine_solves : int
        Machines that were solved by then.
    objective : float
        The objective reached by then.
    lower_bound : float
        The lower bound by then.
    """

    n_machine_solves: int
    objective: float
    lower_bound: float


@dataclass(frozen=True, eq=False)
class Solution:
    """Learned weights, the machine trained with them, and the certificate.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        One weight per Gram matrix; exactly zero for a matrix that is not used. NaN if there is
        no solution.
    objective : float
        The minimum found: V(K(w)) plus the penalty; minus the alignment for an alignment,
        −log det K(w) for the largest determinant. NaN if there is no solution.
    lower_bound : float
        No choice of weights has a smaller objective than this.
    gap : float
        ``(objective − lower_bound) / |objective|``, the relative duality gap that ``tol`` bounds.
        If the objective is zero, the gap is zero if the bound is, and infinite otherwise.
    dual_coef : ndarray of shape (n,) or (k, n), or None
        Signed dual coefficients of the machine, or of the k machines; the function is
        ``K(w) @ dual_coef + intercept``. None for an alignment or a determinant, which train no
        machine.
    intercept : float or ndarray of shape (k,), or None
        Intercept of that function; minus the threshold for a one-class machine.
    n_machine_solves : int
        Number of machines solved in all, including machines on a sample of the points.
    status : Status
        Status of the solution; its text is a sentence.
    learned_C : float or None
        1/τ, where ``C="learn"``.
    negative_eigenvalue : float
        The smallest eigenvalue of K(w) if it is below zero by more than rounding, else zero. Its
        possible cost is taken off ``lower_bound``.
    history : tuple of Step
        Objective and lower bound after every evaluation.
    """

    weights: Array
    objective: float
    lower_bound: float
    gap: float = field(init=False)
    dual_coef: Array | None
    intercept: float | Array | None
    n_machine_solves: int
    status: Status
    learned_C: float | None = None
    negative_eigenvalue: float = 0.0
    history: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "gap", relative_gap(self.objective, self.lower_bound))

    @property
    def remark(self) -> str:
        """Reason why the solution took long, in words; empty if it did not."""
        if len(self.history) < MANY_EVALUATIONS:
            return ""
        return (
            f"took {len(self.history)} evaluations of the objective, where 3 to 10 are usual: "
            "kernels that all but depend on one another, sizes that differ by many orders of "
            "magnitude, or a penalty that nearly balances the quality leave only short steps; "
            "normalise the kernels, leave some out, or ask for a larger tol"
        )


def without_function(solution: Solution) -> Solution:
    """The solution with the zero function, whose value is zero, in place of rounding errors."""
    return replace(
        solution,
        objective=0.0,
        dual_coef=np.zeros_like(solution.dual_coef),
        intercept=np.zeros_like(solution.intercept),
    )


def relative_gap(objective: float, lower_bound: float) -> float:
    """``(objective − bound) / |objective|``; at an objective of zero, zero or infinity."""
    gap = objective - lower_bound
    if gap == 0.0:
        return 0.0
    return gap / abs(objective) if objective else float("inf")


def report_steps(
    stopping: StoppingControl, translate: Callable[[Step], Step], bound: float | None = None
) -> Callable[[Step], None]:
    """Pass a step on in the user's units; with the bound of a larger problem, if that is given."""

    def report(step: Step) -> None:
        step = translate(step)
        solves = step.n_machine_solves
        effort = f"machine solve {solves}, " if solves else "no machine yet, "
        if bound is not None:
            step, effort = replace(step, lower_bound=bound), ""
        message = f"{effort}objective {step.objective:.6g}"
        if step.lower_bound == -np.inf:
            stopping.report(message, step.objective)
            return
        gap = relative_gap(step.objective, step.lower_bound)
        message += f", relative gap {gap:.1e}"
        stopping.report(message, step.objective, step.lower_bound, gap)

    return report


def report_step(stopping: StoppingControl, step: Step) -> Status | None:
    """Report a step; return how the fit has to end, or None."""
    try:
        report_steps(stopping, lambda same: same)(step)
    except (Stopped, KeyboardInterrupt) as stop:
        return stopping.accept(stop)
    return None
