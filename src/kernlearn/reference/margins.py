"""
The margin programs of Theorems 16 and 17, of the hard margin and of the 1-norm soft margin.

All minimise ω_{C,τ}(K) = max 2αᵀe − αᵀ(G(K) + τI)α over 0 ≤ α ≤ C, αᵀy = 0 (20). Programs (26) and
(27) have both C and τ. The hard margin (2), programs (31) to (33), has C = ∞ and τ = 0. Where no
kernel of the family separates the labels, (31) is infeasible and (32), (33) are unbounded; the
status says which. The 1-norm soft margin (4), programs (36) to (38), has τ = 0; C is the bound of α
itself, as in scikit-learn.
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
    Program (31): free-sign weights, hard margin.

    .. math::

        \min_{\mu, t, \lambda, \nu} t \quad\text{s.t.}\quad
        \operatorname{trace} \sum_i \mu_i K_i = c, \quad \sum_i \mu_i K_i \succeq 0, \quad
        \begin{pmatrix} G(\sum_i \mu_i K_{i,tr}) & e + \nu + \lambda y \\
        (e + \nu + \lambda y)^T & t \end{pmatrix} \succeq 0, \quad \nu \ge 0

    Arguments as in `eq26`. The value is the paper's, 1/γ² for the margin γ.

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


def eq36(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (36): free-sign weights, 1-norm soft margin.

    .. math::

        \min_{\mu, t, \lambda, \nu, \delta} t \quad\text{s.t.}\quad
        \operatorname{trace} \sum_i \mu_i K_i = c, \quad \sum_i \mu_i K_i \succeq 0, \quad
        \begin{pmatrix} G(\sum_i \mu_i K_{i,tr}) & e + \nu - \delta + \lambda y \\
        (\cdot)^T & t - 2 C \delta^T e \end{pmatrix} \succeq 0, \quad \nu, \delta \ge 0

    Arguments and solution as in `eq26`.

    Examples
    --------
    >>> solution = eq36([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1], C=0.1)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (0.32, [0.1, 0.1])
    """
    C = check_positive("C", C)
    return margin_sdp(gram_family(grams, y, c, C=C), solver)


def eq37(
    vectors: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (37): rank-one kernels, 1-norm soft margin.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - c t \quad\text{s.t.}\quad
        t \ge (\check v_i^T \alpha)^2, \quad \alpha^T y = 0, \quad C \ge \alpha \ge 0

    with :math:`\check v_i = \operatorname{diag}(y)\, v_i(1 : n_{tr})`.

    Arguments as in `eq36`, with orthonormal `vectors` (N, m) on all points, in columns, for the
    kernels :math:`v_i v_i^T`; c is m by default. The weights come from the multipliers.

    Examples
    --------
    >>> solution = eq37([[0.6, 0.8], [-0.8, 0.6]], [1, -1], C=0.1)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.3608, [2.0, 0.0])
    """
    C = check_positive("C", C)
    return margin_qcqp(rank_one_family(vectors, y, c, C=C), solver)


def eq38(
    grams: ArrayLike, y: ArrayLike, C: float, c: float | None = None, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    Program (38): positive weights, 1-norm soft margin.

    .. math::

        \max_{\alpha, t} 2 \alpha^T e - c t \quad\text{s.t.}\quad
        t \ge \tfrac{1}{r_i} \alpha^T G(K_{i,tr}) \alpha, \quad
        \alpha^T y = 0, \quad C \ge \alpha \ge 0

    with :math:`r_i = \operatorname{trace} K_i`.

    Arguments as in `eq36`, with positive semidefinite matrices; the weights come from the
    multipliers.

    Examples
    --------
    >>> solution = eq38([[[1, -1], [-1, 1]], [[1, 0], [0, 1]]], [1, -1], C=0.1)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.32, [2.0, 0.0])
    """
    C = check_positive("C", C)
    return margin_qcqp(gram_family(grams, y, c, C=C, psd=True), solver)
