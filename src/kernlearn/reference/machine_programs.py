"""Any kernel machine as one convex program: at a fixed kernel, and over positive weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_grams, check_positive, check_positive_semidefinite
from kernlearn.reference._cvxpy import as_vector, load_cvxpy, solve
from kernlearn.reference._lmi import square_root
from kernlearn.reference.machines import state_machine
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.typing import Array


def positive_weights_program(
    grams: ArrayLike,
    y: ArrayLike | None,
    machine: str,
    *,
    C: float = 1.0,
    nu: float = 0.5,
    epsilon: float = 0.1,
    quantile: float = 0.5,
    constraint: str = "trace",
    total: float | None = None,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Minimise the value of a machine over positive weights of fixed trace or sum.

    .. math::

        \min_{w \ge 0,\; w^T r = c} \max_{a \in A} \ell(a) - \tfrac12 a^T K(w) a
        = \max_{a \in A,\, t} \ell(a) - c t \quad\text{s.t.}\quad
        t \ge \tfrac{1}{2 r_i} a^T K_{i,tr} a

    as in Theorem 17, for any concave ℓ and polytope A.

    Parameters
    ----------
    grams : array-like of shape (m, N, N)
        Positive semidefinite Gram matrices; the first ``len(y)`` points are the labelled ones.
    y : array-like of shape (n,), n ≤ N, or None
        Labels −1 and +1, or targets for regression; not read by ``"one_class"``, whose training
        points are the first ``len(y)``, or all for None.
    machine : str
        A key of `kernlearn.reference.MACHINES`, where each is written down.
    C, nu, epsilon, quantile : float
        Parameters of the machine; those that it has not are not read.
    constraint : {"trace", "sum"}
        Whether rᵢ is the trace of Kᵢ on all points, or one.
    total : float, optional
        The constant c; by default Σ trace Kᵢ, or 1 for the sum.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the value ``ℓ(a) − ½ aᵀKa``, the weights, and the signed coefficients as `alpha`.

    Examples
    --------
    >>> grams = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = positive_weights_program(grams, [1.0, -1.0], "epsilon_svr", epsilon=0.0)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.25, [2.0, 0.0])
    """
    cp = load_cvxpy()
    stack = check_grams(grams)
    check_positive_semidefinite(stack)
    r, c = _check_constraint(stack, constraint, total)
    # In matrices (c/rᵢ)Kᵢ the weights become shares, w_i r_i / c, that add up to one.
    state = state_machine(y, machine, stack * (c / r)[:, None, None], (C, nu, epsilon, quantile))
    t = cp.Variable()
    quadratic = [t >= cp.sum_squares(square_root(K) @ state.x) / 2 for K in state.grams]
    solution = solve(
        cp.Maximize(state.linear - t),
        [*quadratic, *state.polytope],
        solver,
        weights=lambda: np.concatenate([as_vector(q.dual_value) for q in quadratic]) * c / r,
        alpha=lambda: as_vector(state.x.value),
    )
    return state.in_user_units(solution)


def fixed_kernel_program(
    gram: ArrayLike,
    y: ArrayLike | None,
    machine: str,
    *,
    C: float = 1.0,
    nu: float = 0.5,
    epsilon: float = 0.1,
    quantile: float = 0.5,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    The value of a machine at one kernel, :math:`\max_{a \in A} \ell(a) - \tfrac12 a^T K a`.

    Arguments as in `positive_weights_program`, with one positive semidefinite matrix. The solution
    has the weight one, and the signed coefficients as `alpha`.

    Examples
    --------
    >>> solution = fixed_kernel_program([[1, -1], [-1, 1]], [1, -1], "soft_margin", C=10.0)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (0.5, [0.5, -0.5])
    """
    cp = load_cvxpy()
    stack = check_grams(np.asarray(gram, dtype=np.float64)[None])
    check_positive_semidefinite(stack)
    state = state_machine(y, machine, stack, (C, nu, epsilon, quantile))
    norm = cp.sum_squares(square_root(state.grams[0]) @ state.x)
    solution = solve(
        cp.Maximize(state.linear - norm / 2),
        state.polytope,
        solver,
        weights=lambda: np.ones(1),
        alpha=lambda: as_vector(state.x.value),
    )
    return state.in_user_units(solution)


def _check_constraint(stack: Array, constraint: str, total: float | None) -> tuple[Array, float]:
    if constraint not in ("trace", "sum"):
        raise ValueError(
            f"constraint: expected 'trace' or 'sum', got {constraint!r}; choose one of the two."
        )
    by_trace = constraint == "trace"
    r = np.trace(stack, axis1=1, axis2=2) if by_trace else np.ones(len(stack))
    default = float(r.sum()) if by_trace else 1.0
    return r, check_positive("total", default if total is None else total)
