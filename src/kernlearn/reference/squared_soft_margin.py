"""
The 2-norm soft margin: programs (41), (42), (43) at a given C, and (45), (46), (47).

The former minimise ω_S2(K) = max 2αᵀe − αᵀ(G(K) + I/C)α over α ≥ 0, αᵀy = 0 (6). The latter learn
τ = 1/C: the identity on all N points is one more matrix of the family, of trace N (the paper's n),
and its weight is τ. N divides αᵀα in (46) and (47), although α lives on the labelled points only.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive
from kernlearn.reference._margins import gram_family, margin_qcqp, margin_sdp, rank_one_family
from kernlearn.reference.solution import ReferenceSolution


def eq41(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (41): free-sign weights, 2-norm soft margin.

    .. math::

        \min_{\mu, t, \lambda, \nu} t \quad\text{s.t.}\quad
        \operatorname{trace} \sum_i \mu_i K_i = c, \quad \sum_i \mu_i K_i \succeq 0, \quad
        \begin{pmatrix} G(\sum_i \mu_i K_{i,tr}) + \frac{1}{C} I & e + \nu + \lambda y \\
        (e + \nu + \lambda y)^T & t \end{pmatrix} \succeq 0, \quad \nu \ge 0

    Arguments and solution as in `eq26`, with C for the price of the squared slacks; 1/C is added to
    the diagonal of the labelled points, and does not count in the trace c.

    Examples
    --------
    >>> solution = eq41([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1], C=0.5)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (0.333333, [0.1667, 0.1667])
    """
    C = check_positive("C", C)
    return margin_sdp(gram_family(grams, y, c, tau=1 / C), solver)


def eq42(
    vectors: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (42): rank-one kernels, 2-norm soft margin.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - \tfrac{1}{C} \alpha^T \alpha - c t \quad\text{s.t.}\quad
        t \ge (\check v_i^T \alpha)^2, \quad \alpha^T y = 0, \quad \alpha \ge 0

    with :math:`\check v_i = \operatorname{diag}(y)\, v_i(1 : n_{tr})`.

    Arguments as in `eq41`, with orthonormal `vectors` (N, m) on all points, in columns, for the
    kernels :math:`v_i v_i^T`; c is m by default. The weights come from the multipliers.

    Examples
    --------
    >>> solution = eq42([[0.6, 0.8], [-0.8, 0.6]], [1, -1], C=0.5)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.505051, [2.0, 0.0])
    """
    C = check_positive("C", C)
    return margin_qcqp(rank_one_family(vectors, y, c, tau=1 / C), solver)


def eq43(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (43): positive weights, 2-norm soft margin.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - \tfrac{1}{C} \alpha^T \alpha - c t \quad\text{s.t.}\quad
        t \ge \tfrac{1}{r_i} \alpha^T G(K_{i,tr}) \alpha, \quad
        \alpha^T y = 0, \quad \alpha \ge 0

    with :math:`r_i = \operatorname{trace} K_i`.

    Arguments as in `eq41`, with positive semidefinite matrices; the weights come from the
    multipliers.

    Examples
    --------
    >>> solution = eq43([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1], C=0.5)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.333333, [2.0, 0.0])
    """
    C = check_positive("C", C)
    return margin_qcqp(gram_family(grams, y, c, tau=1 / C, psd=True), solver)


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

    Arguments and solution as in `eq26`, with τ; c is the trace of the combination and τI together,
    by default Σ trace Kᵢ + N.

    Examples
    --------
    >>> solution = eq45([[[1, 1], [1, 1]]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.0, 2.0)
    """
    return margin_sdp(gram_family(grams, y, c, tau=None), solver)


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

    Arguments as in `eq45`, with orthonormal `vectors` (N, m) on all points, in columns, for the
    kernels :math:`v_i v_i^T`; c is m + N by default. The weights and τ come from the multipliers.

    Examples
    --------
    >>> solution = eq46([[0.6], [0.8]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.333333, 1.5)
    """
    return margin_qcqp(rank_one_family(vectors, y, c, tau=None), solver)


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

    Arguments as in `eq45`, with positive semidefinite matrices; the weights and τ come from the
    multipliers.

    Examples
    --------
    >>> solution = eq47([[[1, 1], [1, 1]]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.0, 2.0)
    """
    return margin_qcqp(gram_family(grams, y, c, tau=None, psd=True), solver)
