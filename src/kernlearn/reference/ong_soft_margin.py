"""
The C-SVM with a learned expansion: Ong et al. (2005), programs (24) and (27), Example 7.

Both minimise over β ≥ 0 the value max 1ᵀα − ½αᵀG(β)α over 0 ≤ α ≤ C/m, αᵀy = 0, plus a norm of the
kernel in the hyper-RKHS: its square in (24) and (26), the norm itself in (27).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


def ong_eq24(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    C: float,
    lambda_q: float = 1.0,
    c: float | None = None,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (24) for the C-SVM (26): the squared norm.

    .. math::

        \min_{t, t', \beta, \gamma} \tfrac12 t + \tfrac12 t' + a^T \gamma
        \quad\text{s.t.}\quad \gamma \ge 0, \quad \beta \ge 0, \quad
        \lVert \Sigma^{1/2} \beta \rVert^2 \le t', \quad
        \begin{pmatrix} G(\beta) & A^T \gamma + 1 \\ (A^T \gamma + 1)^T & t \end{pmatrix} \succeq 0

    with :math:`A = [y, -y, I, -I]^T`, :math:`a = [0, 0, 0, \frac{C}{m} 1]` and
    :math:`\Sigma = \lambda_Q \underline K`; after (26) the paper writes :math:`C \lambda_Q
    \underline K`, which (27) and (26) itself contradict. The multipliers of αᵀy ≥ 0 and of
    −αᵀy ≥ 0 enter as their difference, one number of any sign: of the two, one could grow for ever
    with the other.

    Parameters
    ----------
    sections : array-like of shape (p, m, m)
        The sections of the hyperkernel at the pivots, on the m training points.
    K_pivots : array-like of shape (p, p)
        The hyperkernel between the pivots.
    y : array-like of shape (m,)
        Labels, −1 and +1.
    C : float
        m times the bound of α.
    lambda_q : float
        The regularisation constant λ_Q.
    c : float, optional
        The constant of 1ᵀβ = c, which the paper adds afterwards; as printed there is none, and the
        squared norm alone keeps the scale of the kernel.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With β as the weights. At c, value and weights are those of ``learn_weights(sections, y,
        quality="soft_margin", C=C / m, constraint="sum", total=c, penalty=HyperNorm(K_pivots,
        lambda_q, squared=True))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq24(sections, [[2, 3], [3, 6]], [1, -1], C=4.0, c=1.0)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (1.5, [1.0, 0.0])
    """
    cp = load_cvxpy()
    regulariser = HyperRegulariser(lambda_q, c, squared=True)
    family = expand(sections, K_pivots, y, regulariser, C=check_positive("C", C))
    m = family.y.size
    beta, t, t_norm = family.variables()
    eta, xi = cp.Variable(m), cp.Variable(m)
    gamma = cp.hstack([cp.Variable(1), eta, xi])
    A = np.vstack([family.y, np.eye(m), -np.eye(m)])
    a = np.concatenate([np.zeros(1 + m), np.full(m, family.box)])
    objective = t / 2 + family.lambda_q * t_norm / 2 + a @ gamma
    constraints = [
        xi >= 0,
        *family.regularised(beta, t_norm),
        *whitened_lmi(family.signed, beta, A.T @ gamma + 1, t),
    ]
    return family.minimise(objective, constraints, beta, eta >= 0, solver)


def ong_eq27(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    C: float,
    lambda_q: float = 1.0,
    c: float = 1.0,
    squared: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (27), Example 7: the C-SVM.

    .. math::

        \min_{\beta, \gamma, \eta, \xi} \tfrac12 t_1 + \tfrac{C}{m} \xi^T 1
        + \tfrac{\lambda_Q}{2} t_2 \quad\text{s.t.}\quad \eta, \xi, \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad 1^T \beta = c, \quad
        \begin{pmatrix} G(\beta) & z \\ z^T & t_1 \end{pmatrix} \succeq 0

    with :math:`z = \gamma y + 1 + \eta - \xi`.

    Parameters
    ----------
    sections, K_pivots, y, C, lambda_q, solver
        As in `ong_eq24`. Section 7 sets 1/(λm) = 100, which is C/m.
    c : float
        The constant of 1ᵀβ = c, in print 1.
    squared : bool
        Whether to bound the square of the norm, as (24) does.

    Returns
    -------
    ReferenceSolution
        With β as the weights. Value and weights are those of ``learn_weights(sections, y,
        quality="soft_margin", C=C / m, constraint="sum", total=c, penalty=HyperNorm(K_pivots,
        lambda_q))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq27(sections, [[2, 3], [3, 6]], [1, -1], C=4.0)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (1.207107, [0.5, 0.5])
    """
    cp = load_cvxpy()
    regulariser = HyperRegulariser(lambda_q, c, squared)
    family = expand(sections, K_pivots, y, regulariser, C=check_positive("C", C))
    beta, t1, t2 = family.variables()
    gamma, eta, xi = cp.Variable(), cp.Variable(family.y.size), cp.Variable(family.y.size)
    z = gamma * family.y + 1 + eta - xi
    objective = t1 / 2 + family.box * cp.sum(xi) + family.lambda_q / 2 * t2
    constraints = [
        xi >= 0,
        *family.regularised(beta, t2),
        *whitened_lmi(family.signed, beta, z, t1),
    ]
    return family.minimise(objective, constraints, beta, eta >= 0, solver)
