"""The way of rows through trees, as an expression."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlearn.estimators.mixture.prediction.tree_values import TreeValues
from kernlearn.export.expression import (
    Node,
    as_int,
    filled,
    in_single,
    loop,
    node_of,
    take,
    take_along_rows,
    total,
)
from kernlearn.kernels import TreePaths
from kernlearn.typing import Array


def tree_values(kernel: TreePaths, X: Node, coef: Array) -> Node:
    """The function of coefficients of the nodes, of shape (n, q)."""
    trees = TreeValues.of(kernel, coef)
    cells = in_single(X)

    def body(items: Sequence[Node], states: Sequence[Node]) -> list[Node]:
        (node,) = states
        cell = take_along_rows(cells, take(trees.columns, node))
        is_right = as_int(cell > take(trees.thresholds, node))
        return [take(trees.first, node) + is_right]

    start = filled(X, (len(trees.roots),), 0) + node_of(trees.roots)
    depth = np.arange(int(trees.depths.max(initial=0)))
    (leaves,) = loop([depth], [start], body)
    return total(take(trees.values, leaves), axis=1)


def coefficients_of_nodes(kernel: TreePaths, points: Array, coef: Array) -> Array:
    """Coefficients of the nodes, from those of the kernel with points."""
    rows = kernel.sparse_rows(points)
    assert rows is not None
    return np.asarray(rows.transposed_times(coef))
