"""Kernels on labelled graphs, and on the nodes of one graph."""

from kernlearn.kernels.graphs.nodes import Diffusion, RegularizedLaplacian
from kernlearn.kernels.graphs.shortest_path import ShortestPath
from kernlearn.kernels.graphs.weisfeiler_lehman import WeisfeilerLehman

__all__ = ["Diffusion", "RegularizedLaplacian", "ShortestPath", "WeisfeilerLehman"]
