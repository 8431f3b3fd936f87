"""
The two general programs of Theorems 16 and 17, with both C and τ.

They minimise ω_{C,τ}(K) = max 2αᵀe − αᵀ(G(K) + τI)α over 0 ≤ α ≤ C, αᵀy = 0 (20).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_non_negative, check_positive
from kernlearn.reference._margins import gram_family, margin_qcqp, margin_sdp
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
