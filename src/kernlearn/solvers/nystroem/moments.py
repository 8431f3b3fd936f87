r"""The second moments of factors and targets: all that least squares needs to know of the rows.

One pass over the rows adds up ZᵀΘZ, ZᵀΘY and their like, with Θ the sample weights. Moments of
disjoint sets of rows add, so that those of the rows outside a fold are a subtraction away, and
those of a smaller rank are a corner.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from kernlearn._device import (
    beside,
    column_dots,
    lower_products,
    lower_triangle,
    to_host,
    transposed_product,
)
from kernlearn.families.factors import Factors
from kernlearn.gram.rows import reduce_rows, taken_rows
from kernlearn.quality.ls_svm import mirrored
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
            parts[each] = _moments(Z, targets[chosen], weights[chosen], traces, total)
        return parts

    # Blocks of so many rows that each fold has enough of them for a product at full speed.
    size, along = -(-factors.n_columns // n_folds), (Y, sample_weight, fold)
    found = reduce_rows(source, partial(onto, {}), _fold_by_fold, size, along, onto=onto)
    return [_on_host(found[each]) for each in range(n_folds)]


def _fold_by_fold(first: dict[int, Moments], second: dict[int, Moments]) -> dict[int, Moments]:
    """The sums of both."""
    total = {**first, **second}
    for each in first.keys() & second.keys():
        total[each] = first[each] + second[each]
    return total


def _on_host(sums: Moments) -> Moments:
    """The sums of all blocks, with both triangles."""
    products = mirrored(lower_triangle(sums.products))
    rest = {name: to_host(getattr(sums, name)) for name in _SMALL}
    return Moments(products=products, **rest)


def total_of(parts: list[Moments]) -> Moments:
    """The moments of all rows."""
    return reduce(Moments.__add__, parts)


def _moments(
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
