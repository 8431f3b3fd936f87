r"""
The programs of Lanckriet et al. (2004) over any convex set of kernels, for polytopes of weights.

Theorem 16, (22), and its cases (29), (35), (40), (44) and (49) minimise over K ∈ 𝒦 of a given
trace. Here 𝒦 holds the combinations :math:`K = \sum_i \mu_i K_i \succeq 0` with
:math:`a \le A\mu \le b`, and :math:`\mu \ge 0` if asked for. `limits` is the triple (A, a, b); the
limits may be infinite, and are equal for an equation.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_non_negative, check_positive
from kernlearn.reference._cvxpy import Expression, load_cvxpy
from kernlearn.reference._margins import MarginProblem, gram_family, margin_sdp
from kernlearn.reference.alignment import alignment_sdp
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.typing import Array

Limits = tuple[ArrayLike, ArrayLike, ArrayLike]


def eq22(
    grams: ArrayLike,
    y: ArrayLike,
    C: float,
    tau: float | None,
    limits: Limits,
    *,
    positive: bool = False,
    c: float | None = None,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (22), Theorem 16: a polytope of weights, general margin.

    .. math::

        \min_{K, t, \lambda, \nu, \delta} t \quad\text{s.t.}\quad
        \operatorname{trace} K = c, \quad K \in \mathcal K, \quad
        \begin{pmatrix} G(K_{tr}) + \tau I & e + \nu - \delta + \lambda y \\
        (\cdot)^T & t - 2 C \delta^T e \end{pmatrix} \succeq 0, \quad \nu, \delta \ge 0

    Parameters
    ----------
    grams : array-like of shape (m, N, N)
        Gram matrices on all points; the first ``len(y)`` points are the labelled ones.
    y : array-like of shape (n,), n ≤ N
        Labels, −1 and +1.
    C : float
        Upper bound of α; ``inf`` for none (then δ = 0).
    tau : float or None
        Weight of the identity added on the labelled points; None to learn it (44).
    limits : tuple of arrays (A, lower, upper), of shapes (k, m), (k,) and (k,)
        The rows lower ≤ Aμ ≤ upper.
    positive : bool, default=False
        Whether μ ≥ 0, too.
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
    >>> grams = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = eq22(grams, [1, -1], 1.0, 1.0, ([[1, 0]], [0.0], [1.0]))
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (0.5, [1.0, 1.0])
    """
    C = check_positive("C", C, infinite=True)
    tau = None if tau is None else check_non_negative("tau", tau)
    return margin_sdp(_limited(gram_family(grams, y, c, C=C, tau=tau), limits, positive), solver)


def eq29(
    grams: ArrayLike,
    y: ArrayLike,
    limits: Limits,
    *,
    positive: bool = False,
    c: float | None = None,
) -> ReferenceSolution:
    """Program (29): a polytope of weights, hard margin; `eq22` without C and τ."""
    return eq22(grams, y, np.inf, 0.0, limits, positive=positive, c=c)


def eq35(
    grams: ArrayLike,
    y: ArrayLike,
    C: float,
    limits: Limits,
    *,
    positive: bool = False,
    c: float | None = None,
) -> ReferenceSolution:
    """Program (35): a polytope of weights, 1-norm soft margin; `eq22` without τ."""
    return eq22(grams, y, C, 0.0, limits, positive=positive, c=c)


def eq40(
    grams: ArrayLike,
    y: ArrayLike,
    C: float,
    limits: Limits,
    *,
    positive: bool = False,
    c: float | None = None,
) -> ReferenceSolution:
    """Program (40): a polytope of weights, 2-norm soft margin; `eq22` with τ = 1/C alone."""
    return eq22(grams, y, np.inf, 1 / check_positive("C", C), limits, positive=positive, c=c)


def eq44(
    grams: ArrayLike,
    y: ArrayLike,
    limits: Limits,
    *,
    positive: bool = False,
    c: float | None = None,
) -> ReferenceSolution:
    """Program (44): the same with τ learned as the weight of the identity."""
    return eq22(grams, y, np.inf, None, limits, positive=positive, c=c)


def eq49(
    grams: ArrayLike,
    y: ArrayLike,
    limits: Limits,
    *,
    positive: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (49), Theorem 23: a polytope of weights, alignment; `eq53` with K ∈ 𝒦.

    The combination has no trace to hold, so `limits` must not depend on its scale: their finite
    entries are zero. Arguments as in `eq22`.
    """
    family = _limited(gram_family(grams, y, c=1.0), limits, positive)
    return alignment_sdp(family, solver)


def _limited(family: MarginProblem, limits: Limits, positive: bool) -> MarginProblem:
    """The problem with rows for weights in natural units, which are s·uᵢ times the user's."""
    A, lower, upper = (np.asarray(part, dtype=float) for part in limits)
    if A.ndim != 2 or A.shape[1] != len(family.r) or not lower.shape == upper.shape == A.shape[:1]:
        raise ValueError(
            f"limits: expected A of shape (k, {len(family.r)}) and k limits on either side, got "
            f"shapes {A.shape}, {lower.shape} and {upper.shape}; use infinity for no limit."
        )
    scaled: Array = A / (family.alpha_unit * family.kernel_units)

    def rows(mu: Expression) -> list[Expression]:
        cp = load_cvxpy()
        left = scaled @ mu
        tied = lower == upper
        below, above = np.isfinite(upper) & ~tied, np.isfinite(lower) & ~tied
        parts = [left[tied] == upper[tied]] if tied.any() else []
        parts += [left[below] <= upper[below]] if below.any() else []
        parts += [left[above] >= lower[above]] if above.any() else []
        return [*parts, cp.min(mu) >= 0] if positive else parts

    return replace(family, rows=rows)
