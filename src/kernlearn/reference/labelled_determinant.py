"""The labelled largest determinant over precision matrices, convex in their weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_grams, check_positive
from kernlearn.reference._cvxpy import as_vector, load_cvxpy, solve
from kernlearn.reference._lmi import combination
from kernlearn.reference.solution import ReferenceSolution


def labelled_determinant(
    precisions: ArrayLike,
    y: ArrayLike,
    epsilon: float,
    linear: ArrayLike = 0.0,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    The program of section 7, in the precision R = K⁻¹.

    .. math::

        \min_{r \ge 0} \tfrac12 y^\top R y - \tfrac12\log\det R + b^\top r, \qquad
        R = \sum_i r_i R_i + \varepsilon I

    Parameters
    ----------
    precisions : array-like of shape (m, n, n)
        Precision matrices, or Laplacians of graphs.
    y : array-like of shape (n,) or (n, k)
        Targets; the mean over several columns counts.
    epsilon : float
        The ε.
    linear : float or array-like of shape (m,)
        The b.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the weights r, and no α.

    Examples
    --------
    One matrix [[1]] and y = 2: the precision is one over y², less ε.

    >>> solution = labelled_determinant([[[1.0]]], [2.0], epsilon=0.05)
    >>> solution.weights.round(3).tolist()
    [0.2]
    """
    cp = load_cvxpy()
    stack = check_grams(precisions, "precisions")
    Y = np.asarray(y, dtype=float).reshape(stack.shape[1], -1)
    S = Y @ Y.T / Y.shape[1]
    b = np.broadcast_to(np.asarray(linear, dtype=float), (len(stack),))
    r = cp.Variable(len(stack))
    R = combination(stack, r) + check_positive("epsilon", epsilon) * np.eye(len(S))
    value = 0.5 * cp.sum(cp.multiply(S, R)) - 0.5 * cp.log_det(R) + b @ r
    return solve(cp.Minimize(value), [r >= 0], solver, weights=lambda: as_vector(r.value))
