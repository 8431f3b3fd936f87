"""
The hard margin: programs (31), (32) and (33).

They minimise ω(K) = max 2αᵀe − αᵀG(K)α over α ≥ 0, αᵀy = 0 (2). Where no kernel of the family
separates the labels, (31) is infeasible and (32), (33) are unbounded; the status says which.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.reference._margins import gram_family, margin_qcqp, margin_sdp, rank_one_family
from kernlearn.reference.solution import ReferenceSolution


def eq31(
    grams: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (31): free-sign weights, hard margin.

    .. math::

        \min_{\mu, t, \lambda, \nu} t \quad\text{s.t.}\quad
        \operatorname{trace} \sum_i \mu_i K_i = c, \quad \sum_i \mu_i K_i \succeq 0, \quad
        \begin{pmatrix} G(\sum_i \mu_i K_{i,tr}) & e + \nu + \lambda y \\
        (e + \nu + \lambda y)^T & t \end{pmatrix} \succeq 0, \quad \nu \ge 0

    Parameters
    ----------
    grams : array-like of shape (m, N, N)
        Gram matrices on all points; the first ``len(y)`` points are the labelled ones.
    y : array-like of shape (n,), n ≤ N
        Labels, −1 and +1.
    c : float, optional
        Trace of the combination on all points; by default Σ trace Kᵢ.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the paper's objective, 1/γ² for the margin γ.

    Examples
    --------
    >>> solution = eq31([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1])
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (0.5, [0.25, 0.25])
    """
    return margin_sdp(gram_family(grams, y, c), solver)


def eq32(
    vectors: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (32): rank-one kernels, hard margin.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - c t \quad\text{s.t.}\quad
        t \ge (\check v_i^T \alpha)^2, \quad \alpha^T y = 0, \quad \alpha \ge 0

    with :math:`\check v_i = \operatorname{diag}(y)\, v_i(1 : n_{tr})`.

    Arguments as in `eq31`, with orthonormal `vectors` (N, m) on all points, in columns, for the
    kernels :math:`v_i v_i^T`; c is m by default. The weights come from the multipliers.

    Examples
    --------
    >>> solution = eq32([[0.6, 0.8], [-0.8, 0.6]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (1.020408, [2.0, 0.0])
    """
    return margin_qcqp(rank_one_family(vectors, y, c), solver)


def eq33(
    grams: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (33): positive weights, hard margin.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - c t \quad\text{s.t.}\quad
        t \ge \tfrac{1}{r_i} \alpha^T G(K_{i,tr}) \alpha, \quad
        \alpha^T y = 0, \quad \alpha \ge 0

    with :math:`r_i = \operatorname{trace} K_i`.

    Arguments as in `eq31`, with positive semidefinite matrices; the weights come from the
    multipliers.

    Examples
    --------
    >>> solution = eq33([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.5, [2.0, 0.0])
    """
    return margin_qcqp(gram_family(grams, y, c, psd=True), solver)
