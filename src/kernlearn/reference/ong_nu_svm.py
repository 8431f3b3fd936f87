"""The ν-SVM with a learned expansion: Ong et al. (2005), program (28), Example 8."""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_share
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


def ong_eq28(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    nu: float,
    lambda_q: float = 1.0,
    c: float = 1.0,
    squared: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (28), Example 8: the ν-SVM.

    .. math::

        \min_{\beta, \gamma, \eta, \xi, \chi} \tfrac12 t_1 - \chi \nu + \tfrac1m \xi^T 1
        + \tfrac{\lambda_Q}{2} t_2 \quad\text{s.t.}\quad \chi, \eta, \xi, \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad 1^T \beta = c, \quad
        \begin{pmatrix} G(\beta) & z \\ z^T & t_1 \end{pmatrix} \succeq 0

    with :math:`z = \gamma y + \chi 1 + \eta - \xi`. For a fixed β it is the dual of maximising
    −½αᵀG(β)α over 0 ≤ α ≤ 1/m, αᵀy = 0, 1ᵀα ≥ ν.

    Parameters
    ----------
    sections, K_pivots, y, lambda_q, c, squared, solver
        As in `ong_eq27`.
    nu : float
        In (0, 1]; the program is unbounded above twice the share of the smaller class.

    Returns
    -------
    ReferenceSolution
        With β as the weights. Value and weights are those of ``learn_weights(sections, y,
        quality="nu_svm", nu=nu, constraint="sum", total=c, penalty=HyperNorm(K_pivots,
        lambda_q))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq28(sections, [[2, 3], [3, 6]], [1, -1], nu=0.5)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (0.582107, [0.25, 0.25])
    """
    cp = load_cvxpy()
    nu = check_share("nu", nu)
    regulariser = HyperRegulariser(lambda_q, c, squared)
    family = expand(sections, K_pivots, y, regulariser, fixed_sum=True)
    m = family.y.size
    beta, t1, t2 = family.variables()
    gamma, chi, eta, xi = cp.Variable(), cp.Variable(), cp.Variable(m), cp.Variable(m)
    z = gamma * family.y + chi + eta - xi
    objective = t1 / 2 - chi * nu + cp.sum(xi) / m + family.lambda_q / 2 * t2
    constraints = [
        chi >= 0,
        xi >= 0,
        *family.regularised(beta, t2),
        *whitened_lmi(family.signed, beta, z, t1),
    ]
    return family.minimise(objective, constraints, beta, eta >= 0, solver)
