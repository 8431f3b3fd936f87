"""The Lagrangian SVM with a learned expansion: Ong et al. (2005), program (29), Example 9."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


def ong_eq29(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    lam: float,
    lambda_q: float = 1.0,
    c: float = 1.0,
    squared: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (29), Example 9: the Lagrangian SVM.

    .. math::

        \min_{\beta, \eta} \tfrac12 t_1 + \tfrac{\lambda_Q}{2} t_2
        \quad\text{s.t.}\quad \eta, \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad 1^T \beta = c, \quad
        \begin{pmatrix} H(\beta) & \eta + 1 \\ (\eta + 1)^T & t_1 \end{pmatrix} \succeq 0

    with :math:`H(\beta) = Y (K + 1_{m \times m} + \lambda m I) Y`. The z that the paper defines
    after (29) does not occur in it. For a fixed β it is the dual of maximising 1ᵀα − ½αᵀH(β)α over
    α ≥ 0; the quality functional printed before (29) is the one for λ = ½.

    Parameters
    ----------
    sections, K_pivots, y, lambda_q, c, squared, solver
        As in `ong_eq27`.
    lam : float
        The regularisation constant λ of f.

    Returns
    -------
    ReferenceSolution
        With β as the weights. Value and weights are those of ``learn_weights(sections, y,
        quality="lagrangian", C=1 / (lam * m), constraint="sum", total=c,
        penalty=HyperNorm(K_pivots, lambda_q))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq29(sections, [[2, 3], [3, 6]], [1, -1], lam=0.25)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (1.107107, [0.4, 0.4])
    """
    cp = load_cvxpy()
    regulariser = HyperRegulariser(lambda_q, c, squared)
    family = expand(sections, K_pivots, y, regulariser, lam=check_positive("lam", lam))
    m = family.y.size
    beta, t1, t2 = family.variables()
    eta = cp.Variable(m)
    fixed = family.kernel_unit * np.outer(family.y, family.y) + family.ridge * np.eye(m)
    constraints = [
        *family.regularised(beta, t2),
        *whitened_lmi(family.signed, beta, eta + 1, t1, fixed),
    ]
    objective = t1 / 2 + family.lambda_q / 2 * t2
    return family.minimise(objective, constraints, beta, eta >= 0, solver)
