"""
Classifiers with a learned expansion: Ong et al. (2005), programs (24), (27), (28) and (29).

(24) and (27), the C-SVM of Example 7, minimise over β ≥ 0 the value max 1ᵀα − ½αᵀG(β)α over
0 ≤ α ≤ C/m, αᵀy = 0, plus a norm of the kernel in the hyper-RKHS: its square in (24) and (26), the
norm itself in (27).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive, check_share
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import expand
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
    family = expand(sections, K_pivots, y, lambda_q, c, True, C=check_positive("C", C))
    m = family.y.size
    eta, xi = cp.Variable(m), cp.Variable(m)
    gamma = cp.hstack([cp.Variable(1), eta, xi])
    A = np.vstack([family.y, np.eye(m), -np.eye(m)])
    a = np.concatenate([np.zeros(1 + m), np.full(m, family.box)])
    column = A.T @ gamma + 1
    return family.minimise(family.signed, column, solver, loss=a @ gamma, positive=(eta, xi))


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

    Arguments as in `ong_eq24`; Section 7 sets 1/(λm) = 100, which is C/m. In print c is 1, and
    `squared` bounds the square of the norm, as (24) does. Value and weights β are those of
    ``learn_weights(sections, y, quality="soft_margin", C=C / m, constraint="sum", total=c,
    penalty=HyperNorm(K_pivots, lambda_q))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq27(sections, [[2, 3], [3, 6]], [1, -1], C=4.0)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (1.207107, [0.5, 0.5])
    """
    cp = load_cvxpy()
    family = expand(sections, K_pivots, y, lambda_q, c, squared, C=check_positive("C", C))
    gamma, eta, xi = cp.Variable(), cp.Variable(family.y.size), cp.Variable(family.y.size)
    z = gamma * family.y + 1 + eta - xi
    loss = family.box * cp.sum(xi)
    return family.minimise(family.signed, z, solver, loss=loss, positive=(eta, xi))


def ong_lemma7(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    C: float,
    trace: float,
    lambda_q: float = 1.0,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    The C-SVM over all β of Lemma 7 whose kernel matrix is positive semidefinite.

    .. math::

        \min_{\beta, \gamma, \eta, \xi} \tfrac12 t_1 + \tfrac{C}{m} \xi^T 1
        + \tfrac{\lambda_Q}{2} t_2 \quad\text{s.t.}\quad \eta, \xi \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad
        \operatorname{tr} K(\beta) = c, \quad
        \begin{pmatrix} G(\beta) & z \\ z^T & t_1 \end{pmatrix} \succeq 0

    Program (27) without β ≥ 0; the trace takes the place of 1ᵀβ, since it bounds K. Value and
    weights are those of ``learn_weights(sections, y, C=C / m, weights="free", total=trace,
    penalty=HyperNorm(K_pivots, lambda_q))``.

    Examples
    --------
    >>> sections = [[[2, 1], [1, 2]], [[1, 0], [0, 1]]]
    >>> solution = ong_lemma7(sections, [[2, 3], [3, 6]], [1, -1], C=1.0, trace=2.0)
    >>> bool(solution.weights.min() < 0)
    True
    """
    cp = load_cvxpy()
    family = expand(sections, K_pivots, y, lambda_q, None, False, C=check_positive("C", C))
    gamma, eta, xi = cp.Variable(), cp.Variable(family.y.size), cp.Variable(family.y.size)
    z = gamma * family.y + 1 + eta - xi
    loss, trace = family.box * cp.sum(xi), check_positive("trace", trace)
    signed, positive = family.signed, (eta, xi)
    return family.minimise(signed, z, solver, loss=loss, positive=positive, trace=trace)


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

    Arguments as in `ong_eq27`, with ν in (0, 1]; the program is unbounded above twice the share of
    the smaller class. Value and weights β are those of ``learn_weights(sections, y,
    quality="nu_svm", nu=nu, constraint="sum", total=c, penalty=HyperNorm(K_pivots, lambda_q))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq28(sections, [[2, 3], [3, 6]], [1, -1], nu=0.5)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (0.582107, [0.25, 0.25])
    """
    cp = load_cvxpy()
    nu = check_share("nu", nu)
    family = expand(sections, K_pivots, y, lambda_q, c, squared, fixed_sum=True)
    m = family.y.size
    gamma, chi, eta, xi = cp.Variable(), cp.Variable(), cp.Variable(m), cp.Variable(m)
    z = gamma * family.y + chi + eta - xi
    loss = cp.sum(xi) / m - chi * nu
    return family.minimise(family.signed, z, solver, loss=loss, positive=(eta, xi, chi))


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

    Arguments as in `ong_eq27`, with `lam` for the regularisation constant λ of f. Value and weights
    β are those of ``learn_weights(sections, y, quality="lagrangian", C=1 / (lam * m),
    constraint="sum", total=c, penalty=HyperNorm(K_pivots, lambda_q))``.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq29(sections, [[2, 3], [3, 6]], [1, -1], lam=0.25)
    >>> round(solution.value, 6), solution.alpha.round(4).tolist()
    (1.107107, [0.4, 0.4])
    """
    family = expand(sections, K_pivots, y, lambda_q, c, squared, lam=check_positive("lam", lam))
    m, bias = family.y.size, family.alpha_unit / family.target_unit
    eta = load_cvxpy().Variable(m)
    fixed = bias * np.outer(family.y, family.y) + family.ridge * np.eye(m)
    return family.minimise(family.signed, eta + 1, solver, positive=(eta,), fixed=fixed)
