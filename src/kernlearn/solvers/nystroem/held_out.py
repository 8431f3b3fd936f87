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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import beside, namespace, solve_lower, take_columns, to_host
from kernlearn.families.factors import Factors
from kernlearn.gram.rows import map_rows
from kernlearn.solvers.nystroem.least_squares import LeastSquaresObjective, Positive
from kernlearn.solvers.nystroem.moments import Moments, total_of
from kernlearn.typing import Array, Rows

_FEW_COLUMNS = 500


def trained(moments: Moments, membership: Array, weights: Array, ridge: float) -> Array | None:
    """The coefficients (R, k) of the machines at K(w); None if that is indefinite."""
    objective = LeastSquaresObjective(*moments.centred(), membership, ridge)
    found = objective.evaluate(weights, None, 0.0)
    return None if found is None else found.coef


class LowRankFolds:
    """Machines that miss a fold each, for any weights and ridge.

    What these do not change, the moments of the rows outside of a fold, is made once.
    """

    def __init__(
        self,
        # The moments of each fold. They are held out in turn; ``few`` of them, one, where systems
        # are large: it has rows enough.
        folds: Sequence[Moments],
        membership: Array,  # (R, m): ones where a column belongs to a kernel
        few: bool = False,  # whether one fold is enough, as it is for many columns in any case
    ) -> None:
        few = few or len(membership) > _FEW_COLUMNS
        self._membership, self._folds = membership, list(folds[:1] if few else folds)
        self._others = [
            _Others.of(total_of([one for one in folds if one is not fold])) for fold in self._folds
        ]

    def loss(self, weights: Array, ridge: float) -> Array:
        """The mean squared error of each target; infinite if K(w) is indefinite."""
        loss, mass = np.zeros(len(self._folds[0].targets)), 0.0
        for fold, others in zip(self._folds, self._others, strict=True):
            objective = LeastSquaresObjective(*others.centred, self._membership, ridge)
            found = objective.evaluate(weights, None, 0.0)
            if found is None:
                return np.full(len(loss), np.inf)
            intercept = (others.targets - others.columns @ found.coef) / others.mass
            loss += fold.squared_loss(found.coef, intercept)
            mass += fold.mass
        return np.asarray(loss / mass)


@dataclass(frozen=True, eq=False)
class _Others:
    """What is to be known of the rows outside of a fold."""

    centred: tuple[Array, Array, Array]
    columns: Array
    targets: Array
    mass: float

    @classmethod
    def of(cls, moments: Moments) -> _Others:
        return cls(moments.centred(), moments.columns, moments.targets, moments.mass)


def loss_by_rank(
    folds: Sequence[Moments], factors: Factors, weights: Array, ridge: float
) -> tuple[NDArray[np.intp], Array]:
    """Ranks, increasing, and the held-out mean squared error of all targets together at each."""
    ranks = halves(factors)
    few = factors.n_columns > _FEW_COLUMNS  # the same folds for every rank
    losses = []
    for rank in ranks:
        chosen = factors.place < rank
        parts = [fold.corner(chosen) for fold in folds]
        loss = LowRankFolds(parts, factors.membership[chosen], few).loss(weights, ridge)
        losses.append(float(loss.sum()))
    return ranks, np.array(losses)


def left_out_by_rank(
    moments: Moments, factors: Factors, weights: Array
) -> tuple[NDArray[np.intp], Array]:
    """The part of the trace of K(w) that factors of each rank leave out, where nothing is learned.

    Rows count by their weights, as far as the factors go.
    """
    ranks = halves(factors)
    kept = np.diagonal(moments.unshifted(factors.shift)) * (factors.membership @ weights)
    share = float(moments.traces[1] @ weights) / max(float(kept.sum()), 1e-300)
    trace = float(moments.traces[0] @ weights)
    sums = np.array([share * float(kept[factors.place < rank].sum()) for rank in ranks])
    return ranks, np.maximum(1.0 - sums / trace, 0.0)


def halves(factors: Factors) -> NDArray[np.intp]:
    """The rank and its halves down to about four, increasing."""
    top = int(factors.place.max(initial=0)) + 1
    n_halves = max(int(np.log2(top)) - 1, 0)
    return np.unique([-(-top // 2**i) for i in range(n_halves + 1)])


def leave_one_out(
    source: Rows,
    factors: Factors,
    moments: Moments,
    Y: Array,
    sample_weight: Array,
    weights: Array,
    ridge: float,
) -> Array:
    """Predictions (n, k) by the machines trained without each row, in one pass; for w ≥ 0."""
    objective = LeastSquaresObjective(*moments.centred(), factors.membership, ridge)
    diagonal = factors.membership @ weights
    system = Positive(objective, diagonal)
    coef = diagonal[:, None] * system.solve(objective.B)
    intercept = moments.intercept(coef)
    means = (moments.columns / moments.mass)[system.used]
    # What the function holds may travel to other machines: no more than it needs.
    shift, mass, used, half, L = (
        factors.shift,
        moments.mass,
        system.used,
        system.half.T,
        system.factor,
    )

    def block_predictions(block: Rows, rows: slice, targets: Array, weight: Array) -> Array:
        Z = factors(block)
        Z -= beside(shift, Z)
        residual = targets - to_host(Z @ beside(coef, Z)) - intercept
        centred = take_columns(Z, used) - beside(means, Z)
        centred *= beside(half, Z)
        solved = solve_lower(beside(L, Z), centred.T)
        lengths = to_host(namespace(solved).sum(solved**2, axis=0))
        leverage = weight * (1.0 / mass + lengths)
        return np.asarray(targets - residual / (1.0 - leverage)[:, None])

    size, along = 2 * factors.n_columns, (Y, sample_weight)
    return map_rows(source, block_predictions, size, along, checked=True)
