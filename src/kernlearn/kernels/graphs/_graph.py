"""Graphs as users have them, read into arrays.

A graph is one of

- a list of edges, pairs of nodes: ``[(0, 1), (1, 2)]``;
- a dictionary ``{"edges": [(0, 1)], "labels": ["C", "O"]}``, labels by node number, or
  ``{"labels": {"a": "C", "b": "O"}, ...}`` by node; without labels, all nodes are alike;
- a graph of networkx, whose nodes carry their label as an attribute.

Edges have no direction; one that is given twice counts once. Nothing here imports networkx: its
graphs are known by what they can do.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kernlearn.kernels.structured_inputs import _Counts


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph read: names and labels of its nodes, and edges by their positions, i ≤ j, once."""

    nodes: list[Hashable]
    labels: list[Hashable]
    edges: NDArray[np.intp]

    def adjacency(self) -> csr_array:
        """The symmetric matrix of zeros and ones."""
        n = len(self.nodes)
        i, j = self.edges.T
        both = np.concatenate([i, j]), np.concatenate([j, i])
        matrix = coo_array((np.ones(len(both[0])), both), shape=(n, n)).tocsr()
        matrix.data[:] = 1.0  # a loop came from both sides
        return matrix


def read_graph(thing: object, where: str, label: str = "label") -> Graph:
    """Return a graph in any of its forms, or say what is wrong with it."""
    try:
        pairs, labels = _parts(thing, label)
        edges = [(_node(a), _node(b)) for a, b in pairs]
    except (TypeError, ValueError):
        shown = repr(thing)
        raise ValueError(
            "A graph must be a list of edges, a dictionary with 'edges' and 'labels', or a graph "
            f"of networkx, got {shown[:60]} in {where}; pass for example [(0, 1), (1, 2)]."
        ) from None
    if labels is None:
        nodes = list(dict.fromkeys(node for edge in edges for node in edge))
        labels = dict.fromkeys(nodes)
    if not labels:
        raise ValueError(
            f"A graph must have at least one node, got none in {where}; drop such rows, or give "
            "the labels of nodes without edges."
        )
    places = {node: i for i, node in enumerate(labels)}
    unknown = [node for edge in edges for node in edge if node not in places]
    if unknown:
        raise ValueError(
            f"The edges of a graph must join nodes that have a label, got {unknown[0]!r} in "
            f"{where}, which has none; add its label."
        )
    numbered = {tuple(sorted((places[a], places[b]))) for a, b in edges}
    table = np.array(sorted(numbered), dtype=np.intp).reshape(-1, 2)
    return Graph(list(labels), list(labels.values()), table)


def _parts(thing: Any, label: str) -> tuple[Iterable[Any], dict[Any, Any] | None]:
    """The edges, and the labels by node; None where all nodes are in the edges, without labels."""
    if hasattr(thing, "nodes") and hasattr(thing, "edges"):
        return list(thing.edges()), dict(thing.nodes(data=label))
    if isinstance(thing, dict):
        labels = thing.get("labels")
        if labels is not None and not isinstance(labels, dict):
            labels = dict(enumerate(labels))
        return list(thing.get("edges", [])), labels
    if isinstance(thing, str):
        raise TypeError
    return list(thing), None


def _node(name: object) -> Hashable:
    # Rows of an array of edges hold numpy's numbers, which would be printed as such.
    plain: Hashable = name.item() if isinstance(name, np.generic) else name
    hash(plain)
    return plain


class _OfGraphs(_Counts):
    """A kernel by the patterns of graphs, whose nodes of networkx have a label of that name."""

    label: str
    reading_parameters = ("label",)

    def _read(self, thing: object, where: str) -> Graph:
        return read_graph(thing, where, self.label)
