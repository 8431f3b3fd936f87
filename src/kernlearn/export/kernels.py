"""Kernels between rows that are yet to come and known points, as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np

from kernlearn.export.columns_in_turn import (
    anova_sums,
    chi_squares,
    city_block_distances,
    harmonic_products,
    histogram_intersections,
    squared_distances,
)
from kernlearn.export.expression import (
    Node,
    as_float,
    exp,
    filled,
    is_missing,
    larger,
    loop,
    node_of,
    reshaped,
    smaller,
    square_root,
    total,
    where,
)
from kernlearn.export.points import as_numbers, as_text
from kernlearn.export.refusal import refused
from kernlearn.export.tables import NumberTable, RowTable
from kernlearn.export.transformers import transformed
from kernlearn.export.trees import coefficients_of_nodes, tree_values
from kernlearn.hyperkernels import ARDHarmonic, Expansion, Harmonic
from kernlearn.kernels import (
    ANOVA,
    ARDGaussian,
    Centered,
    ChiSquared,
    Columns,
    Features,
    Gaussian,
    Intersection,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Normalized,
    Overlap,
    Polynomial,
    Power,
    Product,
    Scaled,
    Stretched,
    Sum,
    TreePaths,
    WeightedSum,
    WhereKnown,
)
from kernlearn.kernels.base import _UnitDiagonal
from kernlearn.typing import Array, Rows

# Beyond this distance a Matérn kernel is zero; the limit keeps ∞·0 away.
_FAR = 1e3


def kernel_values(kernel: Kernel, table: RowTable, points: Rows, coef: Array) -> Node:
    """The function Σᵢ k(x, zᵢ) cᵢ of rows, of shape (n, q).

    Sums of kernels are taken apart, and what is linear in features needs no points.
    """
    kind = type(kernel)
    if kind in (Sum, WeightedSum):
        weights = getattr(kernel, "weights", [1.0] * len(kernel.kernels))
        parts = [
            kernel_values(part, table, points, float(weight) * coef)
            for part, weight in zip(kernel.kernels, weights, strict=True)
            if weight
        ]
        return reduce(Node.__add__, parts) if parts else _zeros(table, coef)
    if kind is Scaled:
        return kernel_values(kernel.kernel, table, points, kernel.scale * coef)
    if kind is Columns and points is not None:
        part, inputs = _chosen(kernel, table, points)
        return kernel_values(kernel.kernel, part, inputs, coef)
    if kind is Features and points is not None:
        inputs = transformed(kernel.transformer, table)
        return kernel_values(kernel.kernel, inputs, kernel.transformed(points), coef)
    if kind is Linear and points is None:  # coefficients of sparse features
        return _matrix(table) @ coef
    if kind is Linear:
        return _matrix(table) @ (as_numbers(points).T @ coef)
    if kind is TreePaths:
        if points is not None:
            coef = coefficients_of_nodes(kernel, as_numbers(points), coef)
        return tree_values(kernel, _matrix(table), coef)
    if points is None:
        raise refused(f"sparse features of the kernel {kind.__name__}", "choose another kernel")
    return kernel_matrix(kernel, table, points) @ coef


def kernel_matrix(kernel: Kernel, table: RowTable, points: Rows) -> Node:
    """The values of a kernel with points, of shape (n, m)."""
    translate = _MATRICES.get(type(kernel))
    if translate is None:
        raise refused(
            f"the kernel {type(kernel).__name__}",
            "leave its column or source out, or choose kernels of numbers and categories, such as "
            "Gaussian and Overlap",
        )
    return translate(kernel, table, points)


def _matrix(table: RowTable) -> Node:
    return table.numbers(range(table.width))


def _zeros(table: RowTable, coef: Array) -> Node:
    return filled(_matrix(table), (coef.shape[1],), 0.0)


def _chosen(kernel: Columns, table: RowTable, points: Rows) -> tuple[RowTable, Rows]:
    places = kernel.positions(points)
    return table.chosen(places), kernel.selected(points)


def _linear(kernel: Linear, table: RowTable, points: Rows) -> Node:
    return _matrix(table) @ as_numbers(points).T


def _polynomial(kernel: Polynomial, table: RowTable, points: Rows) -> Node:
    return (_linear(Linear(), table, points) + float(kernel.offset)) ** kernel.degree


def _gaussian(kernel: Gaussian, table: RowTable, points: Rows) -> Node:
    return exp(squared_distances(_matrix(table), as_numbers(points)) * -float(kernel.gamma))


def _ard_gaussian(kernel: ARDGaussian, table: RowTable, points: Rows) -> Node:
    gammas = np.asarray(kernel.gammas, dtype=float)
    places = np.flatnonzero(gammas).tolist() or [0]
    scales = np.sqrt(gammas[places])
    rows = table.numbers(places) * scales
    return exp(-squared_distances(rows, as_numbers(points)[:, places] * scales))


def _laplacian(kernel: Laplacian, table: RowTable, points: Rows) -> Node:
    return exp(city_block_distances(_matrix(table), as_numbers(points)) * -float(kernel.gamma))


def _matern(kernel: Matern, table: RowTable, points: Rows) -> Node:
    squares = squared_distances(_matrix(table), as_numbers(points))
    if kernel.nu == inf:
        return exp(squares * (-0.5 / float(kernel.length_scale) ** 2))
    r = smaller(square_root(squares) / float(kernel.length_scale), _FAR) * sqrt(2.0 * kernel.nu)
    if kernel.nu == 0.5:
        return exp(-r)
    return (r + 1.0 if kernel.nu == 1.5 else r * (r / 3.0 + 1.0) + 1.0) * exp(-r)


def _anova(kernel: ANOVA, table: RowTable, points: Rows) -> Node:
    return anova_sums(_matrix(table), as_numbers(points), float(kernel.gamma), int(kernel.degree))


def _trees(kernel: TreePaths, table: RowTable, points: Rows) -> Node:
    coef = coefficients_of_nodes(kernel, as_numbers(points), np.eye(len(points)))
    return tree_values(kernel, _matrix(table), coef)


def _chi_squared(kernel: ChiSquared, table: RowTable, points: Rows) -> Node:
    return exp(chi_squares(_matrix(table), as_numbers(points)) * -float(kernel.gamma))


def _intersection(kernel: Intersection, table: RowTable, points: Rows) -> Node:
    return histogram_intersections(_matrix(table), as_numbers(points))


def _overlap(kernel: Overlap, table: RowTable, points: Rows) -> Node:
    parts = []
    for j in range(table.width):
        cells = as_text(points, j)
        levels = sorted(set(cells.tolist()) - {""})
        shares = {} if kernel.alpha is None else _shares_as_text(kernel.frequencies[j])
        weights = [_weight_of(kernel, shares.get(level, 0.0)) for level in levels]
        agree = (np.array(levels, dtype=str)[:, None] == cells) * np.array(weights)[:, None]
        rows = np.zeros((len(levels) + 1, len(cells)))
        rows[:-1] = agree / table.width
        parts.append(table.rows_of_levels(j, levels, rows))
    return reduce(Node.__add__, parts)


def _weight_of(kernel: Overlap, share: float) -> float:
    if kernel.alpha is None:
        return 1.0
    return float(max(1.0 - share**kernel.alpha, 0.0) ** (1.0 / kernel.alpha))


def _shares_as_text(frequencies: dict[Any, float]) -> dict[str, float]:
    """Shares by the text that stands for a category where cells are read."""
    keys = as_text(np.array([[each] for each in frequencies], dtype=object), 0)
    return dict(zip(keys.tolist(), frequencies.values(), strict=True))


def _sum(kernel: Sum | WeightedSum, table: RowTable, points: Rows) -> Node:
    weights = getattr(kernel, "weights", [1.0] * len(kernel.kernels))
    both = zip(kernel.kernels, weights, strict=True)
    parts = [kernel_matrix(part, table, points) * float(weight) for part, weight in both if weight]
    return reduce(Node.__add__, parts)


def _product(kernel: Product, table: RowTable, points: Rows) -> Node:
    return reduce(Node.__mul__, [kernel_matrix(part, table, points) for part in kernel.kernels])


def _scaled(kernel: Scaled, table: RowTable, points: Rows) -> Node:
    return kernel_matrix(kernel.kernel, table, points) * float(kernel.scale)


def _power(kernel: Power, table: RowTable, points: Rows) -> Node:
    return kernel_matrix(kernel.kernel, table, points) ** kernel.exponent


def _columns(kernel: Columns, table: RowTable, points: Rows) -> Node:
    part, inputs = _chosen(kernel, table, points)
    return kernel_matrix(kernel.kernel, part, inputs)


def _features(kernel: Features, table: RowTable, points: Rows) -> Node:
    inputs = transformed(kernel.transformer, table)
    return kernel_matrix(kernel.kernel, inputs, kernel.transformed(points))


def _stretched(kernel: Stretched, table: RowTable, points: Rows) -> Node:
    scales = np.asarray(kernel.scales, dtype=float)
    places = np.arange(len(scales))
    if isinstance(kernel.kernel, Gaussian | Matern | Laplacian | Linear):
        # A column with a factor of zero changes none of these.
        places = np.flatnonzero(scales) if scales.any() else places[:1]
    rows = NumberTable(table.numbers(places.tolist()) * scales[places], len(places))
    return kernel_matrix(kernel.kernel, rows, as_numbers(points)[:, places] * scales[places])


def _centred(kernel: Centered, table: RowTable, points: Rows) -> Node:
    inner, mean = kernel.kernel, kernel._overall_mean()
    of_points = np.asarray(inner(points, kernel.sample)).mean(axis=1)
    means = _means_with_sample(kernel, table)
    shift: Array = of_points - mean
    return kernel_matrix(inner, table, points) - means - shift


def _means_with_sample(kernel: Centered, table: RowTable) -> Node:
    """Mean values with the sample, a function with equal coefficients; of shape (n, 1)."""
    n_rows = kernel.sample.shape[0]  # a sparse matrix has no length
    share = np.full((n_rows, 1), 1.0 / n_rows)
    return kernel_values(kernel.kernel, table, kernel.sample, share)


def _where_known(kernel: WhereKnown, table: RowTable, points: Rows) -> Node:
    gaps = is_missing(_matrix(table))
    lacks = total(as_float(gaps), 1, keep=True) > table.width - 0.5
    rows = NumberTable(where(gaps, 0.0, _matrix(table)), table.width)
    known = np.asarray(~np.isnan(as_numbers(points)).all(axis=1))
    there = np.where(known[:, None], as_numbers(points), 0.0)
    values = _centred(Centered(kernel.kernel, kernel.sample, kernel.mean), rows, there)
    return where(lacks, values * 0.0, values * known.astype(float))


def _normalized(kernel: Normalized, table: RowTable, points: Rows) -> Node:
    diagonal = reshaped(_diagonal(kernel.kernel, table), -1, 1)
    point_diagonal = np.asarray(kernel.kernel.diag(points))
    values = kernel_matrix(kernel.kernel, table, points)
    scaled = values * np.where(
        point_diagonal > 0, 1.0 / np.sqrt(np.where(point_diagonal > 0, point_diagonal, 1.0)), 0.0
    )
    roots = square_root(where(diagonal > 0.0, diagonal, 1.0 + 0.0 * diagonal))
    return where(diagonal > 0.0, scaled / roots, 0.0 * scaled)


def _diagonal(kernel: Kernel, table: RowTable) -> Node:
    """k(x, x) of rows, of shape (n,)."""
    X = _matrix(table)
    squares = total(X * X, 1)
    if isinstance(kernel, _UnitDiagonal):
        return squares * 0.0 + 1.0
    if type(kernel) is Linear:
        return squares
    if type(kernel) is Polynomial:
        return (squares + float(kernel.offset)) ** kernel.degree
    if type(kernel) is Normalized:
        return as_float(_diagonal(kernel.kernel, table) > 0.0)
    if type(kernel) is Centered:
        means = reshaped(_means_with_sample(kernel, table), -1)
        around = _diagonal(kernel.kernel, table) - means * 2.0 + kernel._overall_mean()
        return larger(around, 0.0)
    if type(kernel) is Power:
        return _diagonal(kernel.kernel, table) ** kernel.exponent
    if type(kernel) is Scaled:
        return _diagonal(kernel.kernel, table) * float(kernel.scale)
    if type(kernel) in (Sum, WeightedSum):
        weights = getattr(kernel, "weights", [1.0] * len(kernel.kernels))
        both = zip(kernel.kernels, weights, strict=True)
        return reduce(Node.__add__, [_diagonal(part, table) * float(w) for part, w in both])
    if type(kernel) is Product:
        return reduce(Node.__mul__, [_diagonal(part, table) for part in kernel.kernels])
    raise refused(
        f"the normalised kernel {type(kernel).__name__}", "fit again with normalize=False"
    )


def _expansion(kernel: Expansion, table: RowTable, points: Rows) -> Node:
    """Sections of a harmonic hyperkernel, added up."""
    hyperkernel, X, Z = kernel.hyperkernel, _matrix(table), as_numbers(points)
    pairs, weights = kernel._used(Z)
    if not len(weights):
        return filled(X, (len(Z),), 0.0)
    if type(hyperkernel) is ARDHarmonic:
        gammas = np.asarray(hyperkernel.gammas, dtype=float)
        products = harmonic_products(X, Z, gammas, pairs, float(hyperkernel.lambda_h))
        return total(products * weights[:, None], 1)
    if type(hyperkernel) is Harmonic and hyperkernel.kernel is None:
        near = exp(squared_distances(X, Z) * -float(hyperkernel.gamma))
        ratio = float(hyperkernel.lambda_h)

        def body(items: Sequence[Node], states: Sequence[Node]) -> list[Node]:
            pair, weight = items
            share = node_of(1.0) - pair * ratio * near
            return [states[0] + weight * (1.0 - ratio) / share]

        return loop([pairs[:, 0], weights], [filled(X, (len(Z),), 0.0)], body)[0]
    raise refused(
        f"sections of the hyperkernel {type(hyperkernel).__name__}",
        "use Harmonic or ARDHarmonic on numbers",
    )


_Matrix: TypeAlias = Callable[[Any, RowTable, Rows], Node]
_MATRICES: dict[type[Kernel], _Matrix] = {
    ANOVA: _anova,
    ARDGaussian: _ard_gaussian,
    Centered: _centred,
    ChiSquared: _chi_squared,
    Columns: _columns,
    Expansion: _expansion,
    Features: _features,
    Gaussian: _gaussian,
    Intersection: _intersection,
    Laplacian: _laplacian,
    Linear: _linear,
    Matern: _matern,
    Normalized: _normalized,
    Overlap: _overlap,
    Polynomial: _polynomial,
    Power: _power,
    Product: _product,
    Scaled: _scaled,
    Stretched: _stretched,
    Sum: _sum,
    TreePaths: _trees,
    WeightedSum: _sum,
    WhereKnown: _where_known,
}
