"""Kernels by the patterns of labelled graphs: shortest paths, and Weisfeiler–Lehman subtrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, hstack
from scipy.sparse.csgraph import shortest_path

from kernlearn.kernels.graphs._graph import Graph, _OfGraphs
from kernlearn.kernels.structured_inputs import Codes, appended, count, numbered
from kernlearn.typing import Things


class ShortestPath(_OfGraphs):
    r"""The shortest-path kernel: pairs of nodes with the same labels at the same distance.

    .. math:: k(x, z) = \sum_{a, b, l} n_{abl}(x) \, n_{abl}(z),

    where :math:`n_{abl}` counts the pairs of nodes labelled a and b whose shortest path has l edges
    (Borgwardt and Kriegel, 2005). Nodes without a path between them do not count; a graph without
    edges is zero with every other.

    Parameters
    ----------
    label : str, default="label"
        The attribute of a networkx node that is its label; a node without it has the label None.

    Notes
    -----
    Graphs are lists of edges, dictionaries ``{"edges": [(0, 1)], "labels": ["C", "O"]}`` or graphs
    of networkx, without directions.

    Examples
    --------
    >>> from kernlearn.kernels import ShortestPath
    >>> path, triangle = [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]
    >>> ShortestPath()([path, triangle])
    array([[5., 6.],
           [6., 9.]])
    """

    def __init__(self, label: str = "label") -> None:
        self.label = label

    def _counts(self, things: Things) -> csr_array:
        numbers: dict[Any, int] = {}
        parts = []
        for graph in things:
            labels = [numbers.setdefault(label, len(numbers)) for label in graph.labels]
            parts.append(_pairs(graph, np.array(labels, dtype=np.int64)))
        rows = np.repeat(np.arange(len(things)), [len(part) for part in parts])
        first, second, lengths = np.concatenate(parts).T
        codes = appended(
            appended(first, second, len(numbers)), lengths, int(max(lengths, default=0)) + 1
        )
        return count(rows, codes, len(things))


def _pairs(graph: Graph, labels: Codes) -> Codes:
    """For every two nodes with a path between them: the smaller label, the larger, its length."""
    distances = shortest_path(graph.adjacency(), directed=False, unweighted=True)
    i, j = np.triu_indices(len(labels), 1)
    lengths = distances[i, j]
    there = np.isfinite(lengths)
    ends = np.sort(np.stack([labels[i[there]], labels[j[there]]], axis=1), axis=1)
    return np.column_stack([ends, lengths[there].astype(np.int64)])


class WeisfeilerLehman(_OfGraphs):
    r"""The Weisfeiler–Lehman subtree kernel: rounds of neighbourhoods that two graphs share.

    In round 0 the label of a node is its own; in each further round it becomes its last label with
    the sorted last labels of its neighbours. The kernel is the inner product of how often each
    label of each round occurs (Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt,
    2011),

    .. math:: k(x, z) = \sum_{r=0}^{h} \sum_{c} n_c^r(x) \, n_c^r(z).

    Parameters
    ----------
    iterations : int, default=3
        Rounds h; with 0, graphs are compared by the labels of their nodes alone.
    label : str, default="label"
        The attribute of a networkx node that is its label; a node without it has the label None.

    Notes
    -----
    Graphs are lists of edges, dictionaries ``{"edges": [(0, 1)], "labels": ["C", "O"]}`` or graphs
    of networkx, without directions. A label that the training graphs do not have is simply shared
    with none of them.

    Examples
    --------
    >>> from kernlearn.kernels import WeisfeilerLehman
    >>> water = {"edges": [(0, 1), (0, 2)], "labels": ["O", "H", "H"]}
    >>> hydroxide = {"edges": [(0, 1)], "labels": ["O", "H"]}
    >>> WeisfeilerLehman(iterations=1)([water, hydroxide])
    array([[10.,  5.],
           [ 5.,  4.]])
    """

    def __init__(self, iterations: int = 3, label: str = "label") -> None:
        self.iterations = iterations
        self.label = label

    def _check_parameters(self) -> None:
        is_count = isinstance(self.iterations, int | np.integer)
        if not is_count or isinstance(self.iterations, bool) or self.iterations < 0:
            raise ValueError(
                f"WeisfeilerLehman's iterations must be 0, 1, 2, ..., got {self.iterations!r}; "
                "choose 3, say."
            )

    def _counts(self, things: Things) -> csr_array:
        sizes = [len(graph.nodes) for graph in things]
        rows = np.repeat(np.arange(len(things)), sizes)
        labels, starts, ends = _joint_graph(things, sizes)
        neighbourhoods = _by_degree(starts, ends, len(rows))
        blocks = [count(rows, labels, len(things))]
        for _ in range(self.iterations):
            labels = _refined(labels, neighbourhoods)
            blocks.append(count(rows, labels, len(things)))
        return hstack(blocks, format="csr")


def _joint_graph(graphs: Things, sizes: list[int]) -> tuple[Codes, Codes, Codes]:
    """The labels of all nodes as numbers, and both ends of each edge, from either side."""
    numbers: dict[Any, int] = {}
    labels = [numbers.setdefault(label, len(numbers)) for g in graphs for label in g.labels]
    offsets = np.cumsum([0, *sizes[:-1]])
    edges = np.concatenate([g.edges + at for g, at in zip(graphs, offsets, strict=True)])
    loops = edges[:, 0] == edges[:, 1]
    both = np.concatenate([edges, edges[~loops, ::-1]])
    return np.array(labels, dtype=np.int64), both[:, 0], both[:, 1]


def _by_degree(starts: Codes, ends: Codes, n_nodes: int) -> list[tuple[Codes, Codes]]:
    """The nodes of each degree, with a table of their neighbours."""
    order = np.argsort(starts, kind="stable")
    ends = ends[order]
    degrees = np.bincount(starts, minlength=n_nodes)
    firsts = np.cumsum(degrees) - degrees
    groups = []
    for degree in np.unique(degrees):
        nodes = np.flatnonzero(degrees == degree)
        groups.append((nodes, ends[firsts[nodes][:, None] + np.arange(degree)]))
    return groups


def _refined(labels: Codes, neighbourhoods: list[tuple[Codes, Codes]]) -> Codes:
    """One round: equal where the label and the sorted labels of all neighbours are equal."""
    labels, n_labels = numbered(labels)
    refined = np.empty_like(labels)
    n_known = 0
    for nodes, neighbours in neighbourhoods:
        codes = labels[nodes]
        for column in np.sort(labels[neighbours], axis=1).T:
            codes = appended(codes, column, n_labels)
        codes, n_new = numbered(codes)
        # Nodes of different degrees never share a label.
        refined[nodes] = codes + n_known
        n_known += n_new
    return refined
