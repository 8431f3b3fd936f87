"""Substitution matrices, Cawley and Talbot (2014), section 4, learned by their criterion (5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import null_space

from kernlearn.reference._checks import check_positive
from kernlearn.reference._cvxpy import as_vector, load_cvxpy, solve
from kernlearn.reference.solution import ReferenceSolution


def substitution_matrix(
    words: ArrayLike,
    y: ArrayLike,
    lam: float,
    mu: float,
    prior: ArrayLike | None = None,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    The criterion (5) over the similarities S of letters, a semidefinite program.

    .. math::

        \min_{S \succeq 0} \tfrac{\lambda}{2}
        (Q^Ty)^T \Bigl(Q^T \sum_b U_b S U_b^T Q + \lambda I\Bigr)^{-1} Q^Ty + \mu\Omega(S)

    The columns of Q span the vectors of sum zero, Ω is :math:`\tfrac12\|S - S_0\|^2` or, without a
    prior, half of the nuclear norm.

    Parameters
    ----------
    words : array-like of shape (n, L, m)
        The :math:`U_b`: for each of n sequences and L positions the indicator of one of m words,
        over :math:`\sqrt L`.
    y : array-like of shape (n,)
        Targets.
    lam, mu : float
        λ and μ.
    prior : array-like of shape (m, m), optional
        The :math:`S_0`.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the entries of S, row by row, as the weights, and no α.

    Examples
    --------
    >>> import numpy as np
    >>> words = np.eye(2)[[0, 1, 0, 1]][:, None]
    >>> solution = substitution_matrix(words, [1.0, -1.0, 1.0, -1.0], lam=1.0, mu=1.0)
    >>> solution.weights.round(4).reshape(2, 2).tolist()
    [[0.4571, -0.4571], [-0.4571, 0.4571]]
    """
    cp = load_cvxpy()
    U = np.asarray(words, dtype=float)
    n, _, m = U.shape
    lam, mu = check_positive("lam", lam), check_positive("mu", mu)
    Q = null_space(np.ones((1, n)))
    S = cp.Variable((m, m), PSD=True)
    blocks = [Q.T @ block for block in U.transpose(1, 0, 2)]
    K = sum(block @ S @ block.T for block in blocks) + lam * np.eye(n - 1)
    fit = 0.5 * lam * cp.matrix_frac(Q.T @ np.asarray(y, dtype=float), 0.5 * (K + K.T))
    distance = cp.trace(S) if prior is None else cp.sum_squares(S - np.asarray(prior, dtype=float))
    goal = cp.Minimize(fit + 0.5 * mu * distance)
    return solve(goal, [], solver, weights=lambda: as_vector(S.value))
