"""Kernels k(x, z): one family in each file, and the ways to combine them."""

from kernlearn.kernels.anova import ANOVA
from kernlearn.kernels.arithmetic import Power, Product, Scaled, Sum, WeightedSum
from kernlearn.kernels.bag import Bag
from kernlearn.kernels.bank import default_bank
from kernlearn.kernels.base import Kernel
from kernlearn.kernels.bhattacharyya import Bhattacharyya
from kernlearn.kernels.columns import Columns, Stretched
from kernlearn.kernels.features import Features
from kernlearn.kernels.global_alignment import GlobalAlignment
from kernlearn.kernels.graphs.nodes import Diffusion, RegularizedLaplacian
from kernlearn.kernels.graphs.patterns import ShortestPath, WeisfeilerLehman
from kernlearn.kernels.grid import Grid, PerColumn
from kernlearn.kernels.histograms import ChiSquared, Intersection
from kernlearn.kernels.inner_product import Linear, Polynomial
from kernlearn.kernels.missing_sources import Completed, WhereKnown
from kernlearn.kernels.normalized import Centered, Normalized
from kernlearn.kernels.overlap import Overlap
from kernlearn.kernels.precomputed import Precomputed
from kernlearn.kernels.radial import ARDGaussian, Gaussian, Laplacian, Matern
from kernlearn.kernels.ranges import ARDGaussianRange, GaussianRange
from kernlearn.kernels.sequences.local_alignment import SmithWaterman
from kernlearn.kernels.sequences.subsequence import Subsequence
from kernlearn.kernels.sequences.substitution import Substitution
from kernlearn.kernels.sequences.words import Mismatch, Spectrum, WeightedDegree
from kernlearn.kernels.tree_paths import TreePaths

__all__ = [
    "ANOVA",
    "ARDGaussian",
    "ARDGaussianRange",
    "Bag",
    "Bhattacharyya",
    "Centered",
    "ChiSquared",
    "Columns",
    "Completed",
    "Diffusion",
    "Features",
    "Gaussian",
    "GaussianRange",
    "GlobalAlignment",
    "Grid",
    "Intersection",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Mismatch",
    "Normalized",
    "Overlap",
    "PerColumn",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "RegularizedLaplacian",
    "Scaled",
    "ShortestPath",
    "SmithWaterman",
    "Spectrum",
    "Stretched",
    "Subsequence",
    "Substitution",
    "Sum",
    "TreePaths",
    "WeightedDegree",
    "WeightedSum",
    "WeisfeilerLehman",
    "WhereKnown",
    "default_bank",
]
