"""Penalties on the weights of kernels, or on the parameters of one; ``+`` makes a sum of them.

:func:`kernlearn.learn_weights` and the estimators of combinations take penalties on weights, the
first-level estimators those on parameters. Norms are both.
"""

from kernlearn.families.hyper_norm import HyperNorm
from kernlearn.families.parameter_penalties import L1Norm, NearTheta
from kernlearn.families.penalties import (
    ElasticNet,
    GroupNorm,
    LinearPenalty,
    LpNorm,
    PenaltySum,
)
from kernlearn.families.prior_kernels import NearKernel, WishartPrior

__all__ = [
    "ElasticNet",
    "GroupNorm",
    "HyperNorm",
    "L1Norm",
    "LinearPenalty",
    "LpNorm",
    "NearKernel",
    "NearTheta",
    "PenaltySum",
    "WishartPrior",
]
