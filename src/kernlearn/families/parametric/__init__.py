"""Kernels with parameters that are learned: Gaussian, ARD, ARD polynomial, or one's own."""

from kernlearn.families.parametric.ard import ARD
from kernlearn.families.parametric.ard_polynomial import ARDPolynomial
from kernlearn.families.parametric.base import ParametricKernel
from kernlearn.families.parametric.rbf import RBF
from kernlearn.families.parametric.registry import PARAMETRIC_KERNELS, parametric_kernel

__all__ = [
    "ARD",
    "PARAMETRIC_KERNELS",
    "RBF",
    "ARDPolynomial",
    "ParametricKernel",
    "parametric_kernel",
]
