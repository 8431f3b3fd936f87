"""The regularised Laplacian kernel on the nodes of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import eye_array
from scipy.sparse.linalg import splu

from kernlearn.kernels._parameters import positive
from kernlearn.kernels.graphs._nodes import _OfNodes
from kernlearn.typing import Array


class RegularizedLaplacian(_OfNodes):
    r"""The regularised Laplacian kernel between nodes of a graph, :math:`K = (I + \gamma L)^{-1}`.

    L is the graph's Laplacian (Smola and Kondor, 2003). Of the inverse, only the columns of the
    nodes asked for are computed, by a sparse factorisation. The data are names of nodes.

    Parameters
    ----------
    graph : list of edges, dict, or graph of networkx
        The graph, with the nodes to be predicted. It is kept as it is.
    gamma : float, default=1.0
        How far nodes are smoothed along edges, γ above zero.
    normalized : bool, default=False
        Whether L is divided by the square roots of the degrees.

    Examples
    --------
    >>> from kernlearn.kernels import RegularizedLaplacian
    >>> RegularizedLaplacian([("a", "b"), ("b", "c")])(["a", "c"], ["a", "b", "c"])
    array([[0.625, 0.25 , 0.125],
           [0.125, 0.25 , 0.625]])
    """

    def __init__(self, graph: Any, gamma: float = 1.0, normalized: bool = False) -> None:
        self.graph = graph
        self.gamma = gamma
        self.normalized = normalized

    def _check_parameters(self) -> None:
        positive(self.gamma, "RegularizedLaplacian's gamma")
        self._graph()

    def _between(self, rows: NDArray[Any], columns: NDArray[Any]) -> Array:
        n_nodes = len(self._graph().nodes)
        nodes, back = np.unique(columns, return_inverse=True)
        units = np.zeros((n_nodes, len(nodes)))
        units[nodes, np.arange(len(nodes))] = 1.0
        system = (eye_array(n_nodes) + self.gamma * self._laplacian()).tocsc()
        return np.asarray(splu(system).solve(units)[np.ix_(rows, back)])
