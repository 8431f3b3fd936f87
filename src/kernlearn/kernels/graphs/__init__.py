"""Kernels on labelled graphs, and on the nodes of one graph."""
