"""
The alignment with the labels: programs (53), (54), and the unnumbered one after (56).

They maximise ⟨K_tr, yyᵀ⟩_F over ⟨K, K⟩_F ≤ 1. With every point labelled, the value is n times the
alignment (7) of the best kernel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._cvxpy import Expression, as_vector, load_cvxpy, solve
from kernlearn.reference._lmi import combination, positive_semidefinite, square_root
from kernlearn.reference._margins import MarginProblem, gram_family, rank_one_family
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.typing import Array


def eq53(grams: ArrayLike, y: ArrayLike, solver: str = "CLARABEL") -> ReferenceSolution:
    r"""
    Program (53): free-sign weights, alignment.

    .. math::

        \max_{A, \mu} \Bigl\langle \sum_i \mu_i K_{i,tr}, y y^T \Bigr\rangle_F
        \quad\text{s.t.}\quad \operatorname{trace} A \le 1, \quad
        \begin{pmatrix} A & \sum_i \mu_i K_i^T \\ \sum_i \mu_i K_i & I_n \end{pmatrix} \succeq 0,
        \quad \sum_i \mu_i K_i \succeq 0

    Arguments as in `eq26`. The solution has the weights of a combination of Frobenius norm one, and
    no α.

    Examples
    --------
    >>> solution = eq53([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(3).tolist()
    (2.0, [0.5, 0.0])
    """
    return alignment_sdp(gram_family(grams, y, c=1.0), solver)


def alignment_sdp(family: MarginProblem, solver: str) -> ReferenceSolution:
    """Maximise the alignment over weights of any sign: program (53), or (49) with further rows."""
    cp = load_cvxpy()
    n, N, stack = family.y.size, family.n_points, family.kernels
    mu, A = cp.Variable(len(stack)), cp.Variable((N, N), symmetric=True)
    K = combination(stack, mu)
    constraints = [
        cp.trace(A) <= 1,
        cp.bmat([[A, K.T], [K, np.eye(N)]]) >> 0,
        positive_semidefinite(stack, mu),
        *family.rows(mu),
    ]
    objective = cp.sum(cp.multiply(K[:n, :n], np.outer(family.y, family.y)))
    return _maximise(objective, constraints, mu, family, solver)


def eq54(vectors: ArrayLike, y: ArrayLike, solver: str = "CLARABEL") -> ReferenceSolution:
    r"""
    Program (54): rank-one kernels, alignment.

    .. math::

        \max_{\mu} \sum_i \mu_i (\bar v_i^T y)^2 \quad\text{s.t.}\quad
        \sum_i \mu_i^2 \le 1, \quad \mu_i \ge 0

    with :math:`\bar v_i = v_i(1 : n_{tr})`.

    Arguments and solution as in `eq53`, with orthonormal `vectors` (N, m) on all points, in
    columns, for the kernels :math:`v_i v_i^T`.

    Examples
    --------
    >>> solution = eq54([[0.6, 0.8], [-0.8, 0.6]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (1.960408, [0.9998, 0.0204])
    """
    cp = load_cvxpy()
    family = rank_one_family(vectors, y, c=1.0)
    mu = cp.Variable(len(family.kernels))
    objective = mu @ (family.kernels[:, : family.y.size] @ family.y) ** 2
    return _maximise(objective, [cp.sum_squares(mu) <= 1, mu >= 0], mu, family, solver)


def after_eq56(grams: ArrayLike, y: ArrayLike, solver: str = "CLARABEL") -> ReferenceSolution:
    r"""
    The unnumbered program after (56): positive weights, alignment.

    .. math::

        \max_{\mu} \mu^T q \quad\text{s.t.}\quad \mu^T S \mu \le 1, \quad \mu \ge 0

    with :math:`q_i = y^T K_{i,tr} y` and :math:`S_{ij} = \langle K_i, K_j \rangle_F`.

    Arguments and solution as in `eq53`, with positive semidefinite matrices.

    Examples
    --------
    >>> solution = after_eq56([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(3).tolist()
    (2.0, [0.5, 0.0])
    """
    cp = load_cvxpy()
    family = gram_family(grams, y, c=1.0, psd=True)
    n, stack, mu = family.y.size, family.kernels, cp.Variable(len(family.kernels))
    q = np.einsum("j,ijk,k->i", family.y, stack[:, :n, :n], family.y)
    S = np.einsum("ikl,jkl->ij", stack, stack)
    norm = cp.sum_squares(square_root(S).T @ mu)
    return _maximise(mu @ q, [norm <= 1, mu >= 0], mu, family, solver)


def _maximise(
    objective: Expression,
    constraints: list[Expression],
    mu: Expression,
    family: MarginProblem,
    solver: str,
) -> ReferenceSolution:
    def weights() -> Array:
        return as_vector(mu.value) / family.kernel_units

    return solve(load_cvxpy().Maximize(objective), constraints, solver, weights=weights)
