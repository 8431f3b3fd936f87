"""Rows that go the same way through trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kernlearn.kernels._distances import squared_lengths
from kernlearn.kernels._sparse_rows import SparseRows
from kernlearn.kernels._validation import is_finite
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.structured_inputs import inner_products_of_counts
from kernlearn.runtime.phrases import counted
from kernlearn.typing import Array, Indices, Table

_CURE = "take it from fitted trees, as TreePaths.of(forest.estimators_)."


class TreePaths(Kernel):
    r"""Length of the common path of two rows through a tree, a mean over trees.

    .. math:: k(x, z) = \frac1T \sum_{t=1}^{T} \bigl|P_t(x) \cap P_t(z)\bigr| ,

    where :math:`P_t(x)` are the nodes that x comes to in tree t after its root. The nodes of one
    depth are a partition of the space by thresholds of single columns, and the indicators of its
    parts are features: k is a sum of inner products, over trees and over depths. The leaves alone
    give the proximity of rows in Breiman's forests (2001).

    Parameters
    ----------
    roots : array-like of shape (T,)
        The nodes at which the trees begin.
    columns : array-like of shape (m,)
        The column that each node asks for.
    thresholds : array-like of shape (m,)
        The largest number, in single precision, with which a row goes to the first child.
    children : array-like of shape (m, 2)
        The nodes to go on to, which come later; a leaf has itself twice.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from kernlearn.kernels import TreePaths
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]
    >>> forest = RandomForestClassifier(100, max_depth=1, random_state=0).fit(X, y)
    >>> TreePaths.of(forest.estimators_)([[0.0], [6.0]], [[1.0]]) > 0.5
    array([[ True],
           [False]])
    """

    def __init__(
        self, roots: ArrayLike, columns: ArrayLike, thresholds: ArrayLike, children: ArrayLike
    ) -> None:
        self.roots = roots
        self.columns = columns
        self.thresholds = thresholds
        self.children = children

    @classmethod
    def of(cls, trees: Iterable[Any]) -> TreePaths:
        """The kernel of fitted trees of scikit-learn.

        Parameters
        ----------
        trees : iterable
            Fitted trees, such as the ``estimators_`` of a random forest.

        Returns
        -------
        kernel : TreePaths
            For rows as the trees were fitted to.
        """
        parts = [_nodes(one) for one in trees]
        if not parts:
            raise ValueError("TreePaths must have one tree at least, got none; pass fitted trees.")
        columns, thresholds, children = zip(*parts, strict=True)
        roots = np.cumsum([0, *map(len, columns)])[:-1]
        shifted = [both + root for both, root in zip(children, roots, strict=True)]
        return cls(roots, np.concatenate(columns), np.concatenate(thresholds), np.vstack(shifted))

    def _check_parameters(self) -> None:
        roots, columns = np.asarray(self.roots), np.asarray(self.columns)
        thresholds, children = np.asarray(self.thresholds), np.asarray(self.children)
        m = len(columns) if columns.ndim == 1 else 0
        fits = thresholds.shape == (m,) and children.shape == (m, 2) and roots.ndim == 1
        whole = all(part.dtype.kind in "iu" for part in (roots, columns, children))
        if not (fits and whole and roots.size > 0 and m > 0 and is_finite(thresholds)):
            raise ValueError(
                "TreePaths must be built from roots, and for every node a column, a finite "
                "threshold and two children, all but thresholds whole numbers, got shapes "
                f"{[part.shape for part in (roots, columns, thresholds, children)]}; {_CURE}"
            )
        own = np.arange(m)[:, None]
        leads_on = ((children > own) & (children < m)).all(axis=1)
        if not (leads_on | (children == own).all(axis=1)).all():
            raise ValueError(
                "TreePaths' children must be two later nodes, or twice the node itself where it is "
                f"a leaf, got others; {_CURE}"
            )
        if min(roots.min(), columns.min()) < 0 or roots.max() >= m:
            raise ValueError(
                f"TreePaths' roots must be among its nodes and its columns not negative, got "
                f"others; {_CURE}"
            )

    def _evaluate(self, X: Array, Y: Array) -> Array:
        passed = self._node_indicators(X)
        return inner_products_of_counts(passed, passed if Y is X else self._node_indicators(Y))

    def _diag(self, X: Array) -> Array:
        return squared_lengths(self._node_indicators(X))

    def sparse_rows(self, X: Table) -> SparseRows:
        """The indicators of the nodes."""
        self._check_parameters()
        return SparseRows(self._node_indicators(self._check_data(self._check_table(X, "X"), "X")))

    def _node_indicators(self, X: Array) -> csr_array:
        """A column for each node, one over the root of T where a row comes to it."""
        roots, columns = np.asarray(self.roots), np.asarray(self.columns)
        thresholds, children = np.asarray(self.thresholds), np.asarray(self.children)
        needed = int(columns.max()) + 1
        if needed > X.shape[1]:
            raise ValueError(
                f"TreePaths must be called with {counted(needed, 'column')} at least, for which "
                f"its trees ask, got {X.shape[1]}; pass the columns that they were fitted to."
            )
        single = X.astype(np.float32)  # as in scikit-learn's trees
        row, node = np.divmod(np.arange(len(X) * len(roots)), len(roots))
        node = roots[node]
        rows, nodes = [], []
        while True:
            goes_on = children[node, 0] != node
            if not goes_on.any():
                break
            row, node = row[goes_on], node[goes_on]
            is_right = single[row, columns[node]] > thresholds[node]
            node = children[node, is_right.astype(np.intp)]
            rows.append(row)
            nodes.append(node)
        places = (np.concatenate([*rows, row[:0]]), np.concatenate([*nodes, node[:0]]))
        values = np.full(len(places[0]), 1.0 / np.sqrt(len(roots)))
        return csr_array((values, places), shape=(len(X), len(columns)))


def _nodes(fitted: object) -> tuple[Indices, Array, Indices]:
    """Columns, thresholds and children of one tree, leaves with themselves."""
    tree = getattr(fitted, "tree_", None)
    if tree is None:
        raise ValueError(
            f"TreePaths must be made of fitted trees, got {type(fitted).__name__}; fit them first, "
            "and pass those of gradient boosting as model.estimators_.ravel()."
        )
    children = np.stack([tree.children_left, tree.children_right], axis=1)
    own = np.arange(tree.node_count)[:, None]
    return np.maximum(tree.feature, 0), tree.threshold, np.where(children < 0, own, children)
