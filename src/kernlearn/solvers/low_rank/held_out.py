r"""What least squares through factors would lose on rows that it has not seen.

From the moments of folds alone, without another look at the rows: the machine without fold f comes
from a subtraction, its loss on f from the moments of f. Since factors are nested, the loss *as a
function of the rank* costs a few small systems. Leaving out one row takes one more pass,

.. math::

    h_{ii} = \theta_i \Bigl(\tfrac{1}{\sum\theta}
        + \tilde z_i^\top D^{1/2} A^{-1} D^{1/2} \tilde z_i\Bigr), \qquad
    y_i - f_{-i}(x_i) = \frac{y_i - f(x_i)}{1 - h_{ii}},
    \qquad A = \tau I + D^{1/2} G D^{1/2}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from kernlearn.families.factors import Factors
from kernlearn.gram.rows import reduce_rows
from kernlearn.solvers.low_rank.least_squares import LeastSquaresObjective, Positive
from kernlearn.solvers.low_rank.moments import Moments, total_of

Array = NDArray[np.float64]


def trained(moments: Moments, membership: Array, weights: Array, ridge: float) -> Array:
    """The coefficients (R, k) of the machines at K(w), for positive weights."""
    objective = LeastSquaresObjective(*moments.centred(), membership, ridge)
    diagonal = membership @ weights
    return np.asarray(diagonal[:, None] * Positive(objective, diagonal).solve(objective.B))


def fold_loss(folds: Sequence[Moments], membership: Array, weights: Array, ridge: float) -> Array:
    """The mean squared error of each target on held-out folds."""
    everything = total_of(list(folds))
    loss = np.zeros(len(everything.targets))
    for fold in folds:
        rest = everything - fold
        coef = trained(rest, membership, weights, ridge)
        loss += fold.squared_loss(coef, rest.intercept(coef))
    return loss / everything.mass


def loss_by_rank(
    folds: Sequence[Moments], factors: Factors, weights: Array, ridge: float
) -> tuple[NDArray[np.intp], Array]:
    """The held-out mean squared error, all targets together, at the rank and its halves.

    Returns
    -------
    ranks : ndarray of shape (l,)
        Columns for each kernel at most, increasing.
    losses : ndarray of shape (l,)
        The loss at each.
    """
    top = int(factors.place.max(initial=0)) + 1
    n_halves = max(int(np.log2(top)) - 1, 0)
    ranks = np.unique([-(-top // 2**i) for i in range(n_halves + 1)])
    losses = []
    for rank in ranks:
        chosen = factors.place < rank
        parts = [fold.corner(chosen) for fold in folds]
        losses.append(float(fold_loss(parts, factors.membership[chosen], weights, ridge).sum()))
    return ranks, np.array(losses)


def leave_one_out(
    source: Any,
    factors: Factors,
    moments: Moments,
    Y: Array,
    sample_weight: Array,
    weights: Array,
    ridge: float,
) -> Array:
    """Predictions (n, k) for each row by the machines trained without it, in one pass."""
    coef = trained(moments, factors.membership, weights, ridge)
    intercept = moments.intercept(coef)
    diagonal = factors.membership @ weights
    system = Positive(
        LeastSquaresObjective(*moments.centred(), factors.membership, ridge), diagonal
    )
    means = (moments.columns / moments.mass)[system.used]
    found = np.empty_like(Y)

    def block_predictions(block: Any, rows: slice) -> int:
        Z = factors(block)
        Z -= factors.shift
        residual = Y[rows] - Z @ coef - intercept
        centred = (Z[:, system.used] - means) * system.half.T
        half = solve_triangular(system.factor, centred.T, lower=True, check_finite=False)
        leverage = sample_weight[rows] * (1.0 / moments.mass + (half**2).sum(axis=0))
        found[rows] = Y[rows] - residual / (1.0 - leverage)[:, None]
        return len(residual)

    reduce_rows(source, block_predictions, int.__add__, 2 * factors.n_columns)
    return found
