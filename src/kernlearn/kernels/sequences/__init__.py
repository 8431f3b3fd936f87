"""Kernels on sequences of letters, given as strings."""

from kernlearn.kernels.sequences.mismatch import Mismatch
from kernlearn.kernels.sequences.spectrum import Spectrum
from kernlearn.kernels.sequences.subsequence import Subsequence
from kernlearn.kernels.sequences.weighted_degree import WeightedDegree

__all__ = ["Mismatch", "Spectrum", "Subsequence", "WeightedDegree"]
