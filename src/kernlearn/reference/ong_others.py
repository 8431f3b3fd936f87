"""Other machines with a learned expansion: Ong et al. (2005), programs (30), (31) and (32).

Least squares, the functional before (8), is here too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_positive, check_share, check_targets
from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import expand
from kernlearn.reference.solution import ReferenceSolution
from kernlearn.typing import Array


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

    Arguments as in `ong_eq27`, without labels, with ν in (0, 1]. Value and weights β are those of
    ``learn_weights(sections, quality="one_class", nu=nu, constraint="sum", total=c,
    penalty=HyperNorm(K_pivots, lambda_q / nu))``.

    Examples
    --------
    >>> sections = [[[2, 1], [1, 2]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq30(sections, [[2, 1], [1, 2]], nu=0.5, lambda_q=0.1)
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (-0.608579, [1.0, 0.0])
    """
    cp = load_cvxpy()
    nu = check_share("nu", nu)
    lambda_q = check_positive("lambda_q", lambda_q) / nu

    def check_y(_: ArrayLike, n_points: int) -> Array:
        """There are no labels: every point counts as +1, and G(β) is K."""
        return np.ones(n_points)

    family = expand(sections, K_pivots, [], lambda_q, c, squared, check_y=check_y, fixed_sum=True)
    m = family.y.size
    gamma, eta, xi = cp.Variable(), cp.Variable(m), cp.Variable(m)
    loss = cp.sum(xi) / (nu * m) - gamma
    z = gamma + eta - xi
    return family.minimise(family.sections, z, solver, loss=loss, positive=(eta, xi))


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

    Arguments as in `ong_eq27`, with targets y, the regularisation constant λ of f, and ν in (0, 1].
    In print c is the standard deviation of y, here that of ``numpy.std``, with m in the
    denominator. The solution has 2m coefficients α. Value and weights β are those of
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
    lambda_q = check_positive("lambda_q", lambda_q) / lam
    family = expand(
        sections, K_pivots, y, lambda_q, spread, squared, check_y=check_targets, C=1 / lam
    )
    m, signs = family.y.size, np.repeat([1.0, -1.0], family.y.size)
    gamma, chi, eta, xi = cp.Variable(), cp.Variable(), cp.Variable(2 * m), cp.Variable(2 * m)
    z = -signs * np.tile(family.y, 2) - gamma * signs + eta - xi - chi
    F = np.stack([np.kron([[1.0, -1.0], [-1.0, 1.0]], K) for K in family.sections])
    # In the paper's terms: the box is 1/(mλ), so that ν/λ is νm times the box.
    loss = family.box * (nu * m * chi + cp.sum(xi))
    return family.minimise(F, z, solver, loss=loss, positive=(eta, xi, chi))


def ong_eq32(
    sections: ArrayLike,
    K_pivots: ArrayLike,
    y: ArrayLike,
    lambda_q: float = 1.0,
    c: float = 1.0,
    squared: bool = False,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    Program (32), Example 12: kernel target alignment.

    .. math::

        \min_{\beta} \tfrac12 t_1 + \tfrac{\lambda_Q}{2} t_2
        \quad\text{s.t.}\quad \beta \ge 0, \quad
        \lVert \underline K^{1/2} \beta \rVert \le t_2, \quad 1^T \beta = c, \quad
        \begin{pmatrix} K & y \\ y^T & t_1 \end{pmatrix} \succeq 0

    At the optimum t₁ is yᵀK⁻¹y. The text calls yᵀKy the quality functional, which is large where
    kernel and labels agree; the program minimises yᵀK⁻¹y, which is small there.

    Arguments as in `ong_eq27`. The solution has the weights β and no α: the program has no
    function, only a kernel. Its value is infinite if no kernel of the family has y in its range.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq32(sections, [[2, 3], [3, 6]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (1.207107, [1.0, 0.0])
    """
    family = expand(sections, K_pivots, y, lambda_q, c, squared)
    # As an expression, so that the solver judges whether y is in the range of the kernels.
    return family.minimise(family.sections, load_cvxpy().Constant(family.y), solver)


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

    Arguments as in `ong_eq27`, with targets or labels y and the regularisation constant λ of f. As
    printed there is no c, and the norm is squared. The signed coefficients a are `alpha`. At c,
    weights β and coefficients are those of ``learn_weights(sections, y, quality="least_squares",
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
    lambda_q = check_positive("lambda_q", lambda_q) / lam
    family = expand(sections, K_pivots, y, lambda_q, c, squared, check_y=check_targets, lam=lam / 2)
    z = family.y + load_cvxpy().Variable()
    ridge = family.ridge * np.eye(family.y.size)

    def coefficients(beta: Array) -> Array:
        """Coefficients H(β)⁻¹z, as there is no η to read them from."""
        return np.linalg.solve(np.tensordot(beta, family.sections, axes=1) + ridge, z.value)

    solution = family.minimise(family.sections, z, solver, fixed=ridge, coefficients=coefficients)
    return replace(solution, value=lam * solution.value)
