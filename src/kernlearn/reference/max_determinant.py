"""The kernel of largest determinant: −log det K is convex in the weights."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from kernlearn.reference._checks import check_grams, check_positive
from kernlearn.reference._cvxpy import as_vector, load_cvxpy, solve
from kernlearn.reference._lmi import combination
from kernlearn.reference.solution import ReferenceSolution


def max_determinant(
    grams: ArrayLike,
    weights: Literal["positive", "free"] = "positive",
    constraint: Literal["trace", "sum"] = "trace",
    total: float | None = None,
    linear: ArrayLike = 0.0,
    solver: str = "CLARABEL",
) -> ReferenceSolution:
    r"""
    The program of the largest determinant.

    .. math::

        \min_{\mu} -\log\det \sum_i \mu_i K_i + b^\top\mu \quad\text{s.t.}\quad
        \sum_i \mu_i r_i = c, \quad \mu \ge 0 \text{ unless signs are free}

    with :math:`r_i = \operatorname{trace} K_i` or 1.

    Parameters
    ----------
    grams : array-like of shape (m, N, N)
        Gram matrices.
    weights : {"positive", "free"}
        Whether μ ≥ 0; the logarithm keeps the kernel positive definite either way.
    constraint : {"trace", "sum"}
        Choice of r: the traces, or ones.
    total : float, optional
        The c; by default the sum of the traces, or 1.
    linear : float or array-like of shape (m,)
        The b.
    solver : str
        Name of a solver known to CVXPY.

    Returns
    -------
    ReferenceSolution
        With the weights, and no α.

    Examples
    --------
    >>> solution = max_determinant([[[1, 0], [0, 0]], [[0, 0], [0, 1]]], total=4.0)
    >>> round(solution.value, 4), solution.weights.round(3).tolist()
    (-1.3863, [2.0, 2.0])
    """
    cp = load_cvxpy()
    stack = check_grams(grams)
    n = stack.shape[1]
    traces = np.trace(stack, axis1=1, axis2=2)
    r = traces if constraint == "trace" else np.ones(len(stack))
    c = check_positive("total", float(r.sum() if total is None else total))
    c = 1.0 if constraint == "sum" and total is None else c
    # In units in which kernels have diagonals of one, and so have their combinations.
    sizes = traces / n
    scale = c / float(np.mean(r / sizes))
    mu = cp.Variable(len(stack))
    signs = [mu >= 0] if weights == "positive" else []
    b = np.broadcast_to(np.asarray(linear, dtype=float), (len(stack),))
    value = -cp.log_det(combination(stack / sizes[:, None, None], mu)) + (b * scale / sizes) @ mu
    solution = solve(
        cp.Minimize(value),
        [(r / sizes * (scale / c)) @ mu == 1, *signs],
        solver,
        weights=lambda: as_vector(mu.value) * scale / sizes,
    )
    return replace(solution, value=solution.value - n * float(np.log(scale)))
