"""A function of the nodes that rows come to in trees, as one value for each leaf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.kernels import TreePaths
from kernlearn.typing import Array, Indices, Mask

# Rows times trees that go down together.
_BLOCK = 2**17


@dataclass(frozen=True, eq=False)
class TreeValues:
    """Trees with the sum of the coefficients on the way to each node."""

    roots: Indices  # of shape (T,)
    columns: Indices  # the column that each node asks for, of shape (m,)
    thresholds: Array  # the largest number that goes to the first child, of shape (m,)
    children: Indices  # first and second child of every node in turn, of shape (2 m,)
    is_inner: Mask  # whether a node leads on, of shape (m,)
    values: Array  # the sums of the coefficients, of shape (m, q)

    @classmethod
    def of(cls, kernel: TreePaths, coef: Array) -> TreeValues:
        """From coefficients of the kernel's sparse features, of shape (m, q)."""
        kernel._check_parameters()
        roots, columns = np.asarray(kernel.roots), np.asarray(kernel.columns, dtype=np.intp)
        children = np.asarray(kernel.children, dtype=np.intp)
        values = coef / np.sqrt(len(roots))
        values[roots] = 0.0  # no feature belongs to a root
        is_inner = children[:, 0] != np.arange(len(columns))
        level = roots[is_inner[roots]]
        while len(level):
            below = children[level]
            for side in (0, 1):
                values[below[:, side]] += values[level]
            level = below[is_inner[below]]
        thresholds = np.asarray(kernel.thresholds, dtype=float)
        return cls(roots.astype(np.intp), columns, thresholds, children.ravel(), is_inner, values)

    def add(self, X: Array, out: Array) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        n_trees = len(self.roots)
        size = max(1, _BLOCK // n_trees)
        for start in range(0, len(X), size):
            block = slice(start, start + size)
            leaves = self._leaves(X[block])
            for values, total in zip(self.values.T, out[block].T, strict=True):
                total += values.take(leaves).reshape(-1, n_trees).sum(axis=1)

    def _leaves(self, X: Array) -> Indices:
        """Where every row ends in every tree, those of the first row first."""
        n, n_columns = X.shape
        cells = X.astype(np.float32).astype(float).ravel()  # as scikit-learn's trees see it
        leaves = np.tile(self.roots, n)
        place = np.flatnonzero(self.is_inner.take(leaves))
        node = leaves[place]
        first_cell = place // len(self.roots) * n_columns
        while len(node):
            goes_right = cells.take(first_cell + self.columns.take(node))
            node = self.children.take(2 * node + (goes_right > self.thresholds.take(node)))
            goes_on = self.is_inner.take(node)
            if not goes_on.all():
                leaves[place[~goes_on]] = node[~goes_on]
                place, node, first_cell = place[goes_on], node[goes_on], first_cell[goes_on]
        return leaves
