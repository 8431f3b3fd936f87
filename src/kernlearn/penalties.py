"""Penalties on the weights of kernels, for :func:`kernlearn.learn_weights` and the estimators."""

from kernlearn.families.hyper_norm import HyperNorm
from kernlearn.families.penalties import ElasticNet, GroupNorm, LinearPenalty, LpNorm
from kernlearn.families.prior_kernels import NearKernel, WishartPrior

__all__ = [
    "ElasticNet",
    "GroupNorm",
    "HyperNorm",
    "LinearPenalty",
    "LpNorm",
    "NearKernel",
    "WishartPrior",
]
