"""
The 2-norm soft margin with a learned τ = 1/C: programs (45), (46) and (47).

The identity on all N points is one more matrix of the family, of trace N (the paper's n), and its
weight is τ. N divides αᵀα in (46) and (47), although α lives on the labelled points only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._family import gram_family, rank_one_family
from kernlearn.reference._lmi import margin_lmi, positive_semidefinite
from kernlearn.reference._solve import solve_margin_qcqp, solve_margin_sdp
from kernlearn.reference.solution import ReferenceSolution


def eq45(
    grams: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (45): free-sign weights, 2-norm soft margin, τ learned.

    .. math::

        \min_{\mu, t, \lambda, \nu, \tau} t \quad\text{s.t.}\quad
        \operatorname{trace}\Bigl(\sum_i \mu_i K_i + \tau I_n\Bigr) = c, \quad
        \sum_i \mu_i K_i \succeq 0, \quad
        \begin{pmatrix} G(\sum_i \mu_i K_{i,tr}) + \tau I_{n_{tr}} & e + \nu + \lambda y \\
        (e + \nu + \lambda y)^T & t \end{pmatrix} \succeq 0, \quad \nu, \tau \ge 0

    Parameters
    ----------
    grams : array-like of shape (m, N, N)
        Gram matrices on all points; the first ``len(y)`` points are the labelled ones.
    y : array-like of shape (n,), n ≤ N
        Labels, −1 and +1.
    c : float, optional
        Trace of the combination and τI together; by default Σ trace Kᵢ + N.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the paper's objective and τ.

    Examples
    --------
    >>> solution = eq45([[[1, 1], [1, 1]]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.0, 2.0)
    """
    cp = load_cvxpy()
    family, units = gram_family(grams, y, c, identity=True)
    n, e = family.n_labelled, np.ones(family.n_labelled)
    mu, t, lam, nu = cp.Variable(family.m), cp.Variable(), cp.Variable(), cp.Variable(n)
    tau = cp.Variable()
    constraints = [
        family.r @ mu + family.n_points * tau == family.c,
        positive_semidefinite(family, mu),
        *margin_lmi(family, mu, e + nu + lam * family.y, t, ridge=tau),
        tau >= 0,
    ]
    return units.restore(solve_margin_sdp(t, constraints, mu, nu >= 0, solver, tau=tau))


def eq46(
    vectors: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (46): rank-one kernels, 2-norm soft margin, τ learned.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - c t \quad\text{s.t.}\quad
        t \ge (\check v_i^T \alpha)^2, \quad t \ge \tfrac{1}{n} \alpha^T \alpha, \quad
        \alpha^T y = 0, \quad \alpha \ge 0

    with :math:`\check v_i = \operatorname{diag}(y)\, v_i(1 : n_{tr})`.

    Parameters
    ----------
    vectors : array-like of shape (N, m)
        Orthonormal vectors in columns, on all points; the kernels are :math:`v_i v_i^T`.
    y, solver
        As in `eq45`.
    c : float, optional
        Trace of the combination and τI together; by default m + N.

    Returns
    -------
    ReferenceSolution
        With the paper's objective, and the weights and τ from the multipliers.

    Examples
    --------
    >>> solution = eq46([[0.6], [0.8]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.333333, 1.5)
    """
    cp = load_cvxpy()
    family, units = rank_one_family(vectors, y, c, identity=True)
    alpha, t = cp.Variable(family.n_labelled), cp.Variable()
    quadratic = [t >= cp.square(v @ alpha) for v in family.signed.T]
    quadratic.append(t >= cp.sum_squares(alpha) / family.n_points)
    others = [alpha @ family.y == 0, alpha >= 0]
    traces = np.append(family.r, family.n_points)
    objective = 2 * cp.sum(alpha) - family.c * t
    return units.restore(
        solve_margin_qcqp(objective, alpha, quadratic, others, traces, solver, identity_last=True)
    )


def eq47(
    grams: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (47): positive weights, 2-norm soft margin, τ learned.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - c t \quad\text{s.t.}\quad
        t \ge \tfrac{1}{r_i} \alpha^T G(K_{i,tr}) \alpha, \quad
        t \ge \tfrac{1}{n} \alpha^T \alpha, \quad \alpha^T y = 0, \quad \alpha \ge 0

    with :math:`r_i = \operatorname{trace} K_i`.

    Parameters
    ----------
    grams, y, c, solver
        As in `eq45`; every matrix has to be positive semidefinite.

    Returns
    -------
    ReferenceSolution
        With the paper's objective, and the weights and τ from the multipliers.

    Examples
    --------
    >>> solution = eq47([[[1, 1], [1, 1]]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.0, 2.0)
    """
    cp = load_cvxpy()
    family, units = gram_family(grams, y, c, psd=True, identity=True)
    alpha, t = cp.Variable(family.n_labelled), cp.Variable()
    forms = family.quadratic_forms(alpha)
    quadratic = [t >= form / r for form, r in zip(forms, family.r, strict=True)]
    quadratic.append(t >= cp.sum_squares(alpha) / family.n_points)
    others = [alpha @ family.y == 0, alpha >= 0]
    traces = np.append(family.r, family.n_points)
    objective = 2 * cp.sum(alpha) - family.c * t
    return units.restore(
        solve_margin_qcqp(objective, alpha, quadratic, others, traces, solver, identity_last=True)
    )
