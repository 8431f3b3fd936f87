"""Penalties on the weights of kernels, for :func:`kernlearn.learn_weights`."""

from kernlearn.families.penalties import ElasticNet, HyperNorm, LpNorm

__all__ = ["ElasticNet", "HyperNorm", "LpNorm"]
