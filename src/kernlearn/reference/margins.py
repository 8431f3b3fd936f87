r"""
The margin programs of Lanckriet et al. (2004): Theorems 16 and 17, and their special cases.

All minimise ω_{C,τ}(K) = max 2αᵀe − αᵀ(G(K) + τI)α over 0 ≤ α ≤ C, αᵀy = 0 (20), over weights of
any sign (26), positive weights (27), or positive weights of rank-one kernels, which is (27) with
t ≥ (v̌ᵢᵀα)² for the quadratic constraints. The others have these C and τ:

=============================  ============  ====================================================
margin                         programs      C and τ
=============================  ============  ====================================================
hard (2)                       (31) to (33)  C = ∞, τ = 0
1-norm soft (4)                (36) to (38)  C is the bound of α, as in scikit-learn; τ = 0
2-norm soft (6)                (41) to (43)  C = ∞, τ = 1/C for the price C of the squared slacks
2-norm soft, τ learned         (45) to (47)  C = ∞, τ is the weight of the identity on all N points
=============================  ============  ====================================================

With C = ∞ there is no δ, and the corner of the LMI is t. 1/C does not count in the trace c; a
learned τ does, with the trace N (the paper's n), which divides αᵀα in (46) and (47), although α
lives on the labelled points only. If no kernel of the family separates the labels, (31) is
infeasible and (32), (33) are unbounded; the status says which.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_non_negative, check_positive
from kernlearn.reference._margins import gram_family, margin_qcqp, margin_sdp, rank_one_family
from kernlearn.reference.solution import ReferenceSolution


def eq26(
    grams: ArrayLike,
    y: ArrayLike,
    C: float,
    tau: float,
    c: float | None = None,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (26): free-sign weights, general margin.

    .. math::

        \min_{\mu, t, \lambda, \nu, \delta} t \quad\text{s.t.}\quad
        \operatorname{trace} \sum_i \mu_i K_i = c, \quad \sum_i \mu_i K_i \succeq 0, \quad
        \begin{pmatrix} G(\sum_i \mu_i K_{i,tr}) + \tau I & e + \nu - \delta + \lambda y \\
        (\cdot)^T & t - 2 C \delta^T e \end{pmatrix} \succeq 0, \quad \nu, \delta \ge 0

    Parameters
    ----------
    grams : array-like of shape (m, N, N)
        Gram matrices on all points; the first ``len(y)`` points are the labelled ones.
    y : array-like of shape (n,), n ≤ N
        Labels, −1 and +1.
    C : float
        Upper bound of α; ``inf`` for none (then δ = 0).
    tau : float
        Weight of the identity added on the labelled points.
    c : float, optional
        Trace of the combination on all points; by default Σ trace Kᵢ.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the paper's objective, twice that of the rest of the library.

    Examples
    --------
    >>> solution = eq26([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1], C=1.0, tau=1.0)
    >>> round(solution.value, 6), solution.status
    (0.4, 'optimal')
    """
    C, tau = check_positive("C", C, infinite=True), check_non_negative("tau", tau)
    return margin_sdp(gram_family(grams, y, c, C=C, tau=tau), solver)


def eq27(
    grams: ArrayLike,
    y: ArrayLike,
    C: float,
    tau: float,
    c: float | None = None,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (27): positive weights, general margin (Theorem 17).

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - \tau \alpha^T \alpha - c t \quad\text{s.t.}\quad
        t \ge \tfrac{1}{r_i} \alpha^T G(K_{i,tr}) \alpha, \quad
        \alpha^T y = 0, \quad C \ge \alpha \ge 0

    with :math:`r_i = \operatorname{trace} K_i`.

    Arguments as in `eq26`, with positive semidefinite matrices; the weights come from the
    multipliers.

    Examples
    --------
    >>> solution = eq27([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1], C=1.0, tau=1.0)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.4, [2.0, 0.0])
    """
    C, tau = check_positive("C", C, infinite=True), check_non_negative("tau", tau)
    return margin_qcqp(gram_family(grams, y, c, C=C, tau=tau, psd=True), solver)


def eq31(
    grams: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (31): free-sign weights, hard margin; `eq26` without C and τ.

    The value is 1/γ² for the margin γ.
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

    Arguments as in `eq26`, with orthonormal `vectors` (N, m) on all points, in columns, for the
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
    """Program (33): positive weights, hard margin; `eq27` without C and τ."""
    return margin_qcqp(gram_family(grams, y, c, psd=True), solver)


def eq36(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    """Program (36): free-sign weights, 1-norm soft margin; `eq26` without τ."""
    return margin_sdp(gram_family(grams, y, c, C=check_positive("C", C)), solver)


def eq37(
    vectors: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    """Program (37): rank-one kernels, 1-norm soft margin; `eq32` with α ≤ C."""
    return margin_qcqp(rank_one_family(vectors, y, c, C=check_positive("C", C)), solver)


def eq38(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    """Program (38): positive weights, 1-norm soft margin; `eq27` without τ."""
    return margin_qcqp(gram_family(grams, y, c, C=check_positive("C", C), psd=True), solver)


def eq41(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    """Program (41): free-sign weights, 2-norm soft margin; `eq26` without δ, with τ = 1/C."""
    tau = 1 / check_positive("C", C)
    return margin_sdp(gram_family(grams, y, c, tau=tau), solver)


def eq42(
    vectors: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    """Program (42): rank-one kernels, 2-norm soft margin; `eq32` with −αᵀα/C in its objective."""
    tau = 1 / check_positive("C", C)
    return margin_qcqp(rank_one_family(vectors, y, c, tau=tau), solver)


def eq43(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    """Program (43): positive weights, 2-norm soft margin; `eq27` with α ≥ 0 and τ = 1/C."""
    tau = 1 / check_positive("C", C)
    return margin_qcqp(gram_family(grams, y, c, tau=tau, psd=True), solver)


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

    `eq32` with one more constraint, :math:`t \ge \tfrac{1}{n} \alpha^T \alpha`, whose multiplier
    gives τ; c is m + N by default.
    """
    return margin_qcqp(rank_one_family(vectors, y, c, tau=None), solver)


def eq47(
    grams: ArrayLike, y: ArrayLike, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (47): positive weights, 2-norm soft margin, τ learned.

    `eq33` with one more constraint, :math:`t \ge \tfrac{1}{n} \alpha^T \alpha`, whose multiplier
    gives τ; c is Σ trace Kᵢ + N by default.

    Examples
    --------
    >>> solution = eq47([[[1, 1], [1, 1]]], [1, -1])
    >>> round(solution.value, 6), round(solution.tau, 4)
    (1.0, 2.0)
    """
    return margin_qcqp(gram_family(grams, y, c, tau=None, psd=True), solver)
