"""ν-regression with a learned expansion: Ong et al. (2005), program (31), Example 11."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive, check_share, check_targets
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


def ong_eq31(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    lam: float,
    nu: float,
    lambda_q: float = 1.0,
    c: float | None = None,
    squared: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (31), Example 11: ν-regression.

    .. math::

        \min_{\beta, \gamma, \eta, \xi, \chi} \tfrac12 t_1 + \tfrac{\chi \nu}{\lambda}
        + \tfrac{1}{m \lambda} \xi^T 1 + \tfrac{\lambda_Q}{2 \lambda} t_2
        \quad\text{s.t.}\quad \chi, \eta, \xi, \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad 1^T \beta = c, \quad
        \begin{pmatrix} F(\beta) & z \\ z^T & t_1 \end{pmatrix} \succeq 0

    with :math:`z = [-y; y] - \gamma [1; -1] + \eta - \xi - \chi [1; 1]` and
    :math:`F(\beta) = [K, -K; -K, K]`. The term after t₁ is printed as λν/λ; the quality functional
    before it lacks ½‖w‖², and its slacks have the wrong sign. For a fixed β the program is the dual
    of maximising [−y; y]ᵀα − ½αᵀF(β)α over 0 ≤ α ≤ 1/(mλ), [1; −1]ᵀα = 0, 1ᵀα ≤ ν/λ; at the signed
    coefficients a = α₂ − α₁ this is yᵀa − ½aᵀKa.

    Parameters
    ----------
    sections, K_pivots, lambda_q, squared, solver
        As in `ong_eq27`.
    y : array-like of shape (m,)
        Targets.
    lam : float
        The regularisation constant λ of f.
    nu : float
        In (0, 1].
    c : float, optional
        The constant of 1ᵀβ = c; in print the standard deviation of y, here that of
        ``numpy.std``, with m in the denominator.

    Returns
    -------
    ReferenceSolution
        With β as the weights and 2m coefficients α. Value and weights are those of
        ``learn_weights(sections, y, quality="nu_svr", C=1 / (lam * m), nu=nu, constraint="sum",
        total=c, penalty=HyperNorm(K_pivots, lambda_q / lam))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq31(sections, [[2, 3], [3, 6]], [1.0, -1.0], lam=0.25, nu=0.5)
    >>> round(solution.value, 6), (solution.alpha[2:] - solution.alpha[:2]).round(4).tolist()
    (3.328427, [0.5, -0.5])
    """
    cp = load_cvxpy()
    lam, nu = check_positive("lam", lam), check_share("nu", nu)
    spread = float(np.std(np.asarray(y, dtype=np.float64))) if c is None else c
    regulariser = HyperRegulariser(check_positive("lambda_q", lambda_q) / lam, spread, squared)
    family = expand(sections, K_pivots, y, regulariser, check_y=check_targets, C=1 / lam)
    m, sides = family.y.size, np.array([[1.0, -1.0], [-1.0, 1.0]])
    beta, t1, t2 = family.variables()
    gamma, chi, eta, xi = cp.Variable(), cp.Variable(), cp.Variable(2 * m), cp.Variable(2 * m)
    signs = np.repeat([1.0, -1.0], m)
    z = -signs * np.tile(family.y, 2) - gamma * signs + eta - xi - chi
    F = np.stack([np.kron(sides, K) for K in family.sections])
    # In the paper's terms: the box is 1/(mλ), so that ν/λ is νm times the box.
    objective = t1 / 2 + family.box * (nu * m * chi + cp.sum(xi)) + family.lambda_q / 2 * t2
    constraints = [
        chi >= 0,
        xi >= 0,
        *family.regularised(beta, t2),
        *whitened_lmi(F, beta, z, t1),
    ]
    return family.minimise(objective, constraints, beta, eta >= 0, solver)
