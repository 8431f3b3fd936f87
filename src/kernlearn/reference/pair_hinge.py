"""
The pairwise hinge program: Kondor and Jebara (2007), section 5.

It is solved as printed, once for each distinct pair, in units in which every section of the
hyperkernel has a norm of one: α_p is multiplied with √K_pp. Without that, pairs whose sections are
tiny have coefficients that are huge, and a solver leaves them out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import (
    check_grams,
    check_labels,
    check_one_for_each,
    check_positive,
)
from kernlearn.reference._cvxpy import as_vector, load_cvxpy, solve
from kernlearn.reference.solution import ReferenceSolution


def kondor_section5(
    K: ArrayLike, t: ArrayLike, C: float, conic: bool = True, solver: str = "CLARABEL"
) -> ReferenceSolution:
    r"""
    The program of section 5, conic or linear.

    .. math::

        \min_{\alpha, b, \xi} \tfrac12 \alpha^T K \alpha + C \sum_p \xi_p \quad\text{s.t.}\quad
        t_p ((K \alpha)_p + b) \ge 1 - \xi_p, \quad \xi \ge 0, \quad \alpha \ge 0

    Parameters
    ----------
    K : array-like of shape (n_pairs, n_pairs)
        The hyperkernel between the pairs.
    t : array-like of shape (n_pairs,)
        +1 for pairs of points that belong together, −1 for others.
    C : float
        The weight of the loss.
    conic : bool
        Whether α ≥ 0; "linear" in the paper if not.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the paper's coefficients α, of the pairs, as the weights, and the multipliers of the
        classification constraints as alpha.

    Examples
    --------
    >>> solution = kondor_section5([[1.0, 0.5], [0.5, 1.0]], [1, -1], C=10.0)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (8.0, [4.0, 0.0])
    >>> linear = kondor_section5([[1.0, 0.5], [0.5, 1.0]], [1, -1], C=10.0, conic=False)
    >>> round(linear.value, 6), linear.weights.round(4).tolist()
    (2.0, [2.0, -2.0])
    """
    cp = load_cvxpy()
    C = check_positive("C", C)
    gram = check_grams(np.asarray(K, dtype=np.float64)[None], "K")[0]
    labels = check_one_for_each(check_labels(t, len(gram)), len(gram))
    lengths = np.sqrt(np.where(gram.diagonal() > 0, gram.diagonal(), 1.0))
    unit = gram / lengths[:, None]
    n = len(gram)
    alpha, b, xi = cp.Variable(n), cp.Variable(), cp.Variable(n)
    values = unit.T @ alpha
    margins = cp.multiply(labels, values + b) >= 1 - xi
    constraints = [margins, xi >= 0, *([alpha >= 0] if conic else [])]
    norm = cp.quad_form(alpha, cp.psd_wrap(unit / lengths))
    return solve(
        cp.Minimize(0.5 * norm + C * cp.sum(xi)),
        constraints,
        solver,
        weights=lambda: as_vector(alpha.value) / lengths,
        alpha=lambda: as_vector(margins.dual_value),
    )
