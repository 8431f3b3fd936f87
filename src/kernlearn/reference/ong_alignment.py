"""Kernel target alignment with a learned expansion: Ong et al. (2005), program (32), Example 12."""

from __future__ import annotations

from numpy.typing import ArrayLike

from kernlearn.reference._cvxpy import load_cvxpy
from kernlearn.reference._expansion import HyperRegulariser, expand
from kernlearn.reference._lmi import whitened_lmi
from kernlearn.reference.solution import ReferenceSolution


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

    Parameters
    ----------
    sections, K_pivots, y, lambda_q, c, squared, solver
        As in `ong_eq27`.

    Returns
    -------
    ReferenceSolution
        With β as the weights and no α: the program has no function, only a kernel. Its value is
        infinite if no kernel of the family has y in its range.

    Examples
    --------
    >>> sections = [[[1, -1], [-1, 1]], [[1, 0], [0, 1]]]
    >>> solution = ong_eq32(sections, [[2, 3], [3, 6]], [1, -1])
    >>> round(solution.value, 6), solution.weights.round(4).tolist()
    (1.207107, [1.0, 0.0])
    """
    family = expand(sections, K_pivots, y, HyperRegulariser(lambda_q, c, squared))
    beta, t1, t2 = family.variables()
    # As an expression, so that the solver judges whether y is in the range of the kernels.
    target = load_cvxpy().Constant(family.y)
    constraints = [
        *family.regularised(beta, t2),
        *whitened_lmi(family.sections, beta, target, t1),
    ]
    objective = t1 / 2 + family.lambda_q / 2 * t2
    return family.minimise(objective, constraints, beta, None, solver)
