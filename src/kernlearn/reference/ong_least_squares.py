"""Least squares with a learned expansion: the functional before (8) of Ong et al. (2005)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive, check_targets
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


def ong_before_eq8(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    lam: float,
    lambda_q: float = 1.0,
    c: float | None = None,
    squared: bool = True,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    The unnumbered functional before (8), the hyper-Gaussian process of section 3.2.

    .. math::

        \min_{k, f, b} \tfrac1m \sum_i (y_i - f(x_i) - b)^2 + \tfrac{\lambda}{2} \lVert f \rVert^2
        + \tfrac{\lambda_Q}{2} \lVert k \rVert^2

    with an offset b as in section 6. Its minimum over f and b is the dual value λ · max yᵀa −
    ½aᵀ(K + ½λmI)a over 1ᵀa = 0, so that Corollary 13 makes it λ times the optimum of

    .. math::

        \min_{\beta, \gamma} \tfrac12 t_1 + \tfrac{\lambda_Q}{2 \lambda} t_2
        \quad\text{s.t.}\quad \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert^2 \le t_2, \quad
        \begin{pmatrix} K + \frac{\lambda m}{2} I & y + \gamma 1 \\
        (y + \gamma 1)^T & t_1 \end{pmatrix} \succeq 0

    Parameters
    ----------
    sections, K_pivots, lambda_q, solver
        As in `ong_eq27`.
    y : array-like of shape (m,)
        Targets, or labels −1 and +1.
    lam : float
        The regularisation constant λ of f.
    c : float, optional
        The constant of 1ᵀβ = c; as printed there is none.
    squared : bool
        Whether to bound the square of the norm, as printed, or the norm.

    Returns
    -------
    ReferenceSolution
        With β as the weights and the signed coefficients a as `alpha`. At c, weights and
        coefficients are those of ``learn_weights(sections, y, quality="least_squares",
        C=2 / (lam * m), constraint="sum", total=c, penalty=HyperNorm(K_pivots, lambda_q / lam,
        squared))``, and the value is λ times its objective.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_before_eq8(sections, [[2, 3], [3, 6]], [1.0, -1.0], lam=2.0, c=1.0)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (1.5, [0.25, -0.25])
    """
    lam = check_positive("lam", lam)
    regulariser = HyperRegulariser(check_positive("lambda_q", lambda_q) / lam, c, squared)
    family = expand(sections, K_pivots, y, regulariser, check_y=check_targets, lam=lam / 2)
    beta, t1, t2 = family.variables()
    z = family.y + load_cvxpy().Variable()
    ridge = family.ridge * np.eye(family.y.size)
    constraints = [
        *family.regularised(beta, t2),
        *whitened_lmi(family.sections, beta, z, t1, ridge),
    ]
    objective = t1 / 2 + family.lambda_q / 2 * t2
    solution = family.minimise(objective, constraints, beta, None, solver)
    if solution.weights is None:
        return solution
    # There is no η to read the coefficients from, but they are H(β)⁻¹z.
    H = np.tensordot(beta.value, family.sections, axes=1) + ridge
    coefficients = family.alpha_unit * np.linalg.solve(H, z.value)
    return replace(solution, value=lam * solution.value, alpha=coefficients)
