"""The shortest-path kernel on labelled graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from kernlearn.kernels.graphs._graph import Graph, _OfGraphs
from kernlearn.kernels.structured_inputs import Codes, appended, count
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
