"""Kernels k(x, z): one family in each file, and the ways to combine them."""

from kernlearn.kernels.ard_gaussian import ARDGaussian
from kernlearn.kernels.bank import default_bank
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.centered import Centered
from kernlearn.kernels.columns import Columns
from kernlearn.kernels.features import Features
from kernlearn.kernels.gaussian import Gaussian
from kernlearn.kernels.laplacian import Laplacian
from kernlearn.kernels.linear import Linear
from kernlearn.kernels.matern import Matern
from kernlearn.kernels.normalized import Normalized
from kernlearn.kernels.polynomial import Polynomial
from kernlearn.kernels.power import Power
from kernlearn.kernels.precomputed import Precomputed
from kernlearn.kernels.product import Product
from kernlearn.kernels.scaled import Scaled
from kernlearn.kernels.sum import Sum
from kernlearn.kernels.weighted_sum import WeightedSum

__all__ = [
    "ARDGaussian",
    "Centered",
    "Columns",
    "Features",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Normalized",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Scaled",
    "Sum",
    "WeightedSum",
    "default_bank",
]
