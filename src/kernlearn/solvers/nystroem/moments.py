r"""The second moments of factors and targets: all that least squares needs of the rows.

One pass over the rows adds up ZᵀΘZ, ZᵀΘY and their like, with Θ the sample weights. Moments of
disjoint sets of rows add, and those of a smaller rank are a corner. So the held-out loss takes no
other look at the rows: the machine without fold f comes from a subtraction, its loss on f from the
moments of f. Since factors are nested, the loss *as a
function of the rank* costs a few small systems. Leaving out one row takes one more pass,

.. math::

    h_{ii} = \theta_i \Bigl(\tfrac{1}{\sum\theta}
        + \tilde z_i^\top D^{1/2} A^{-1} D^{1/2} \tilde z_i\Bigr), \qquad
    y_i - f_{-i}(x_i) = \frac{y_i - f(x_i)}{1 - h_{ii}},
    \qquad A = \tau I + D^{1/2} G D^{1/2}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import (
    beside,
    column_dots,
    lower_products,
    lower_triangle,
    namespace,
    solve_lower,
    take_columns,
    to_host,
    transposed_product,
)
from kernlearn.families.factors import Factors
from kernlearn.gram.rows import map_rows, reduce_rows, taken_rows
from kernlearn.quality.ls_svm import mirrored
from kernlearn.solvers.nystroem.least_squares import LeastSquaresObjective, Positive
from kernlearn.typing import Array, DeviceArray, Rows


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over rows, for factors less a fixed ``shift``."""

    products: Array  # (R, R): zᵀΘZ
    with_targets: Array  # (R, k): zᵀΘY
    columns: Array  # (R,): zᵀθ
    # (k,): yᵀθ and the diagonal of YᵀΘY
    targets: Array
    squares: Array
    mass: float  # the sum of the sample weights
    # (2, m): the traces of the exact kernels and of their factors, in which every row counts once
    traces: Array

    def __add__(self, other: Moments) -> Moments:
        return self._with(other, 1.0)

    def __sub__(self, other: Moments) -> Moments:
        return self._with(other, -1.0)

    def _with(self, other: Moments, sign: float) -> Moments:
        names = [each.name for each in fields(self)]
        sums = {name: getattr(self, name) + sign * getattr(other, name) for name in names}
        return Moments(**sums)

    def corner(self, chosen: NDArray[np.bool_]) -> Moments:
        """The moments of some of the columns; the traces are still those of all."""
        if chosen.all():
            return self  # no copy of what is large
        return Moments(
            self.products[np.ix_(chosen, chosen)],
            self.with_targets[chosen],
            self.columns[chosen],
            self.targets,
            self.squares,
            self.mass,
            self.traces,
        )

    def centred(self) -> tuple[Array, Array, Array]:
        """G = ZᵀΘHZ, B = ZᵀΘHY and s = diag YᵀΘHY, with H the weighted centring."""
        means = self.columns / self.mass
        G = self.products - np.outer(self.columns, means)
        B = self.with_targets - np.outer(means, self.targets)
        s = np.maximum(self.squares - self.targets**2 / self.mass, 0.0)
        return G, B, s

    def unshifted(self, shift: Array) -> Array:
        """ZᵀΘZ of the factors as they are."""
        moved = np.outer(self.columns + 0.5 * self.mass * shift, shift)
        return np.asarray(self.products + moved + moved.T)

    def intercept(self, coef: Array) -> Array:
        """The intercepts that go with coefficients (R, k), before the shift is taken back."""
        return np.asarray((self.targets - self.columns @ coef) / self.mass)

    def squared_loss(self, coef: Array, intercept: Array) -> Array:
        """Σ θ(y − f)² over the rows, for each target, for any coefficients and intercepts."""
        fitted = self.products @ coef
        loss = self.squares - 2.0 * (coef * self.with_targets).sum(axis=0)
        loss += (coef * fitted).sum(axis=0) + intercept**2 * self.mass
        loss += 2.0 * intercept * (self.columns @ coef - self.targets)
        return np.asarray(np.maximum(loss, 0.0))


# All sums but the one of a number for every pair of columns.
_SMALL = tuple(each.name for each in fields(Moments) if each.name != "products")


def moments_by_fold(
    source: Rows,  # the n rows
    factors: Factors,  # the maps to Z
    Y: Array,  # (n, k): targets
    sample_weight: Array,  # (n,): positive weights
    fold: NDArray[np.intp],  # (n,): the fold of each row, from 0 on
) -> list[Moments]:
    """One pass over the rows: the moments of each fold (inputs are checked)."""
    n_folds = int(fold.max()) + 1

    def onto(
        totals: dict[int, Moments],
        block: Rows,
        rows: slice,
        targets: Array,
        weights: Array,
        folds: NDArray[np.intp],
    ) -> dict[int, Moments]:
        parts = dict(totals)
        for each in map(int, np.unique(folds)):
            # Rows are taken apart before they become as many numbers as there are columns.
            chosen = np.flatnonzero(folds == each)
            own = block if len(chosen) == len(folds) else taken_rows(block, chosen)
            Z, diagonals = factors(own), factors.diagonals(own)
            kept = to_host(column_dots(Z, Z)) @ factors.membership
            traces = np.array([diagonals.sum(axis=0), kept])
            Z -= beside(factors.shift, Z)
            total = totals.get(each)
            parts[each] = block_moments(Z, targets[chosen], weights[chosen], traces, total)
        return parts

    # Each fold has enough rows of a block for a product at full speed.
    size, along = -(-factors.n_columns // n_folds), (Y, sample_weight, fold)
    found = reduce_rows(source, partial(onto, {}), _fold_by_fold, size, along, onto=onto)
    return [moments_on_host(found[each]) for each in range(n_folds)]


def _fold_by_fold(first: dict[int, Moments], second: dict[int, Moments]) -> dict[int, Moments]:
    """The sums of both."""
    total = {**first, **second}
    for each in first.keys() & second.keys():
        total[each] = first[each] + second[each]
    return total


def moments_on_host(sums: Moments) -> Moments:
    """The sums of all blocks, with both triangles."""
    products = mirrored(lower_triangle(sums.products))
    rest = {name: to_host(getattr(sums, name)) for name in _SMALL}
    return Moments(products=products, **rest)


def total_of(parts: list[Moments]) -> Moments:
    """The moments of all rows."""
    return reduce(Moments.__add__, parts)


def block_moments(
    Z: DeviceArray, Y: Array, theta: Array, traces: Array, total: Moments | None
) -> Moments:
    """Sums over one block, those with Z where it is, added to a total, which is used up.

    Of the products only the lower triangle.
    """
    weighted = Z if (theta == 1.0).all() else Z * beside(np.sqrt(theta)[:, None], Z)
    targets = Y * theta[:, None]
    sums = transposed_product(Z, np.column_stack([targets, theta]))
    products = lower_products(weighted, None if total is None else total.products)
    block = Moments(
        products=products,
        with_targets=sums[:, :-1],
        columns=sums[:, -1],
        targets=targets.sum(axis=0),
        squares=(Y * targets).sum(axis=0),
        mass=float(theta.sum()),
        traces=traces,
    )
    if total is None:
        return block
    added = {name: getattr(total, name) + getattr(block, name) for name in _SMALL}
    return replace(block, **added)  # the products have been added up in place


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
        others = [total_of([one for one in folds if one is not fold]) for fold in self._folds]
        # Arrays as large as all pairs of columns are kept centred only.
        self._others = [(each.centred(), replace(each, products=np.empty(0))) for each in others]

    def loss(self, weights: Array, ridge: float) -> Array:
        """The mean squared error of each target; infinite if K(w) is indefinite."""
        loss, mass = np.zeros(len(self._folds[0].targets)), 0.0
        for fold, (centred, others) in zip(self._folds, self._others, strict=True):
            objective = LeastSquaresObjective(*centred, self._membership, ridge)
            found = objective.evaluate(weights, None, 0.0)
            if found is None:
                return np.full(len(loss), np.inf)
            loss += fold.squared_loss(found.coef, others.intercept(found.coef))
            mass += fold.mass
        return np.asarray(loss / mass)


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
    # The function may be sent to other machines, so that it holds only what it needs.
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
