"""The one-class machine with a learned expansion: Ong et al. (2005), program (30), Example 10."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlearn.reference._checks import check_share
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


def ong_eq30(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    nu: float,
    lambda_q: float = 1.0,
    c: float = 1.0,
    squared: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (30), Example 10: novelty detection.

    .. math::

        \min_{\beta, \gamma, \eta, \xi} \tfrac12 t_1 + \tfrac{1}{\nu m} \xi^T 1 - \gamma
        + \tfrac{\lambda_Q}{2 \nu} t_2 \quad\text{s.t.}\quad \eta, \xi, \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad 1^T \beta = c, \quad
        \begin{pmatrix} K & z \\ z^T & t_1 \end{pmatrix} \succeq 0

    with :math:`z = \gamma 1 + \eta - \xi`. For a fixed β it is the dual of maximising −½αᵀKα over
    0 ≤ α ≤ 1/(νm), 1ᵀα = 1. The print has no 1ᵀβ = c; but the objective is homogeneous in β, so
    that without one it would be zero at β = 0 or unbounded.

    Parameters
    ----------
    sections, K_pivots, lambda_q, squared, solver
        As in `ong_eq27`.
    nu : float
        In (0, 1].
    c : float
        The constant of 1ᵀβ = c, 1 as in the other programs.

    Returns
    -------
    ReferenceSolution
        With β as the weights. Value and weights are those of ``learn_weights(sections,
        quality="one_class", nu=nu, constraint="sum", total=c, penalty=HyperNorm(K_pivots,
        lambda_q / nu))``.

    Examples
    --------
    >>> sections = [[[2, 1], [1, 2]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq30(sections, [[2, 1], [1, 2]], nu=0.5, lambda_q=0.1)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (-0.608579, [1.0, 0.0])
    """
    cp = load_cvxpy()
    nu = check_share("nu", nu)
    regulariser = HyperRegulariser(lambda_q, c, squared)
    # There are no labels: every point counts as +1, and G(β) is K.
    family = expand(sections, K_pivots, [], regulariser, check_y=_all_alike, fixed_sum=True)
    m = family.y.size
    beta, t1, t2 = family.variables()
    gamma, eta, xi = cp.Variable(), cp.Variable(m), cp.Variable(m)
    z = gamma + eta - xi
    objective = t1 / 2 + cp.sum(xi) / (nu * m) - gamma + family.lambda_q / (2 * nu) * t2
    constraints = [
        xi >= 0,
        *family.regularised(beta, t2),
        *whitened_lmi(family.sections, beta, z, t1),
    ]
    return family.minimise(objective, constraints, beta, eta >= 0, solver)


def _all_alike(_: ArrayLike, n_points: int) -> NDArray[np.float64]:
    return np.ones(n_points)
