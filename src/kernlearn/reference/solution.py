"""The solution of a reference program."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernlearn.typing import Array


@dataclass(frozen=True, eq=False)
class ReferenceSolution:
    """
    Solution of a reference program, in the convention of the program itself.

    Attributes
    ----------
    value : float
        Optimal value. For the numbered programs it is the paper's objective, twice the objective
        of the rest of the library for Lanckriet's margins; for the machines it is
        ``ℓ(a) − ½ aᵀKa`` itself. A program without a solution has an infinite value (no kernel of
        the family separates the labels, say), and a failed solve has NaN: look at `status`.
    weights : ndarray of shape (m,) or None
        Weights of the kernels, μ or β in the papers. For the programs in α they are the
        multipliers of the quadratic constraints divided by the traces.
    alpha : ndarray of shape (n,) or None
        Dual coefficients: the paper's α ≥ 0 for the numbered programs, the signed coefficients
        ``a`` for the machines, None for the alignment.
    tau : float or None
        The learned 2-norm parameter τ = 1/C of (45), (46) and (47), None elsewhere.
    status : str
        CVXPY's status: ``"optimal"``, ``"optimal_inaccurate"``, ``"infeasible"``,
        ``"unbounded"``, ..., or ``"solver_error"``.
    """

    value: float
    weights: Array | None
    alpha: Array | None
    tau: float | None
    status: str


def in_user_units(
    solution: ReferenceSolution,
    *,
    value: float,
    alpha: float,
    weights: Array | float = 1.0,
    tau: float = 1.0,
) -> ReferenceSolution:
    """Multiply each part of a solution with its unit."""
    if solution.weights is None:
        return solution
    return replace(
        solution,
        value=value * solution.value,
        weights=weights * solution.weights,
        alpha=None if solution.alpha is None else alpha * solution.alpha,
        tau=None if solution.tau is None else tau * solution.tau,
    )
