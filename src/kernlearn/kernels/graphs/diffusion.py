"""The diffusion kernel on the nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlearn.kernels._parameters import positive
from kernlearn.kernels._sharing import shared
from kernlearn.kernels.graphs._nodes import _OfNodes
from kernlearn.typing import Array

# The eigenvectors of more nodes take gigabytes, and hours.
_MOST_NODES = 10_000


class Diffusion(_OfNodes):
    r"""The diffusion kernel between nodes of a graph, :math:`K = e^{-\beta L}`.

    L is the graph's Laplacian; the kernel is how heat that starts at one node arrives at another
    after the time β (Kondor and Lafferty, 2002). The data are names of nodes.

    Parameters
    ----------
    graph : list of edges, dict, or graph of networkx
        The graph, with the nodes to be predicted. It is kept as it is.
    beta : float, default=1.0
        The time β, above zero.
    normalized : bool, default=False
        Whether L is divided by the square roots of the degrees, so that nodes with many edges do
        not cool faster.

    Notes
    -----
    Every call takes the eigenvectors of L, of all nodes; graphs of up to 10,000 nodes.

    Examples
    --------
    >>> from kernlearn.kernels import Diffusion
    >>> Diffusion([("a", "b"), ("b", "c")], beta=0.5)(["a", "c"], ["a", "b", "c"]).round(3)
    array([[0.674, 0.259, 0.067],
           [0.067, 0.259, 0.674]])
    """

    def __init__(self, graph: Any, beta: float = 1.0, normalized: bool = False) -> None:
        self.graph = graph
        self.beta = beta
        self.normalized = normalized

    def _check_parameters(self) -> None:
        positive(self.beta, "Diffusion's beta")
        n_nodes = len(self._graph().nodes)
        if n_nodes > _MOST_NODES:
            raise ValueError(
                f"Diffusion's graph must have at most {_MOST_NODES} nodes, got {n_nodes}; use "
                "RegularizedLaplacian, which needs no eigenvectors."
            )

    def _between(self, rows: NDArray[Any], columns: NDArray[Any]) -> Array:
        values, vectors = shared(
            ("eigenvectors", self.normalized),
            lambda: np.linalg.eigh(self._laplacian().toarray()),
            self.graph,
        )
        heat = np.exp(-self.beta * np.maximum(values, 0.0))
        return np.asarray((vectors[rows] * heat) @ vectors[columns].T)
