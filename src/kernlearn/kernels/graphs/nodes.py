"""Kernels between the nodes of one graph: diffusion and the regularised Laplacian."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import splu

from kernlearn.kernels._parameters import positive
from kernlearn.kernels._sharing import shared
from kernlearn.kernels.graphs._graph import Graph, read_graph
from kernlearn.kernels.structured_inputs import _OnThings
from kernlearn.typing import Array, Indices, Things

# The eigenvectors of more nodes take gigabytes, and hours.
_MOST_NODES = 10_000


class _OfNodes(_OnThings):
    """Rows name nodes of ``graph``; a subclass evaluates the kernel between their positions."""

    graph: Any
    normalized: bool

    def __sklearn_clone__(self) -> _OfNodes:
        # The graph is kept as it is, like the matrix of Precomputed: clones share it.
        return type(self)(**self.get_params(deep=False))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        others = [f"{k}={v!r}" for k, v in self.get_params(deep=False).items() if k != "graph"]
        return f"{type(self).__name__}({', '.join(['graph=<graph>', *others])})"

    def _check_data(self, X: Things, name: str) -> Indices:
        places = {node: i for i, node in enumerate(self._graph().nodes)}
        return np.array(
            [node_position(places, node, f"row {i} of {name}") for i, node in enumerate(X)]
        )

    def _diag(self, X: Indices) -> Array:
        nodes, back = np.unique(X, return_inverse=True)
        return self._evaluate(nodes, nodes).diagonal()[back].copy()

    def _graph(self) -> Graph:
        return shared(
            "graph", lambda: read_graph(self.graph, f"{type(self).__name__}'s graph"), self.graph
        )

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

    def _evaluate(self, X: Indices, Y: Indices) -> Array:
        values, vectors = shared(
            ("eigenvectors", self.normalized),
            lambda: np.linalg.eigh(self._laplacian().toarray()),
            self.graph,
        )
        heat = np.exp(-self.beta * np.maximum(values, 0.0))
        return np.asarray((vectors[X] * heat) @ vectors[Y].T)


class RegularizedLaplacian(_OfNodes):
    r"""The regularised Laplacian kernel between nodes of a graph, :math:`K = (I + \gamma L)^{-1}`.

    L is the graph's Laplacian (Smola and Kondor, 2003). A sparse factorisation yields only those
    columns of the inverse that belong to the nodes asked for. The data are names of nodes.

    Parameters
    ----------
    graph : list of edges, dict, or graph of networkx
        The graph, with the nodes to be predicted. It is kept as it is.
    gamma : float, default=1.0
        Strength of smoothing along edges, γ above zero.
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

    def _evaluate(self, X: Indices, Y: Indices) -> Array:
        n_nodes = len(self._graph().nodes)
        nodes, back = np.unique(Y, return_inverse=True)
        units = np.zeros((n_nodes, len(nodes)))
        units[nodes, np.arange(len(nodes))] = 1.0
        system = (eye_array(n_nodes) + self.gamma * self._laplacian()).tocsc()
        return np.asarray(splu(system).solve(units)[np.ix_(X, back)])


def node_position(places: dict[Hashable, int], node: object, where: str) -> int:
    """The position of a node of this name; a name that is wrong is refused."""
    plain = node.item() if isinstance(node, np.generic) else node
    try:
        return places[plain]
    except (KeyError, TypeError):
        raise ValueError(
            f"Nodes must be those of the kernel's graph, got {plain!r} in {where}, which it does "
            "not have; add the node and its edges to the graph, or drop the row."
        ) from None
