"""Sums and products over columns, of rows that are yet to come and known points.

Differences are taken column by column, as exactly as the kernels do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

from kernlearn.export.expression import (
    Node,
    absolute,
    exp,
    filled,
    loop,
    node_of,
    reshaped,
    smaller,
    transposed,
    where,
)
from kernlearn.typing import Array


def sum_over_columns(X: Node, points: Array, term: Callable[[Node, Node], Node]) -> Node:
    """For every row and point the sum of a term of their cells, of shape (n, m)."""

    def body(items: Sequence[Node], states: Sequence[Node]) -> list[Node]:
        return [states[0] + term(reshaped(items[0], -1, 1), items[1])]

    start = filled(X, (len(points),), 0.0)
    return loop([transposed(X), points.T], [start], body)[0]


def squared_distances(X: Node, points: Array) -> Node:
    """Squared Euclidean distances."""
    return sum_over_columns(X, points, lambda x, z: (x - z) ** 2)


def city_block_distances(X: Node, points: Array) -> Node:
    """Sums of absolute differences."""
    return sum_over_columns(X, points, lambda x, z: absolute(x - z))


def chi_squares(X: Node, points: Array) -> Node:
    """Squared differences in units of the sums of the cells; nothing where both are zero."""

    def term(x: Node, z: Node) -> Node:
        both = x + z
        return where(both > 0.0, (x - z) ** 2 / where(both > 0.0, both, 1.0), 0.0 * both)

    return sum_over_columns(X, points, term)


def histogram_intersections(X: Node, points: Array) -> Node:
    """Sums of the smaller cells."""
    return sum_over_columns(X, points, smaller)


def anova_sums(X: Node, points: Array, gamma: float, degree: int) -> Node:
    """The ANOVA kernel: means of products of Gaussians over sets of columns."""
    n_columns = points.shape[1]
    degree = min(degree, n_columns)

    def body(items: Sequence[Node], states: Sequence[Node]) -> list[Node]:
        single = exp((reshaped(items[0], -1, 1) - items[1]) ** 2 * -gamma)
        below = [None, *states[:-1]]
        return [
            state + (single if last is None else last * single)
            for state, last in zip(states, below, strict=True)
        ]

    start = [filled(X, (len(points),), 0.0)] * degree
    sums = loop([transposed(X), points.T], start, body)
    shares = [1.0 / (degree * comb(n_columns, q)) for q in range(1, degree + 1)]
    parts = [each * share for each, share in zip(sums, shares, strict=True)]
    return sum(parts[1:], start=parts[0])


def harmonic_products(
    X: Node, points: Array, gammas: Array, tables: Array, lambda_h: float
) -> Node:
    """Products of the ARD harmonic hyperkernel, of shape (n, pairs, m).

    `tables` are what it needs of the pairs, of shape (pairs, columns).
    """

    def body(items: Sequence[Node], states: Sequence[Node]) -> list[Node]:
        x, z, gamma, pair = items
        single = exp((reshaped(x, -1, 1, 1) - z) ** 2 * -gamma)
        share = node_of(1.0 - lambda_h) / (node_of(1.0) - reshaped(pair, -1, 1) * lambda_h * single)
        return [states[0] * share]

    start = filled(X, (len(tables), len(points)), 1.0)
    return loop([transposed(X), points.T, gammas, tables.T], [start], body)[0]
