"""A function of the nodes that rows come to in trees, as one value for each leaf."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlearn.estimators.mixture.prediction.options import EvaluationOptions
from kernlearn.kernels import TreePaths
from kernlearn.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class TreeValues:
    """Trees with the sum of the coefficients on the way to each node.

    Nodes are numbered level by level, so that the second child comes right after the first. A leaf
    is its own first child, and no row goes on to a second one.
    """

    roots: Indices  # of shape (T,)
    depths: Indices  # how often a row goes on in each tree at most, of shape (T,)
    columns: Indices  # the column that each node splits on, of shape (m,)
    thresholds: Array  # the largest number that goes to the first child, of shape (m,)
    first: Indices  # the first child, of shape (m,)
    values: Array  # the sums of the coefficients, of shape (m, q)

    @classmethod
    def of(cls, kernel: TreePaths, coef: Array) -> TreeValues:
        """From coefficients of the kernel's sparse features, of shape (m, q)."""
        kernel._check_parameters()
        roots, children = np.asarray(kernel.roots), np.asarray(kernel.children)
        is_inner = children[:, 0] != np.arange(len(children))
        levels, trees = [roots], np.arange(len(roots))
        sums = [np.zeros((len(roots), coef.shape[1]))]  # no feature belongs to a root
        depths, firsts, n_nodes = np.zeros(len(roots), dtype=np.intp), [], len(roots)
        while len(levels[-1]):
            inner = is_inner[levels[-1]]
            own = np.arange(n_nodes - len(inner), n_nodes)
            firsts.append(np.where(inner, n_nodes + 2 * (np.cumsum(inner) - 1), own))
            trees = np.repeat(trees[inner], 2)
            depths[trees] = len(firsts)
            below = children[levels[-1][inner]].ravel()
            sums.append(np.repeat(sums[-1][inner], 2, axis=0) + coef[below] / np.sqrt(len(roots)))
            levels.append(below)
            n_nodes += len(below)
        order = np.concatenate(levels)
        thresholds = np.where(is_inner[order], np.asarray(kernel.thresholds)[order], np.inf)
        columns = np.asarray(kernel.columns, dtype=np.intp)[order]
        first = np.concatenate(firsts)
        return cls(np.arange(len(roots)), depths, columns, thresholds, first, np.vstack(sums))

    def add(self, X: Array, out: Array, options: EvaluationOptions) -> None:
        """Add the values for rows of the table to `out`, of shape (n, q)."""
        together = options.tree_rows
        for start in range(0, len(X), together):
            rows = X[start : start + together]
            total = out[start : start + together]
            cells = rows.astype(np.float32).astype(float).ravel()  # as in scikit-learn's trees
            places = np.arange(len(rows)) * X.shape[1]
            if len(rows) < options.few_tree_rows:
                node = np.tile(self.roots, (len(rows), 1))
                leaves = self._leaves(cells, places[:, None], node, int(self.depths.max()))
                total += self.values[leaves].sum(axis=1)
                continue
            for root, depth in zip(self.roots.tolist(), self.depths.tolist(), strict=True):
                node = np.full(len(rows), root)
                total += self.values.take(self._leaves(cells, places, node, depth), axis=0)

    def _leaves(self, cells: Array, places: Indices, node: Indices, depth: int) -> Indices:
        """Where rows end whose cells begin at `places`."""
        for _ in range(depth):
            cell = cells.take(places + self.columns.take(node))
            node = self.first.take(node) + (cell > self.thresholds.take(node))
        return node
