"""Kernels between the nodes of one graph."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from kernlearn.kernels._sharing import shared
from kernlearn.kernels.graphs._graph import Graph, read_graph
from kernlearn.kernels.structured_inputs import _OnThings
from kernlearn.typing import Array


class _OfNodes(_OnThings):
    """Rows name nodes of ``graph``; a subclass computes the matrix over all of them."""

    graph: Any
    normalized: bool

    def __sklearn_clone__(self) -> _OfNodes:
        # The graph is kept as it is, like the matrix of Precomputed: clones share it.
        return type(self)(**self.get_params(deep=False))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        others = [f"{k}={v!r}" for k, v in self.get_params(deep=False).items() if k != "graph"]
        return f"{type(self).__name__}({', '.join(['graph=<graph>', *others])})"

    def _check_data(self, X: Any, name: str) -> NDArray[Any]:
        places = {node: i for i, node in enumerate(self._graph().nodes)}
        return np.array([_place(places, node, f"row {i} of {name}") for i, node in enumerate(X)])

    def _evaluate(self, X: NDArray[Any], Y: NDArray[Any]) -> Array:
        return self._between(X, Y)

    def _diag(self, X: NDArray[Any]) -> Array:
        nodes, back = np.unique(X, return_inverse=True)
        return self._between(nodes, nodes).diagonal()[back].copy()

    @abstractmethod
    def _between(self, rows: NDArray[Any], columns: NDArray[Any]) -> Array:
        """Return the kernel between nodes given by their positions."""

    def _graph(self) -> Graph:
        graph: Graph = shared(
            "graph", lambda: read_graph(self.graph, f"{type(self).__name__}'s graph"), self.graph
        )
        return graph

    def _laplacian(self) -> csr_array:
        """L = D − A, or :math:`D^{-1/2} L D^{-1/2}`; a loop does not count."""
        adjacency = self._graph().adjacency()
        adjacency = adjacency - diags_array(adjacency.diagonal())
        degrees = np.asarray(adjacency.sum(axis=1)).ravel()
        L = diags_array(degrees) - adjacency
        if not self.normalized:
            return csr_array(L)
        roots = np.where(degrees > 0, 1.0 / np.sqrt(np.maximum(degrees, 1.0)), 0.0)
        return csr_array(diags_array(roots) @ L @ diags_array(roots))


def _place(places: dict[Hashable, int], node: Any, where: str) -> int:
    plain = node.item() if isinstance(node, np.generic) else node
    try:
        return places[plain]
    except (KeyError, TypeError):
        raise ValueError(
            f"Nodes must be those of the kernel's graph, got {plain!r} in {where}, which it does "
            "not have; add the node and its edges to the graph, or drop the row."
        ) from None
